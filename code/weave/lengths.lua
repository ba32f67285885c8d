-- Tangled from chapters/workshop/press.nw, "How many pages a chapter has".  Edit it there.

-- Pages, words and lines of code of each chapter of a volume.
--   lua5.4 code/weave/lengths.lua build/weave build/pdf/NAME.places
local whole, lengths = dofile(arg[1] .. "/book.lua"),
                       dofile(arg[1] .. "/lengths.lua")
local places, name = dofile(arg[2]), arg[2]:match("([^/]+)%.places$")

-- lengths: the chapters of this volume and their first pages
local list, last = {}, places.answers[1]
for _, part in ipairs(whole.parts) do
    if whole.volumes[part.volume].name == name then
        for _, c in ipairs(part.chapters) do
            local first, t = places[c.sections[1].id][1], lengths[c.slug]
            if first > 0 then
                t.title, t.first = c.number .. " " .. c.title, first
                list[#list + 1] = t
            end
        end
    end
end

local function row(title, t)
    print(("%-40s %5d %7d %6d %6d %7d %7.0f %7.1f"):format(
        title:sub(1, 40), t.pages, t.words, t.lines, t.chunks, t.figures,
        t.words / t.pages, t.lines / t.pages))
end

local total = { pages = 0, words = 0, lines = 0, chunks = 0, figures = 0 }
print(("%-40s %5s %7s %6s %6s %7s %7s %7s"):format(name, "pages", "words",
    "lines", "chunks", "figures", "words/p", "lines/p"))
for i, t in ipairs(list) do
    t.pages = (list[i + 1] and list[i + 1].first or last) - t.first
    if t.pages > 0 then row(t.title, t) end
    for k in pairs(total) do total[k] = total[k] + t[k] end
end
row("together", total)
