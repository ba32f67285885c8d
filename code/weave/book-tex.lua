-- Tangled from chapters/workshop/press.nw, "The book around the chapters".  Edit it there.

-- build/weave/book.lua -> OUT/book.tex, OUT/chunks.tex, OUT/names.tex
--   lua5.4 code/weave/book-tex.lua build/weave/book.lua OUT
local whole, out = dofile(arg[1]), arg[2]
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
    for i, part in ipairs(chunk.parts) do
        parts[i] = anchor_of(part.url)
    end
    return ("\\indexchunk{%s}{%s}{%s}"):format(latex.set_name(chunk.name),
        table.concat(parts, ","),
        #chunk.used > 0 and "use." .. parts[1] or "")
end

local function index_of_chunks()
    local chunks, lines = {}, { "\\indexhead{Files}" }
    table.move(whole.chunks, 1, #whole.chunks, 1, chunks)
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
    local lines, count = {}, {}
    for _, d in ipairs(whole.identifiers) do
        count[d.name] = (count[d.name] or 0) + 1
    end
    for _, d in ipairs(whole.identifiers) do
        local file = count[d.name] > 1
                     and latex.breakable(d.file:gsub("^code/", "")) or ""
        lines[#lines + 1] = ("\\indexword{%s}{%s}{%s}"):format(
            latex.breakable(d.name), file, anchor_of(d.url))
    end
    return lines
end

-- book: the chapters in order
local function input(chapter)
    local number = chapter.number
    local digits = number:match("^%d+")
    local kind = number == "0" and "preface"
                 or digits and "chapter" or "appendix"
    return ("\\bookinput{%s}{%s}{%s}"):format(kind,
        digits or number:byte() - 64, chapter.slug)
end

local function book_tex()
    local lines = { "% Written by code/weave/book-tex.lua.",
        "\\documentclass[11pt,twoside,openany]{memoir}",
        "\\usepackage{press}", "\\booktitle" }
    for _, key in ipairs { "title", "subtitle", "author", "edition",
                           "repository" } do
        lines[#lines + 1] = "{" .. latex.escape(whole[key] or "") .. "}"
    end
    lines[#lines + 1] = "\\begin{document}\\bookfront"
    for _, part in ipairs(whole.parts) do
        local begun = false
        for _, chapter in ipairs(part.chapters) do
            if not begun and chapter.number ~= "0" then
                lines[#lines + 1] = "\\bookpart{"
                    .. latex.escape(part.title) .. "}"
                begun = true
            end
            lines[#lines + 1] = input(chapter)
        end
    end
    lines[#lines + 1] = "\\bookback\n\\end{document}"
    return lines
end

local chunks = index_of_chunks()
write_file("chunks.tex", chunks)
write_file("names.tex", index_of_identifiers())
write_file("book.tex", book_tex())
