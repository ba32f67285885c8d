-- Tangled from chapters/workshop/reading-aids.nw, "Binding".  Edit it there.

-- lua cover.lua VOLUME: the cover of a volume as SVG, from
-- build/weave/book.lua.
local book = dofile("build/weave/book.lua")
local volume
for _, v in ipairs(book.volumes) do
    if v.name == arg[1] then volume = v end
end

-- cover: lines of so many letters
local function lines_of(text, letters)
    local lines = { "" }
    for word in text:gmatch("%S+") do
        local longer = (lines[#lines] .. " " .. word):gsub("^ ", "")
        if utf8.len(longer) > letters and lines[#lines] ~= "" then
            lines[#lines + 1] = word
        else
            lines[#lines] = longer
        end
    end
    return lines
end

-- cover: text and bar
local y, safe = 520, { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }

local function text(words, letters, size, colour)
    for _, line in ipairs(lines_of(words or "", letters)) do
        print(('<text x="160" y="%d" font-size="%d" fill="%s">%s</text>')
              :format(y, size, colour, (line:gsub("[&<>]", safe))))
        y = y + size * 5 // 4
    end
end

print('<svg xmlns="http://www.w3.org/2000/svg" width="1600" '
      .. 'height="2400" font-family="TeX Gyre Pagella, P052, Charter, '
      .. 'DejaVu Serif, serif"><rect width="1600" height="2400" '
      .. 'fill="#fdfcf8"/>')
text(book.title, 9, 260, "#1f1e1b")
for lane = 0, 31 do
    print(('<rect x="%d" y="%d" width="28" height="36" fill="%s"/>'):format(
          160 + 40 * lane, y - 120, lane < 4 and "#8c3a10" or "#d9d5ca"))
end
y = y + 80
text(volume.title, 24, 110, "#8c3a10")
text(volume.subtitle or book.subtitle, 34, 72, "#65615a")
y = 2160
text(book.author, 50, 56, "#1f1e1b")
text(book.edition, 50, 48, "#65615a")
print("</svg>")
