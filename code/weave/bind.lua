-- Tangled from chapters/workshop/reading-aids.nw, "Binding".  Edit it there.

-- pandoc filter: the chapters of a volume, build/whole/SLUG.json, as one
-- document, an EPUB or a page.  Needs metadata `volume`, a name that
-- book.yaml knows.
local code = PANDOC_SCRIPT_FILE:match("^(.*/)") or "./"
package.path = code .. "?.lua;" .. package.path
local html = require "html"
local book = dofile("build/weave/book.lua")
local epub = FORMAT:match("^epub") ~= nil

-- bind: read a file
local function read(path)
    local f = assert(io.open(path))
    local text = f:read("a")
    f:close()
    return text
end

-- bind: which chapter is in which file
local file_of, title_of = {}, {}

local function name_files(number)
    local count = 0
    for _, part in ipairs(book.parts) do
        local titled = false
        for _, c in ipairs(part.volume == number and part.chapters or {}) do
            if not titled and c.number ~= "0" then
                titled, title_of[c.slug] = true, part.title
                count = count + 1
            end
            count = count + 1
            file_of[c.slug] = epub and ("ch%03d.xhtml"):format(count) or ""
        end
    end
end

-- bind: make addresses final
local function final(slug, anchor)
    return 'href="' .. (file_of[slug] or "to:" .. slug) .. anchor .. '"'
end

local function Raw(raw)
    raw.text = raw.text:gsub('href="to:([^"#]*)(#[^"]*)"', final)
    return raw
end

local function Link(link)
    link.target = link.target:gsub("^to:[^#]*", "")
    return link
end

-- bind: notes and cards
local function Span(span)
    if not span.classes:includes("num") then return nil end
    local text, card = table.unpack(span.content)
    if epub then return text end
    return html.card("num", text.text, card.content[1].text)
end

local function Div(div)
    if not div.classes:includes("away") then return nil end
    return epub and {} or div.content
end

-- bind: the chapters under the titles of their parts
local function chapter(slug)
    local path = "build/whole/" .. slug .. ".json"
    local doc = pandoc.read(read(path), "json")
    doc = doc:walk { RawBlock = Raw, RawInline = Raw, Link = Link }
             :walk { Span = Span, Div = Div }
             :walk { Note = not epub and html.note or nil }
    if epub then return doc.blocks end
    return { pandoc.Div(doc.blocks, pandoc.Attr("", {},
                                    { ["data-chapter"] = slug })) }
end

local function all_chapters(number)
    local blocks = pandoc.List()
    for _, part in ipairs(book.parts) do
        for _, c in ipairs(part.volume == number and part.chapters or {}) do
            if title_of[c.slug] then
                blocks:insert(pandoc.Header(1, title_of[c.slug],
                    pandoc.Attr("part-" .. c.slug, { "part" })))
            end
            blocks:extend(chapter(c.slug))
        end
    end
    blocks:insert(pandoc.Header(1, "Bibliography",
                                pandoc.Attr("bibliography", { "part" })))
    blocks:insert(pandoc.Div({}, pandoc.Attr("refs")))
    return blocks
end

-- bind: what the volume is called
local function describe(meta, volume)
    local function put(key, text)
        if text then meta[key] = pandoc.MetaInlines {
            pandoc.Str(text) } end
    end
    put("title", book.title .. (volume.title and ": " .. volume.title
                                or ""))
    put("subtitle", volume.subtitle or book.subtitle)
    put("author", book.author)
    put("lang", book.lang or "en-GB")
    put("rights", book.rights)
    put("edition", book.edition)
    put("description", not volume.title and book.about or nil)
    put("about", not volume.title and book.about or nil)
    put("identifier", book.repository .. "#" .. volume.name)
    if epub then return end
    for key, file in pairs { style = "book.css", script = "aids.js" } do
        local text = read(code .. file)
        if key == "script" then text = read(code .. "book.js") .. text end
        meta[key] = pandoc.MetaInlines { pandoc.RawInline("html", text) }
    end
end

function Pandoc(doc)
    local name = pandoc.utils.stringify(doc.meta.volume)
    local number
    for i, volume in ipairs(book.volumes) do
        if volume.name == name then number = i end
    end
    if not number then error("book.yaml: no volume " .. name, 0) end
    name_files(number)
    describe(doc.meta, book.volumes[number])
    doc.blocks = all_chapters(number)
    return doc
end
