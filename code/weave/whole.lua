-- Tangled from chapters/workshop/reading-aids.nw, "A volume in one document".  Edit it there.

-- Writer for a chapter of a volume in one document: that of the pages, with
-- addresses of the form to:SLUG#ANCHOR, which bind.lua makes final.
local M = require "html"
local volumes, here

-- whole: where addresses lead
local function elsewhere(slug)
    local to = volumes.of[slug]
    return to and to.volume ~= here and volumes[to.volume].place
end

local function href(slug, anchor)
    local to = volumes.of[slug]
    if to and to.volume == here then
        return "to:" .. slug .. (anchor ~= "" and anchor or "#" .. to.id)
    end
end

function M.start(page)
    volumes = dofile("build/weave/volumes.lua")
    here = volumes.of[page.slug].volume
    page.href = href
end

-- whole: words in the text
local reference, text_of = M.reference, M.text_of
M.note = nil

function M.reference(ref, page)
    local words = reference(ref, page)
    local place = elsewhere(ref.url:match("^[^#]*"))
    return place and pandoc.Span { words, pandoc.Str("\u{A0}["
        .. place:gsub(" ", "\u{A0}") .. "]") } or words
end

function M.card(class, text, origin)
    return pandoc.Span({ pandoc.Str(text), pandoc.Span(
        { pandoc.RawInline("html", origin) }, pandoc.Attr("", { "card" }))
    }, pandoc.Attr("", { class }))
end

function M.text_of(html)
    return html:find("^<span><b>") and "" or text_of(html)
end

function M.term(inlines, t)
    return pandoc.Link(inlines, href("glossary", "#" .. t.anchor),
                       t.sentence, pandoc.Attr("", { "gloss" }))
end

-- whole: headings below those of parts
local function span(class, text)
    return pandoc.Span({ pandoc.Str((text:gsub(" ", "\u{A0}"))) },
                       pandoc.Attr("", { class }))
end

function M.heading(h, number, page)
    local first, preface = h.level == 1, page.number == "0"
    local before = first and not preface and span("label", page.label)
                   or not first and number and span("number", number)
    if before then
        h.content:insert(1, before)
        h.content:insert(2, pandoc.Space())
    end
    if not (first and preface) then h.level = h.level + 1 end
    if not first then return h end
    h.classes:insert("chapter")
    return { h, M.before(page) }
end

-- whole: chunks of another volume
local function is_away(chunk)
    for _, slug in ipairs(chunk.from) do
        if elsewhere(slug) then return true end
    end
end

function M.finish(page, doc)
    local away = {}
    for _, chunk in ipairs(page.foreign) do
        if is_away(chunk) then away[#away + 1] = chunk end
    end
    doc.meta = {}
    doc.blocks:insert(pandoc.Div({ pandoc.RawBlock("html", M.templates
        { foreign = away, href = href }) }, pandoc.Attr("", { "away" })))
end
return M
