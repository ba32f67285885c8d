-- Tangled from chapters/workshop/loom.nw, "The book as a whole".  Edit it there.

-- The chapters of book.yaml, in order.
--
-- read(root) returns what book.yaml says, with `contents` added, a list of
-- { path, slug, part, volume, number }, and a table slug -> number.
-- `volume` is an index in volumes, of which there is at least one.
package.path = arg[0]:gsub("[^/]*$", "") .. "?.lua;" .. package.path
local yaml = require "yaml"
local M = {}

-- the volume of a part
local function volume_of(book, part)
    for i, volume in ipairs(book.volumes) do
        if volume.name == (part.volume or book.volumes[1].name) then
            return i
        end
    end
    error("book.yaml: no volume is called " .. part.volume, 0)
end

-- 1 is A, 26 is Z, 27 is AA
local function in_letters(n)
    if n > 26 then
        return in_letters((n - 1) // 26) .. in_letters((n - 1) % 26 + 1)
    end
    return string.char(64 + n)
end

function M.read(root)
    local book = yaml.read(root .. "/book.yaml")
    local chapters, numbers, count = {}, {}, { digits = 0, letters = 0 }
    book.volumes = book.volumes or { { name = "book" } }
    book.needs = book.needs or {}
    for _, part in ipairs(book.parts) do
        local kind, volume = part.numbers or "digits", volume_of(book, part)
        for _, name in ipairs(part.chapters) do
            local slug = name:match("[^/]+$")
            if slug ~= "preface" then count[kind] = count[kind] + 1 end
            local number = slug == "preface" and "0"
                or kind == "letters" and in_letters(count[kind])
                or tostring(count[kind])
            numbers[slug] = number
            table.insert(chapters, { path = "chapters/" .. name .. ".nw",
                slug = slug, part = part, volume = volume,
                number = number })
        end
    end
    book.contents = chapters
    return book, numbers
end

-- print the files of the chapters
local function print_all()
    local found, all = {}, io.popen("find chapters -name '*.nw' | sort")
    for path in all:lines() do
        found[path] = true
        found[#found + 1] = path
    end
    for _, c in ipairs(M.read(".").contents) do
        if found[c.path] then print(c.path) end
        found[c.path] = nil
    end
    for _, path in ipairs(found) do if found[path] then print(path) end end
end

local function print_volume(name)
    local book = M.read(".")
    for _, c in ipairs(book.contents) do
        if book.volumes[c.volume].name == name then print(c.path) end
    end
end

if arg and arg[0]:match("contents%.lua$") then
    if arg[1] then print_volume(arg[1]) else print_all() end
end
return M
