-- Tangled from chapters/workshop/loom.nw, "The other pages".  Edit it there.

-- Markdown for the pages that are no chapters, from build/weave/book.lua.
-- lua pages.lua FOLDER; writes FOLDER/index.md, chunks.md ... and .lua
package.path = arg[0]:gsub("[^/]*$", "") .. "?.lua;" .. package.path
local letters = require "letters"
local folder = arg[1]
local book = dofile(folder .. "/book.lua")

-- small helpers of the pages
local safe = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;",
               ['"'] = "&quot;" }
local function escape(s) return (s:gsub('[&<>"]', safe)) end
local function href(url)
    return (escape(url):gsub("^[^#]*", "%0.html"))
end
local function link(url, text, class)
    return '<a' .. (class and ' class="' .. class .. '"' or "")
           .. ' href="' .. href(url) .. '">' .. text .. '</a>'
end
local function html(lines)
    return "```{=html}\n" .. table.concat(lines, "\n") .. "\n```\n"
end

local function write(path, text)
    local f = io.open(path)
    local old = f and f:read("a")
    if f then f:close() end
    if old == text then return end
    f = assert(io.open(path, "w"))
    assert(f:write(text))
    f:close()
end

local function page(slug, title, text)
    write(folder .. "/" .. slug .. ".md", text)
    write(folder .. "/" .. slug .. ".lua", string.format(
        "local book = dofile(%q)\n"
        .. "return { slug = %q, title = %q, book = book.title,\n"
        .. "refs = book.refs, rows = book.rows, idents = book.idents,\n"
        .. "chunk_refs = book.chunk_refs, figures = {}, parts = {},\n"
        .. "numbers = {}, sections = {}, foreign = {} }\n",
        folder .. "/book.lua", slug, title))
end

local function part_head(part)
    local id = part.title:lower():gsub("[^%w]+", "-"):gsub("^-", "")
    local volume = part.volume > 1 and book.volumes[part.volume].about
    return "### " .. part.title .. " [" .. (volume and volume .. ", " or "")
           .. part.minutes .. "]{.minutes} {#" .. id .. "}\n"
end

local closing = { Summary = true, Exercises = true,
                  ["Further reading"] = true }

-- the cover and the contents
local s = { "---", "cover: true", "---", "", "::: {.title}",
    "# " .. book.title .. " {#title}", "", book.subtitle or "", "",
    book.about or "", "",
    "[" .. (book.author or "") .. "]{.author}",
    "[" .. (book.edition or "") .. "]{.edition}", ":::", "",
    "## Contents {#contents}", "" }
for _, part in ipairs(book.parts) do
    local preface = part.chapters[1].number == "0"
    if not preface then s[#s + 1] = part_head(part) end
    s[#s + 1] = "::: {.chapters}\n"
    for _, c in ipairs(part.chapters) do
        -- list a chapter and its sections
        s[#s + 1] = "- [[" .. (c.number == "0" and "" or c.number)
            .. "\u{A0}]{.number}" .. c.title .. "](" .. c.slug .. ".html) ["
            .. c.minutes .. "]{.minutes}"
        local sections = {}
        for _, sec in ipairs(c.sections) do
            if sec.level == 2 and sec.id and not closing[sec.title] then
                sections[#sections + 1] = "[" .. sec.title .. "]("
                    .. c.slug .. ".html#" .. sec.id .. ")"
            end
        end
        s[#s + 1] = "\n  [" .. table.concat(sections, "\u{A0}· ")
                    .. "]{.sections}\n"
        -- the first part begins behind the preface
        if c.number == "0" then
            s[#s + 1] = ":::\n\n" .. part_head(part) .. "\n::: {.chapters}\n"
        end
    end
    s[#s + 1] = ":::\n"
end

-- list the pages at the end
s[#s + 1] = "### At the end\n\n::: {.chapters}\n"
for _, p in ipairs { { "chunks", "Index of chunks" },
    { "identifiers", "Index of identifiers" },
    { "figures", "Figures and tables" },
    { "bibliography", "Bibliography" }, { "errata", "Errata" } } do
    s[#s + 1] = "- [" .. p[2] .. "](" .. p[1] .. ".html)"
end
s[#s + 1] = "\n:::\n"
page("index", book.title, table.concat(s, "\n"))

-- an index on several pages
local function in_letters(entries)
    local by_letter, all = {}, {}
    for _, e in ipairs(entries) do
        local letter = letters.initial(e.name)
        if not by_letter[letter] then
            by_letter[letter] = {}
            all[#all + 1] = letter
        end
        table.insert(by_letter[letter], e.html)
    end
    table.sort(all, function (a, b)             -- "_" comes last
        return (a == "_" and "~" or a) < (b == "_" and "~" or b)
    end)
    return all, by_letter
end

local function bar(stem, all)
    local s = {}
    for i, letter in ipairs(all) do
        s[i] = '<a href="' .. letters.page(stem, letter)
            .. ".html#letter-" .. letter .. '">' .. letter .. "</a>"
    end
    return html { '<p class="letters">' .. table.concat(s, " ") .. "</p>" }
end

local function write_letters(stem, group, title, all, by_letter)
    local slug = stem .. "-" .. group
    local s = { '<div class="by-letter">' }
    for _, letter in ipairs(all) do
        if letters.page(stem, letter) == slug then
            s[#s + 1] = '<h2 id="letter-' .. letter .. '">' .. letter
                .. '</h2><ul class="index">\n'
                .. table.concat(by_letter[letter], "\n") .. "</ul>"
        end
    end
    s[#s + 1] = "</div>"
    title = title .. ", " .. group:upper():gsub("-", "–")
    page(slug, title, "# " .. title .. " {#" .. stem .. "}\n\n"
         .. bar(stem, all) .. html(s) .. bar(stem, all))
end

local function write_index(stem, title, entries, lead, rest)
    local all, by_letter = in_letters(entries)
    page(stem, title, "# " .. title .. " {#" .. stem .. "}\n\n" .. lead
         .. bar(stem, all) .. rest)
    for _, group in ipairs(letters.groups) do
        write_letters(stem, group, title, all, by_letter)
    end
end

-- the index of chunks
local function places(list)
    local s, seen = {}, {}
    for _, p in ipairs(list) do
        local text = p.section or "\u{2192}"
        if not seen[text] then s[#s + 1] = link(p.url, text) end
        seen[text] = true
    end
    return table.concat(s, ", ")
end

local function chunk_entry(c)
    local name = escape(c.name):gsub("`([^`]+)`", "<code>%1</code>")
    if c.root then name = "<code>" .. name .. "</code>" end
    return "<li>" .. link(c.url, name) .. " <span class=\"at\">"
        .. places(c.parts) .. "</span>" .. (#c.used > 0
        and " <span class=\"used\">used in " .. places(c.used) .. "</span>"
        or "") .. "</li>"
end

local roots, others = {}, {}
for _, c in ipairs(book.chunks) do
    if c.root then
        roots[#roots + 1] = chunk_entry(c)
    else
        others[#others + 1] = { name = c.name, html = chunk_entry(c) }
    end
end
write_index("chunks", "Index of chunks", others,
    "Files first; the chunks that they are made of follow on the pages of "
    .. "their first letters, each with the sections that define it and "
    .. "those that use it.\n\n", "\n## Files {#files}\n\n"
    .. html { '<ul class="index">', table.concat(roots, "\n"), '</ul>' })

-- the index of identifiers
local function identifier_entry(d, id)
    return "<li" .. (id and ' id="of-' .. escape(id) .. '"' or "") .. ">"
        .. link(d.url, "<code>" .. escape(d.name) .. "</code>")
        .. ' <span class="kind">' .. d.kind .. "</span> <span class="
        .. '"at">' .. link(d.url, d.section or "\u{2192}") .. "</span>"
        .. ' <span class="file">' .. escape(d.file:gsub("^code/", ""))
        .. "</span>" .. (#d.uses > 0 and ' <span class="used">used in '
        .. places(d.uses) .. "</span>" or "") .. "</li>"
end

local listed, entries = {}, {}
for i, d in ipairs(book.identifiers) do
    local anchor = d.url:match("#def%-(.*)$")
    entries[i] = { name = d.name, html = identifier_entry(d,
                   not listed[anchor] and anchor or nil) }
    listed[anchor] = true
end
write_index("identifiers", "Index of identifiers", entries, "Functions, "
    .. "types, constants, macros and variables: what each is, the section "
    .. "and the file that define it, and the sections that use it.\n\n",
    "")

-- the list of figures and tables
local function list(title, id, entries)
    local t = { "## " .. title .. " {#" .. id .. "}\n", "::: {.captions}" }
    for _, e in ipairs(entries) do
        t[#t + 1] = "\n[[" .. e.number .. "]{.number}](" .. href(e.url)
                    .. ") " .. e.caption
    end
    t[#t + 1] = "\n:::\n"
    return table.concat(t, "\n")
end
for _, l in ipairs { book.figures, book.tables } do
    for _, e in ipairs(l) do
        e.caption = e.caption:gsub("{%.ident}", "") .. " "
        e.caption = e.caption:match("^(.-[%.%?!]) ") or e.caption
    end
end
page("figures", "Figures and tables",
     "# Figures and tables {#figures-and-tables}\n\n"
     .. list("Figures", "figures", book.figures)
     .. "\n" .. list("Tables", "tables", book.tables))

-- the bibliography and the errata
s = { "---", "nocite: |" }
for _, key in ipairs(book.cites) do s[#s + 1] = "  @" .. key end
s[#s + 1] = "---\n\n# Bibliography {#bibliography}\n\n"
            .. "::: {#refs}\n:::\n"
page("bibliography", "Bibliography", table.concat(s, "\n"))

s = { "# Errata {#errata}\n" }
if not book.errata or #book.errata == 0 then
    s[#s + 1] = "None so far. Each chapter has a link to report one at its "
        .. "foot."
end
for _, e in ipairs(book.errata or {}) do
    s[#s + 1] = string.format("## Erratum %s {#erratum-%s}\n\n"
        .. "In [%s](%s). Found by %s; guarded now by `%s`.\n\n"
        .. "Was\n:   %s\n\nIs\n:   %s\n", e.id, e.id,
        e.place or e.section, href(e.url or "index"), e.found, e.guard,
        e.was, e.is)
end
page("errata", "Errata", table.concat(s, "\n"))
