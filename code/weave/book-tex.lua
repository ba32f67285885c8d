-- Tangled from chapters/workshop/press.nw, "The book around the chapters".  Edit it there.

-- build/weave/book.lua -> for each volume OUT/NAME.tex, with its indexes
-- OUT/NAME-chunks.tex and OUT/NAME-names.tex
--   lua5.4 code/weave/book-tex.lua build/weave/book.lua OUT
local whole, out = dofile(arg[1]), arg[2]
local volumes = dofile((arg[1]:gsub("[^/]*$", "volumes.lua")))
package.path = arg[0]:gsub("[^/]*$", "") .. "?.lua;" .. package.path
pandoc = {}
local latex = require "latex"

local function anchor_of(url) return (url:gsub("^[^#]*#?", "")) end

local function write_file(name, lines)
    local f = assert(io.open(out .. "/" .. name, "w"))
    assert(f:write(table.concat(lines, "\n"), "\n"))
    assert(f:close())
end

-- book: the index of chunks
local function letters(name) return (name:lower():gsub("[`%[%]]", "")) end

local function entry(chunk)
    local parts = {}
    for _, part in ipairs(chunk.parts) do
        if not latex.elsewhere(part.url) then
            parts[#parts + 1] = anchor_of(part.url)
        end
    end
    return ("\\indexchunk{%s}{%s}{%s}"):format(latex.set_name(chunk.name),
        table.concat(parts, ","), latex.used_on(chunk.used,
        anchor_of(chunk.url), "\\mbpages{%s}"))
end

local function is_here(chunk)
    for _, part in ipairs(chunk.parts) do
        if not latex.elsewhere(part.url) then return true end
    end
end

local function index_of_chunks()
    local chunks, lines = {}, { "\\indexhead{Files}" }
    for _, chunk in ipairs(whole.chunks) do
        if is_here(chunk) then chunks[#chunks + 1] = chunk end
    end
    table.sort(chunks, function(a, b)
        if not a.root ~= not b.root then return a.root or false end
        return letters(a.name) < letters(b.name)
    end)
    for i, chunk in ipairs(chunks) do
        if not chunk.root and (i == 1 or chunks[i - 1].root) then
            lines[#lines + 1] = "\\indexhead{Chunks}"
        end
        lines[#lines + 1] = entry(chunk)
    end
    return lines
end

-- book: the index of identifiers
local function index_of_identifiers()
    local lines, count, found = {}, {}, {}
    for _, d in ipairs(whole.identifiers) do
        if not latex.elsewhere(d.url) then
            found[#found + 1] = d
            count[d.name] = (count[d.name] or 0) + 1
        end
    end
    for _, d in ipairs(found) do
        local file = count[d.name] > 1
                     and latex.breakable(d.file:gsub("^code/", "")) or ""
        lines[#lines + 1] = ("\\indexword{%s}{%s}{%s}"):format(
            latex.breakable(d.name), file, anchor_of(d.url))
    end
    return lines
end

-- book: the chapters in order
local function input(chapter)
    return ("\\bookinput{%s}{%s}{%s}"):format(
        chapter.number == "0" and "preface" or "chapter", chapter.number,
        chapter.slug)
end

local function book_tex(number, volume)
    local lines = { "% Written by code/weave/book-tex.lua.",
        "\\documentclass[10pt,twoside,openany]{memoir}",
        "\\usepackage{press}", "\\booktitle" }
    for _, key in ipairs { "title", "subtitle", "author", "edition",
                           "repository" } do
        lines[#lines + 1] = "{" .. latex.escape(volume[key] or whole[key]
                                                or "") .. "}"
    end
    lines[#lines + 1] = "\\begin{document}\\bookfront"
    for _, part in ipairs(whole.parts) do
        if part.volume == number then
            -- book: the chapters of a part
            local begun = part.title == volume.title
            if begun then lines[#lines + 1] = "\\bookmain" end
            for _, chapter in ipairs(part.chapters) do
                if not begun and chapter.number ~= "0" then
                    lines[#lines + 1] = ("\\bookpart{%s}{%s}"):format(
                        latex.escape(part.title), latex.escape(part.minutes))
                    begun = true
                end
                lines[#lines + 1] = input(chapter)
            end
        end
    end
    lines[#lines + 1] = "\\bookback\n\\end{document}"
    return lines
end

for i, volume in ipairs(volumes) do
    latex.print_volume(i, volumes)
    write_file(volume.name .. "-chunks.tex", index_of_chunks())
    write_file(volume.name .. "-names.tex", index_of_identifiers())
    write_file(volume.name .. ".tex", book_tex(i, volume))
end
