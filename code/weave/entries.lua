-- Tangled from chapters/workshop/finding.nw, "What can be found".  Edit it there.

-- What a reader can search for, as JSON.
-- lua entries.lua FOLDER: FOLDER/book.lua -> FOLDER/entries.json, which is
--   { "pages": [[slug, title] ...],
--     "entries": [[kind, page, name, anchor, section, more] ...] }
-- page is an index into pages; anchor "" follows from kind and name.
local folder = arg[1]
local book = dofile(folder .. "/book.lua")

-- print Lua tables as JSON
local function json(v)
    if type(v) ~= "table" then
        if type(v) == "number" then return tostring(v) end
        v = v:gsub('[%c"\\]', function (c)
            return ("\\u%04x"):format(c:byte())
        end)
        return '"' .. v .. '"'
    end
    local s = {}
    for i, x in ipairs(v) do s[i] = json(x) end
    return "[" .. table.concat(s, ",") .. "]"
end

local function plain(markdown)
    return (markdown:gsub("%[%[(.-)%]%]", "%1"):gsub("%b{}", "")
        :gsub("%[(.-)%]%b()", "%1"):gsub("%[@[^%]]*%]", "")
        :gsub("@[%w:%._%-]+", ""):gsub("[`*$\\]", ""):gsub("%s+", " ")
        :gsub("^ ", ""):gsub(" $", ""))
end

-- collect the entries of a kind
local pages, place, entries = {}, {}, {}

local function page(slug, title)
    place[slug] = #pages
    pages[#pages + 1] = { slug, plain(title) }
end

local function add(kind, url, name, section, more, usual)
    local slug, anchor = url:match("^([^#]*)#?(.*)$")
    if anchor == usual then anchor = "" end
    entries[#entries + 1] = { kind, place[slug], name, anchor,
                              section or "", more or "" }
end

local function add_chapter(chapter)
    for _, s in ipairs(chapter.sections) do
        if s.level == 1 then
            add("chapter", chapter.slug, plain(s.title), chapter.label)
        elseif s.id then
            add("section", chapter.slug .. "#" .. s.id, plain(s.title),
                s.number)
        end
    end
end

local function add_captions(kind, list)
    for _, e in ipairs(list) do
        local text = plain(e.caption) .. " "
        add(kind, e.url, text:match("^(.-[%.%?!]) ") or text, e.number)
    end
end

local function add_identifiers()
    for _, d in ipairs(book.identifiers) do
        if d.kind ~= "declaration" then
            add(d.kind, d.url, d.name, d.section,
                (d.file:gsub("^code/", "")), "def-" .. d.name)
        end
    end
end

local function add_chunks()
    for _, c in ipairs(book.chunks) do
        local name = c.name:gsub("`", "")
        local usual = name:lower():gsub("[^%w\128-\255]+", "-")
                          :gsub("^%-", ""):gsub("%-$", "")
        add(c.root and "file" or "chunk", c.url, name, c.parts[1].section,
            nil, "chunk-" .. usual)
    end
end

-- write the pages and the entries
for _, part in ipairs(book.parts) do
    for _, chapter in ipairs(part.chapters) do
        page(chapter.slug, chapter.title)
    end
end
for _, part in ipairs(book.parts) do
    for _, chapter in ipairs(part.chapters) do add_chapter(chapter) end
end
for _, t in ipairs(book.terms or {}) do
    add("term", t.url, t.term, nil, t.chinese)
end
add_captions("figure", book.figures)
add_captions("table", book.tables)
add_identifiers()
add_chunks()
local f = assert(io.open(folder .. "/entries.json.tmp", "w"))
f:write('{"pages":', json(pages), ',\n"entries":', json(entries), "}\n")
f:close()
assert(os.rename(folder .. "/entries.json.tmp", folder .. "/entries.json"))
