-- Tangled from chapters/workshop/press.nw, "Until nothing moves".  Edit it there.

-- Finds in a TeX log what must not be in a book.
--   lua5.4 code/weave/read-log.lua book.log book.places
local written = loadfile(arg[2])
local place = written and written() or {}
local found, file = {}, arg[1]:gsub("log$", "tex")

local function complain(text) found[#found + 1] = file .. ": " .. text end

local lines = {}
for line in io.lines(arg[1]) do lines[#lines + 1] = line end
for i, line in ipairs(lines) do
    file = line:match(".*%(%./([%w-]+%.tex)") or
           file
    local points, where = line:match(
        "Overfull \\hbox %(([%d.]+)pt too wide%)(.*)")
    if points and tonumber(points) > 2 then
        -- the text of a line that is too wide
        local text = (lines[i + 1] or ""):gsub("\\%S+ ?", ""):gsub("%[%]", "")
        local wanted, n = tonumber(where:match("lines? (%d+)")), 0
        local source = wanted and io.open(file)
        for tex in source and source:lines() or function() end do
            n = n + 1
            if n == wanted then
                text = tex:gsub("\\codeline{[^}]*}", "")
                          :gsub("\\lx[DI]{[^}]*}", "")
                          :gsub("\\lx%a", ""):gsub("\\ ", " ")
                          :gsub("[{}]", ""):gsub("\\([_#$%%&])", "%1")
            end
        end
        if source then source:close() end
        complain(("%s pt too wide%s: %s"):format(points, where, text:sub(1, 90)))
    elseif line:find("^Missing character") then
        complain(line .. " (no face of the book has it)")
    elseif line:find("^Press Warning") then
        if not place[line:match("no place called (.*)")] then
            complain(line)
        end
    elseif line:find("multiply defined")
           or line:find("unreferenced destination")
           or line:find("duplicate destination") then
        complain(line)
    end
end
for _, text in ipairs(found) do print(text) end
if #found > 0 then
    print(("press: %d problems in %s"):format(#found, arg[1]))
    os.exit(1)
end
