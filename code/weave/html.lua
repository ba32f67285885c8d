-- Tangled from chapters/workshop/loom.nw, "Pages for the screen".  Edit it there.

-- Writer for HTML pages; see filter.lua for who calls it.
local letters = require "letters"
local M = {}

-- text that is safe in HTML
local safe = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;",
               ['"'] = "&quot;" }
local function escape(s) return (s:gsub('[&<>"]', safe)) end
M.escape = escape

local function inline(html) return pandoc.RawInline("html", html) end
local function block(html) return pandoc.RawBlock("html", html) end

function M.href(url, page)
    local slug, anchor = url:match("^([^#]*)(.*)$")
    if page and page.href then return page.href(slug, anchor) end
    if page and slug == page.slug and anchor ~= "" then return anchor end
    return slug .. ".html" .. anchor
end
local href = M.href

local function link(url, page, class, text, title)
    local to = href(url, page)
    class = class and ' class="' .. class .. '"' or ""
    if not to then return "<span" .. class .. ">" .. text .. "</span>" end
    return "<a" .. class .. ' href="' .. escape(to) .. '"'
        .. (title and ' title="' .. escape(title) .. '"' or "")
        .. '>' .. text .. '</a>'
end

-- a chunk as HTML
local function in_words(name)
    return (escape(name):gsub("`([^`]+)`", "<code>%1</code>"))
end

local function name_of(name)
    return "\u{27E8}" .. in_words(name) .. "\u{27E9}"
end

local function token(t, page)
    local text = escape(t.text)
    if t.anchor then
        local to = href(letters.page("identifiers", t.text) .. "#of-"
                        .. t.anchor:sub(5), page)
        return '<a class="def" id="' .. escape(t.anchor) .. '"'
            .. (to and ' href="' .. escape(to) .. '"' or "") .. '>'
            .. text .. '</a>'
    elseif t.url then
        return link(t.url, page, t.kind and "i " .. t.kind or "i", text)
    end
    return '<span class="' .. t.kind .. '">' .. text .. '</span>'
end

local function code(lines, page)
    local out = {}
    for i, line in ipairs(lines) do
        local s, use = {}, false
        for j, t in ipairs(line) do
            if type(t) == "string" then
                s[j] = escape(t)
            elseif t.use then
                use = true
                s[j] = link(t.url, page, "use", name_of(t.use))
            else
                s[j] = token(t, page)
            end
        end
        local text = table.concat(s) .. (i < #lines and "\n" or "")
        out[i] = use and '<span class="uses">' .. text .. '</span>' or text
    end
    return '<pre><code>' .. table.concat(out) .. '</code></pre>'
end

local function arrow(to, page, class, sign, words)
    return to and link(to.url, page, class, sign, words .. " of this chunk"
        .. (to.section and ", in " .. to.section or "")) or ""
end

local function head(part, page)
    local name = part.root and '<code>' .. escape(part.name) .. '</code>'
                 or in_words(part.name)
    local files = {}
    for i, f in ipairs(part.files) do
        files[i] = '<code>' .. escape(f) .. '</code>'
    end
    local lands = part.root and "" or '<span class="lands">'
        .. table.concat(files, ", ") .. '</span>'
    return '<div class="head"><span class="name">\u{27E8}<a href="#'
        .. escape(part.anchor) .. '">' .. name .. '</a>\u{27E9} '
        .. '<span class="sign">' .. (part.index > 1 and "+=" or "=")
        .. '</span></span>' .. arrow(part.previous, page, "up", "\u{2191}",
                              "Previous part")
        .. arrow(part.next, page, "down", "\u{2193}", "Next part")
        .. lands .. '</div>'
end

local function foot(part, page)
    if #part.used == 0 then return "" end
    local s = {}
    for i, u in ipairs(part.used) do
        s[i] = link(u.url, page, nil, name_of(u.name))
            .. (u.section and " " .. u.section or "")
    end
    return '<div class="foot">Used in ' .. table.concat(s, ", ")
        .. '</div>'
end

function M.chunk(part, page)
    return block('<div class="chunk" id="' .. escape(part.anchor) .. '">'
        .. head(part, page) .. code(part.lines, page) .. foot(part, page)
        .. '</div>')
end

-- words in the text as HTML
local function in_one_line(code)
    return #code <= 16 and code:find("[ -]") ~= nil
end

function M.code(code)
    if in_one_line(code.text) then
        code.classes:insert("glue")
        return code
    end
    local html, n = (" " .. escape(code.text)):gsub(
        "(%s)(%-%-?%w[%w-]*)", '%1<span class="glue">%2</span>')
    return n > 0 and inline("<code>" .. html:sub(2) .. "</code>") or nil
end

function M.identifier(pieces, page)
    local s, code = {}, ""
    for i, p in ipairs(pieces) do
        code = code .. p.text
        s[i] = p.url and link(p.url, page, "i", escape(p.text))
               or escape(p.text)
    end
    return inline((in_one_line(code) and '<code class="glue">' or "<code>")
                  .. table.concat(s) .. "</code>")
end

-- A long formula in the text; a narrow window may have to scroll it.
function M.formula(math)
    return pandoc.Span({ math }, pandoc.Attr("", { "formula" }))
end

function M.reference(ref, page)
    return inline(link(ref.url, page, "ref",
                       (escape(ref.text):gsub(" ", "\u{A0}"))))
end

function M.chunk_reference(name, url, page)
    return inline(link(url, page, "chunk-ref", name_of(name)))
end

function M.term(inlines, t)
    return pandoc.Link(inlines, "glossary.html#" .. t.anchor, t.sentence,
                       pandoc.Attr("", { "gloss" }))
end

function M.chinese(text)
    return inline('<span lang="zh-Hans">' .. escape(text) .. '</span>')
end

function M.output(lines)
    return block('<pre class="output"><code>'
        .. escape(table.concat(lines, "\n")) .. '</code></pre>')
end

function M.listing(tokens, language)
    local s = {}
    for i, t in ipairs(tokens) do
        s[i] = t.colour and '<span class="' .. t.colour .. '">'
               .. escape(t.text) .. '</span>' or escape(t.text)
    end
    return block('<pre class="listing"><code>' .. table.concat(s)
                 .. '</code></pre>')
end

local cards = 0

local function origin(row)
    local function line(key, text)
        if not text or text == "" then return "" end
        return '<span><b>' .. key .. '</b> ' .. escape(text) .. '</span>'
    end
    return line("name", row.name) .. line("machine", row.machine)
        .. line("command", row.command) .. line("commit", row.commit)
        .. line("date", row.date)
end

function M.card(class, text, inner)
    cards = cards + 1
    local id = "card-" .. cards
    return inline('<span class="' .. class .. '" tabindex="0" '
        .. 'aria-describedby="' .. id .. '">' .. escape(text)
        .. '<span class="card" role="tooltip" id="' .. id .. '">' .. inner
        .. '</span></span>')
end

function M.number(row, text) return M.card("num", text, origin(row)) end

function M.calculated(expression, rows, text)
    local s = { '<span><b>computed</b> ' .. escape(expression)
                .. '</span>' }
    for _, row in ipairs(rows) do s[#s + 1] = origin(row) end
    return M.card("num", text, table.concat(s))
end

-- numbered blocks as HTML
local function chapter_link(c, page)
    local title = M.title(c.title)
    local number = c.number ~= "0" and '<span class="number">' .. c.number
                   .. '\u{A0}</span>' or ""
    return link(c.slug, page, nil, number .. title)
end

function M.before(page)
    local s = { '<span class="minutes">' .. page.minutes .. '</span>' }
    for i, c in ipairs(page.needs or {}) do
        s[#s + 1] = (i == 1 and ' <span class="needs">Read first: '
                     or ', ') .. chapter_link(c, page)
    end
    return block('<p class="before">' .. table.concat(s)
                 .. (#s > 1 and '</span>' or "") .. '</p>')
end

function M.paths(paths, page)
    local s = {}
    for _, path in ipairs(paths or {}) do
        s[#s + 1] = '<p><b>' .. escape(path.title) .. ':</b> '
            .. escape(path.about) .. '</p>\n<ul>'
        for _, c in ipairs(path.chapters) do
            s[#s + 1] = '<li>' .. chapter_link(c, page)
                .. ' <span class="minutes">' .. c.minutes
                .. '</span></li>'
        end
        s[#s + 1] = '<li class="sum">together <span class="minutes">'
            .. path.minutes .. '</span></li>\n</ul>'
    end
    return block('<div class="paths chapters">\n' .. table.concat(s, "\n")
                 .. '\n</div>')
end

function M.heading(h, number, page)
    local id = escape(h.identifier)
    local content = pandoc.List()
    if h.level == 1 and page.label then
        content:insert(inline('<span class="label">' .. (page.volume
            and '<span class="volume">' .. escape(page.volume)
            .. '</span> ' or "") .. escape(page.label) .. '</span> '))
        if page.label == "Preface" and pandoc.utils.stringify(h.content)
           == "Preface" then content = pandoc.List() end
    elseif number then
        content:insert(inline('<span class="number">' .. number
                              .. '</span> '))
    end
    content:extend(h.content)
    content:insert(inline(' <a class="permalink" href="#' .. id
        .. '" aria-label="Link to this section">#</a>'))
    h.content = content
    if h.level == 1 and page.minutes then return { h, M.before(page) } end
    return h
end

function M.equation(math, id, number)
    return pandoc.Div({ pandoc.Plain { math, inline('<a class="eqno" '
        .. 'href="#' .. id .. '">(' .. number .. ')</a>') } },
        pandoc.Attr(id, { "equation" }))
end

M.fill = true
function M.letters() return 80 end
function M.text_of(html)                 -- without the card of a number
    return (html:gsub('<span class="card.*', ""):gsub("<[^>]*>", "")
                :gsub("&%a+;", "&"))
end

local function numbered(word, id, number)
    return inline('<a class="number" href="#' .. id .. '">' .. word
                  .. "\u{A0}" .. number .. '</a> ')
end

function M.figure(id, figure, caption)
    local text = pandoc.List { numbered("Figure", id, figure.number) }
    text:extend(caption)
    return { block('<figure id="' .. id .. '"><div class="drawing">'
                   .. M.drawing(figure.file, id, figure.alt)
                   .. '</div><figcaption>'),
             pandoc.Plain(text), block('</figcaption></figure>') }
end

function M.table(tbl, id, number)
    if id then
        local long = tbl.caption.long
        long[#long].content:insert(1, numbered("Table", id, number))
    end
    return pandoc.Div({ tbl }, pandoc.Attr(id or "", { "table" }))
end

local function mark_of(asked, page)
    local words = "interview question"
    if not asked then return "" end
    return " " .. (page.questions
                   and link(page.questions, page, "asked", words, asked)
                   or '<span class="asked">' .. words .. '</span>')
end

function M.exercise(div, number, asked, page)
    div.content:insert(1, pandoc.Plain { inline('<span class="exercise-'
        .. 'number"><a href="#' .. div.identifier .. '">Exercise\u{A0}'
        .. number .. '</a></span>' .. mark_of(asked, page)) })
    return div
end

-- Each choice opens to its reason.
function M.quiz(div, choices, number, asked, page)
    for _, choice in ipairs(choices) do
        div.content:insert(block('<details class="choice '
            .. (choice.right and "right" or "wrong") .. '"><summary>'))
        div.content:insert(pandoc.Plain(choice[1]))
        div.content:insert(block('</summary>'))
        div.content:extend(choice[2][1])
        div.content:insert(block('</details>'))
    end
    return M.exercise(div, number, asked, page)
end

function M.wanted(shown, value, said)
    return pandoc.Span({ shown }, pandoc.Attr("", { "wanted" }, {
        { "data-value", ("%.6g"):format(value) },
        { "data-part", said.part or "" }, { "data-unit", said.unit or "" },
        { "data-within", said.within or "5" } }))
end

function M.answer(div, of, number)
    local out = pandoc.List { block('<details class="answer"><summary>'
        .. 'Answer<span class="hidden"> to exercise ' .. number
        .. '</span></summary>') }
    out:extend(div.content)
    out:insert(block('</details>'))
    return out
end

-- a drawing inside the page
function M.drawing(file, id, alt)
    local f = assert(io.open(file))
    local svg = f:read("a")
    f:close()
    svg = svg:gsub("<%?.-%?>", ""):gsub("<!DOCTYPE.->", "")
             :gsub("<!%-%-.-%-%->", ""):gsub("^%s+", ""):gsub("%s+$", "")
    local prefix = id:gsub("[^%w]", "-") .. "-"
    svg = svg:gsub("(%s[%w:]+=)'([^'\"]*)'", '%1"%2"')
    svg = svg:gsub('(%sid=")', "%1" .. prefix)
             :gsub('(url%(#)', "%1" .. prefix)
             :gsub('(href="#)', "%1" .. prefix)
    local open, rest = svg:match("^<svg(.-)>(.*)$")
    local width = open:match('viewBox="[%d%.%-]+ [%d%.%-]+ ([%d%.]+)')
    open = open:gsub('%swidth="[^"]*"', ""):gsub('%sheight="[^"]*"', "")
               :gsub('%srole="[^"]*"', ""):gsub('%saria%-[%w-]*="[^"]*"',
                                                "")
    return '<svg role="img" aria-label="' .. escape(alt) .. '"' .. open
        .. (width and ' style="--full:' .. width .. 'px"' or "")
        .. ">" .. rest
end

-- notes in the margin
local notes = 0

function M.note(note)
    notes = notes + 1
    local id = "note-" .. notes
    local out = pandoc.List { inline('<span class="note"><input '
        .. 'type="checkbox" id="' .. id .. '" aria-label="Show note '
        .. notes .. '"><label for="' .. id .. '">' .. notes
        .. '</label><span class="side"><b>' .. notes .. '</b> ') }
    out:extend(pandoc.utils.blocks_to_inlines(note.content,
        { pandoc.LineBreak() }))
    out:insert(inline('</span></span>'))
    return out
end

-- what the template needs
local function percent(s)
    return (s:gsub("[^%w%-%._~]", function (c)
        return string.format("%%%02X", c:byte())
    end))
end

local function neighbour(n)
    if not n then return nil end
    return { url = n.slug .. ".html", label = n.label ~= n.title
             and n.label or "", title = n.title }
end

local function contents(page)
    local s = {}
    for _, sec in ipairs(page.sections or {}) do
        if sec.level == 2 and sec.id then
            s[#s + 1] = '<li><a href="#' .. sec.id .. '">'
                .. '<span class="number">' .. sec.number .. '</span> '
                .. M.title(sec.title) .. '</a></li>'
        end
    end
    return #s > 1 and table.concat(s, "\n") or nil
end

-- Markdown of a title as HTML
function M.title(text)
    local doc = pandoc.read(text, "markdown")
    return (pandoc.write(doc, "html"):gsub("^<p>", "")
            :gsub("</p>%s*$", ""))
end

function M.templates(page)
    local s = {}
    for _, chunk in ipairs(page.foreign or {}) do
        s[#s + 1] = '<template data-chunk="' .. escape(chunk.anchor)
                    .. '">'
        for _, part in ipairs(chunk.parts) do
            local html = code(part.lines, page)
            s[#s + 1] = html:gsub(' id="[^"]*"', "")
        end
        s[#s + 1] = '</template>'
    end
    return table.concat(s)
end

function M.finish(page, doc)
    local meta = doc.meta
    local function raw(html)
        return html and pandoc.MetaInlines { inline(html) }
    end
    meta.pagetitle = pandoc.utils.stringify(pandoc.read(page.title,
                                                        "markdown"))
    meta.book = page.book
    meta.slug = page.slug
    meta.chapter = page.minutes and page.slug
    meta.contents = raw(contents(page))
    meta.templates = raw(M.templates(page))
    meta.previous, meta.next = neighbour(page.previous),
                               neighbour(page.next)
    meta.bookpart = page.book_part
    if page.path then
        meta.edit = page.repository .. "/edit/" .. page.branch .. "/"
                    .. page.path
        meta.erratum = page.repository .. "/issues/new?template="
            .. "erratum.yml&title=" .. percent("Erratum in "
            .. page.slug .. ": ")
    end
end
return M
