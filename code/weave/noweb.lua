-- Tangled from chapters/workshop/loom.nw, "The stream".  Edit it there.

-- The book as noweb's markup tells it.
--
-- read(lines, numbers) returns { chapters, chunks, raw }; numbers gives
-- the number of a chapter by its slug (optional):
--   chapter  { path, slug, name, number, title, blocks, sections }; name
--            is the path as book.yaml writes it: folder/slug
--   block    { kind = "docs" or "code", chapter, line, lines }
--            a line is a list of { text = s }, { quote = s } or
--            { use = name };
--            a code block (a part of a chunk) has also chunk, index,
--            section, and `at`, the place of its first line in raw
--   chunk    { name, parts, uses, files }
--            uses: list of { part, line, n }, n = index into part.lines
--   section  { level, number, title, id, line, chapter }
local names = require "names"
local M = {}

-- what a chapter is called
-- "Chapter 15", "Appendix A", "Preface"
function M.chapter_label(chapter)
    if chapter.number == "0" then return "Preface" end
    if chapter.number:match("^%d") then
        return "Chapter " .. chapter.number
    end
    return "Appendix " .. chapter.number
end

-- headings make sections
local function heading(chapter, text, line)
    local marks, rest = text:match("^(#+)%s+(.*)$")
    if not marks then return nil end
    local title, attr = rest:match("^(.-)%s*{([^{}]*)}%s*$")
    local section = { level = #marks, title = title or rest, line = line,
                      id = attr and attr:match("#([%w:%-_%.]+)"),
                      chapter = chapter }
    local count = chapter.count
    if section.level == 1 then
        section.number = chapter.number
        chapter.title = section.title
        chapter.id = section.id
    else
        local d = section.level - 1
        for i = #count + 1, d do count[i] = 0 end
        count[d] = count[d] + 1
        for i = d + 1, #count do count[i] = nil end
        section.number = chapter.number .. "." .. table.concat(count, ".")
    end
    table.insert(chapter.sections, section)
    return section
end

-- read the stream
function M.read(stream, numbers)
    local book = { chapters = {}, chunks = {}, raw = {} }
    local chapter, block, line, fence, parts
    local raw = book.raw

    local function chunk_named(name)
        local chunk = book.chunks[name]
        if not chunk then
            chunk = { name = name, parts = {}, uses = {} }
            book.chunks[name] = chunk
            table.insert(book.chunks, chunk)
        end
        return chunk
    end
    local function end_of_line()
        if block.kind == "docs" then
            local text = {}
            for i, p in ipairs(parts) do text[i] = p.text or p.quote end
            text = table.concat(text)
            local ticks = text:match("^%s*(```+)") or text:match("^(~~~+)")
            if fence then
                if ticks and #ticks >= #fence then fence = nil end
            elseif ticks then
                fence = ticks
            else
                chapter.section = heading(chapter, text, line)
                                  or chapter.section
            end
        end
        if block.kind == "docs" or block.defined then
            table.insert(block.lines, parts)
        end
        block.defined = true
        parts = {}
        line = line + 1
    end

    local on = {}
    -- one branch for each keyword of the stream
    function on.file(path)
        local slug = path:match("([^/]+)%.nw$") or path
        chapter = { path = path, slug = slug, blocks = {}, sections = {},
                    name = path:match("chapters/(.*)%.nw$") or slug,
                    count = {}, number = numbers and numbers[slug] or slug }
        table.insert(book.chapters, chapter)
        line, fence, parts = 1, nil, {}
    end
    on["begin"] = function (kind)
        block = { kind = kind:match("%a+"), chapter = chapter, line = line,
                  lines = {} }
        table.insert(chapter.blocks, block)
    end
    on["end"] = function ()
        if #parts > 0 then table.insert(block.lines, parts); parts = {} end
    end
    function on.defn(name)
        local chunk = chunk_named(name)
        block.chunk, block.section = chunk, chapter.section
        table.insert(chunk.parts, block)
        block.index, block.at = #chunk.parts, #raw + 1
        parts = {}
    end
    function on.use(name)
        local chunk = chunk_named(name)
        table.insert(chunk.uses, { part = block, line = line,
                                   n = #block.lines + 1 })
        table.insert(parts, { use = name })
    end
    function on.text(text)
        if text ~= "" then
            table.insert(parts, { text = text, quote = block.quoting and text })
            if block.quoting then parts[#parts].text = nil end
        end
    end
    function on.quote() block.quoting = true end
    function on.endquote() block.quoting = nil end
    function on.nl() end_of_line() end
    function on.index(what) if what == "nl" then line = line + 1 end end
    for text in stream do
        raw[#raw + 1] = text
        local key, rest = text:match("^@(%a+) ?(.*)$")
        if on[key] then on[key](rest) end
    end
    return book
end

-- files that a chunk lands in
function M.is_root(name) return name:match("^code/[%w%._/%-]+$") ~= nil end

-- Sets chunk.files (list of root names); returns a list of cycles.
function M.land(book)
    local cycles = {}
    local function walk(chunk, root, seen, path)
        if path[chunk] then
            table.insert(cycles, chunk)
            return
        end
        if seen[chunk] then return end
        seen[chunk], path[chunk] = true, true
        table.insert(chunk.files, root)
        for _, part in ipairs(chunk.parts) do
            for _, line in ipairs(part.lines) do
                for _, piece in ipairs(line) do
                    if piece.use then
                        walk(book.chunks[piece.use], root, seen, path)
                    end
                end
            end
        end
        path[chunk] = nil
    end
    for _, chunk in ipairs(book.chunks) do chunk.files = {} end
    for _, chunk in ipairs(book.chunks) do
        if M.is_root(chunk.name) then walk(chunk, chunk.name, {}, {}) end
    end
    return cycles
end

-- what is wrong with a book's chunks
-- List of { path, line, rule, text, fatal }, in the order of the book.
function M.problems(book)
    local found = {}
    local function say(part, line, rule, fatal, ...)
        table.insert(found, { path = part.chapter.path, line = line,
            rule = rule, fatal = fatal, text = string.format(...) })
    end
    for _, chunk in ipairs(M.land(book)) do
        say(chunk.parts[1], chunk.parts[1].line, "cycle", true,
            "<<%s>> uses itself, directly or through others", chunk.name)
    end
    for _, chunk in ipairs(book.chunks) do
        -- a chunk that is used but not defined
        if #chunk.parts == 0 then
            local use = chunk.uses[1]
            local known = {}
            for _, c in ipairs(book.chunks) do
                if #c.parts > 0 then known[#known + 1] = c.name end
            end
            local hint = ""
            if chunk.name:match("^<") then
                hint = "; a kernel launch is written kernel@<<<grid, block>>>(x)"
            else
                local near = names.nearest(chunk.name, known)
                if near then hint = "; is <<" .. near .. ">> meant?" end
            end
            for _, u in ipairs(chunk.uses) do
                say(u.part, u.line, "undefined", true,
                    "<<%s>> is used but nowhere defined%s", chunk.name, hint)
            end
        end
        -- a chunk that is defined but not used
        if #chunk.parts > 0 and #chunk.uses == 0
           and not M.is_root(chunk.name) then
            local part, hint = chunk.parts[1], ""
            local near = chunk.name:match("^code/")
            if near then
                hint = "; a file is named with letters, digits and . _ - / only"
            end
            say(part, part.line, "unused", false,
                "<<%s>> is defined but never used%s", chunk.name, hint)
        end
        -- uses that share their line
        for _, u in ipairs(chunk.uses) do
            local line = u.part.lines[u.n] or {}
            for _, piece in ipairs(line) do
                if piece ~= line[1] and piece.use == chunk.name
                   and (#line > 2 or line[1].use or line[1].text:match("%S"))
                   or piece.text and piece.text:match("%S") then
                    say(u.part, u.line, "alone", true,
                        "<<%s>> must stand alone on its line", chunk.name)
                    break
                end
            end
        end
    end
    table.sort(found, function (a, b)
        if a.path ~= b.path then return a.path < b.path end
        return a.line < b.line
    end)
    return found
end
return M
