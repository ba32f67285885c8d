-- Tangled from chapters/workshop/press.nw, "Paper".  Edit it there.

-- Writer for the printed book; see filter.lua for who calls it.
local M = {}

local function raw(text) return pandoc.RawInline("latex", text) end
local function raw_block(text) return pandoc.RawBlock("latex", text) end

-- latex: what TeX must not misunderstand
local ESCAPES = {
    ["\\"] = "\\textbackslash{}", ["{"] = "\\{", ["}"] = "\\}",
    ["$"] = "\\$", ["&"] = "\\&", ["#"] = "\\#", ["%"] = "\\%",
    ["_"] = "\\_", ["^"] = "\\textasciicircum{}",
    ["~"] = "\\textasciitilde{}",
}
local function escape(text)
    return (text:gsub("[\\{}$&#%%_^~]", ESCAPES)
                :gsub("\u{202F}", "\\,"))
end
local function escape_code(text)       -- a tab stands first in its line
    return (escape(text):gsub("\t", (" "):rep(8)):gsub(" ", "\\ ")
                        :gsub("[\x80-\xff]+", "\\mbsign{%0}"))
end

-- latex: the name of a chunk
local function breakable(code)
    return (escape(code):gsub("/", "/\\allowbreak{}")
            :gsub("([%w\3])\\_%f[%w\2]", "%1\\_\\allowbreak{}")
            :gsub("(%l\3?[.,:=])(\2?%w)", "%1\\allowbreak{}%2")
            :gsub("%f[-%S](%-+%w)", "\\mbox{%1}")          -- an option
            :gsub("%-%-", "-{}-"))
end

local function set_code(code)
    return "\\mbcode{" .. breakable(code) .. "}"
end

local function set_name(name)
    if name:find("^code/[^ ]*$") then return set_code(name) end
    local out, at = {}, 1
    while true do
        local a, b, code = name:find("`([^`]+)`", at)
        local c, d, code2 = name:find("%[%[(.-)%]%]", at)
        if c and (not a or c < a) then a, b, code = c, d, code2 end
        if not a then break end
        out[#out + 1] = escape(name:sub(at, a - 1)) .. set_code(code)
        at = b + 1
    end
    return table.concat(out) .. escape(name:sub(at))
end

local function set_title(title)
    return (title:gsub("[^`]+", escape)
                 :gsub("`([^`]*)`", "\\mbcode{%1}"))
end

-- latex: what is in another volume
local volumes, here

-- Sets the volume that is being printed; from: the table of volumes.
function M.print_volume(number, from) volumes, here = from, number end

local told = {}

function M.start(page)
    local from = dofile("build/weave/volumes.lua")
    local of = from.of[page.slug]
    M.print_volume(of and of.volume or 1, from)
end

-- What of this address is elsewhere: its chapter and volume, or nil.
local function elsewhere(url)
    local to = volumes.of[url:match("^[^#]*")]
    if to and to.volume ~= here then
        return to, volumes[to.volume].place
    end
end

local function tell(to, place)
    if told[to] then return place end
    told[to] = true
    return set_title(to.title) .. ", " .. place
end

-- latex: a line of code and its places
local STYLES = { k = "\\lxK", t = "\\lxT", n = "\\lxN", s = "\\lxS",
                 c = "\\lxC", p = "\\lxP" }

local function anchor_of(url) return (url:gsub("^[^#]*#?", "")) end

local function link_word(piece, text)
    if piece.anchor then
        return ("\\lxD{%s}{%s}"):format(piece.anchor, text)
    end
    if elsewhere(piece.url) then return text end
    return ("\\lxI{%s}{%s}"):format(anchor_of(piece.url), text)
end

local function pages(anchor) return "\\mbpages{" .. anchor .. "}" end

local function set_line(line)
    local out, places = {}, {}
    for i, piece in ipairs(line) do
        if type(piece) == "string" then
            out[i] = escape_code(piece)
        elseif piece.use then
            local anchor = anchor_of(piece.url)
            places[#places + 1] = "use." .. anchor
            local _, place = elsewhere(piece.url)
            out[i] = place and ("\\codeaway{%s}{%s}"):format(
                    set_name(piece.use), place)
                or ("\\codeuse{%s}{%s}"):format(anchor,
                    set_name(piece.use))
        else
            local style = STYLES[piece.kind]
            local text = escape_code(piece.text)
            text = style and style .. "{" .. text .. "}" or text
            out[i] = piece.url and link_word(piece, text) or text
            places[#places + 1] = piece.anchor
                or piece.url and "in." .. anchor_of(piece.url)
        end
    end
    return table.concat(out), table.concat(places, ",")
end

-- latex: a part of a chunk
-- "page 12 and in the workshop", or "" if nothing uses the chunk
local function used_on(used, anchor, format)
    local near, far = false, nil
    for _, use in ipairs(used) do
        local _, place = elsewhere(use.url)
        near, far = near or not place, place or far
    end
    local out = { near and format:format("use." .. anchor) or nil }
    out[#out + 1] = far
    return table.concat(out, " and ")
end

local function set_use(part)
    if part.index > 1 or part.root then return "" end
    local file = set_code(part.files[1])
    if #part.files > 1 then
        file = ("%s and %d more"):format(file, #part.files - 1)
    end
    return ("used %s, in %s"):format(
        used_on(part.used, part.anchor, "on \\mbused{%s}"), file)
end

local function set_head(part)
    local function place_of(other)
        if not other then return "" end
        local _, place = elsewhere(other.url)
        return place or pages(anchor_of(other.url))
    end
    return ("\\chunkhead{%s}{%s}{%s}{%s}{%s}{%s}"):format(part.anchor,
        set_name(part.name), part.index == 1 and "=" or "+=",
        set_use(part), place_of(part.previous), place_of(part.next))
end

-- May no page end before line n of so many, of which `heads` are heads?
local function stays(n, count, heads)
    return n > 1 and (n < heads + 2 or n > count - 2 or count < 6)
end

function M.chunk(part)
    local out, lines = { set_head(part) }, part.lines
    for n, line in ipairs(lines) do
        local text, places = set_line(line)
        if stays(n, #lines, 1) then out[#out + 1] = "\\nobreak" end
        out[#out + 1] = ("\\codeline{%s}{%s}"):format(places, text)
    end
    out[#out + 1] = "\\chunkend"
    return raw_block(table.concat(out, "\n"))
end

-- latex: other code
local function set_fence(lines, widest)
    local out = {}
    for n, line in ipairs(lines) do
        out[n] = (stays(n, #lines, 2) and "\\nobreak" or "")
                 .. "\\fenceline{" .. line .. "}"
    end
    return raw_block(("\\begin{fence}{%d}\n%s\n\\end{fence}"):format(
        math.max(76, widest), table.concat(out, "\n")))
end

function M.output(lines)
    local out, widest = {}, 0
    for i, line in ipairs(lines) do
        widest = math.max(widest, utf8.len(line) or #line)
        out[i] = escape_code(line)
    end
    return set_fence(out, widest)
end

function M.listing(tokens)
    local lines, widest, width = { "" }, 0, 0
    for _, t in ipairs(tokens) do
        local style, first = STYLES[t.colour], true
        for text in (t.text .. "\n"):gmatch("([^\n]*)\n") do
            if not first then lines[#lines + 1], width = "", 0 end
            first = false
            width = width + (utf8.len(text) or #text)
            widest = math.max(widest, width)
            text = escape_code(text)
            if style and text ~= "" then
                text = style .. "{" .. text .. "}"
            end
            lines[#lines] = lines[#lines] .. text
        end
    end
    return set_fence(lines, widest)
end

-- latex: words in the text
function M.number(_, text) return raw(escape(text)) end
function M.calculated(_, _, text) return raw(escape(text)) end

function M.reference(ref)
    local text = escape(ref.text):gsub(" ", "~")
    if ref.text:find("^Section 0") then text = "the preface" end
    local to, place = elsewhere(ref.url)
    if to then
        return raw(("%s\\mbfar{%s}"):format(text, tell(to, place)))
    end
    return raw(("\\mbref{%s}{%s}"):format(anchor_of(ref.url), text))
end

function M.chunk_reference(name, url)
    local to, place = elsewhere(url)
    if to then
        return raw(("\\anglename{%s}\\mbfar{%s}"):format(set_name(name),
                                                       tell(to, place)))
    end
    return raw(("\\mbchunkref{%s}{%s}"):format(anchor_of(url),
                                               set_name(name)))
end

function M.identifier(pieces)
    local code, anchors, n = {}, {}, 0
    for i, p in ipairs(pieces) do
        local link = p.url and not elsewhere(p.url)
        code[i] = link and "\2" .. p.text .. "\3" or p.text
        anchors[#anchors + 1] = link and anchor_of(p.url) or nil
    end
    local function open()
        n = n + 1
        return "\\mbident{" .. anchors[n] .. "}{"
    end
    return raw((set_code(table.concat(code))
                :gsub("\2", open):gsub("\3", "}")))
end

-- latex: headings
local function chapter_name(c)
    local number = c.number ~= "0" and c.number .. "~" or ""
    return number .. set_title(c.title)
end

local function lead(page)
    local needs = {}
    for i, c in ipairs(page.needs or {}) do
        needs[i] = elsewhere(c.url) and chapter_name(c)
            or ("\\mblink{%s}{%s}"):format(c.id, chapter_name(c))
    end
    return ("\\chapterlead{%s}{%s}"):format(escape(page.minutes),
                                            table.concat(needs, ", "))
end

function M.paths(paths)
    local out = {}
    for _, path in ipairs(paths or {}) do
        out[#out + 1] = ("\\pathhead{%s}{%s}"):format(escape(path.title),
                                                      escape(path.about))
        for _, c in ipairs(path.chapters) do
            out[#out + 1] = ("\\pathline{%s}{%s}{%s}"):format(c.id,
                chapter_name(c), escape(c.minutes))
        end
        out[#out + 1] = ("\\pathsum{%s}"):format(escape(path.minutes))
    end
    return raw_block(table.concat(out, "\n"))
end

local COMMANDS = { "\\bookchapter", "\\booksection", "\\booksubsection",
                   "\\booksubsubsection" }

function M.heading(h, _, page)
    local command = COMMANDS[h.level] or COMMANDS[4]
    local timed = h.level == 1 and page.minutes
    if timed then
        command = "\\timedchapter{" .. escape(page.minutes) .. "}"
    end
    local out = pandoc.List { raw(("%s{%s}{"):format(command,
                                                     h.identifier)) }
    out:extend(h.content)
    out:insert(raw(timed and "}" .. lead(page) or "}"))
    return pandoc.Plain(out)
end

-- latex: how high a table is
-- Points: 11.4 a line, 11 one of the caption, and what the rules take.
local function height(tbl)
    local simple = pandoc.utils.to_simple_table(tbl)
    local line = M.letters(#tbl.colspecs)
    local caption = pandoc.utils.stringify(simple.caption)
    local function lines(cells)
        local most = 1
        for i, cell in ipairs(cells) do
            local letters = utf8.len(pandoc.utils.stringify(cell)) or 0
            local width = (tbl.colspecs[i][2] or 1) * line
            most = math.max(most, math.ceil(letters / width))
        end
        return most
    end
    local top = 36 + 11 * math.ceil(utf8.len(caption) / 88)
                + 11.4 * lines(simple.headers)
    local points = top
    for _, row in ipairs(simple.rows) do
        points = points + 11.4 * lines(row)
    end
    return points <= 260 and points or top + 5 * 11.4
end

local function begin_cell(cell, tex)
    local block = cell.contents[1]
    if block and block.content then
        block.content:insert(1, raw(tex))
    else
        cell.contents:insert(1, pandoc.Plain { raw(tex) })
    end
end

local function set_rows(tbl)
    for _, row in ipairs(tbl.head.rows) do
        for _, cell in ipairs(row.cells) do
            begin_cell(cell, "\\strut{}")
        end
    end
    local rows = tbl.bodies[1].body
    for i = math.max(2, #rows - 1), #rows do
        begin_cell(rows[i].cells[1], "\\nopagebreak{}")
    end
end

-- latex: what has a number
local function first_sentence(inlines)
    local out = pandoc.List()
    for i, el in ipairs(inlines) do
        local following = inlines[i + 1]
        if el.t == "Str" and el.text:find("[.!?]$") and #out > 2
           and (not following or following.t == "Space"
                or following.t == "SoftBreak") then
            out:insert(pandoc.Str((el.text:gsub("%.$", ""))))
            return out
        end
        if el.t ~= "Note" then out:insert(el) end
    end
    return out
end

function M.figure(id, figure, caption)
    local file = figure.file:match("([^/]+)%.svg$")
    local out = pandoc.List { raw(("\\mbfigure{%s}{%s}{"):format(
        file and file .. ".pdf" or figure.file, id)) }
    out:extend(first_sentence(caption))
    out:insert(raw("}{"))
    out:extend(caption)
    out:insert(raw("}"))
    return pandoc.Plain(out)
end

function M.equation(math, id)
    return pandoc.Plain { raw(("\\begin{equation}%s\\mbequation{%s}"
        .. "\\end{equation}"):format(math.text, id)) }
end

-- Letters in a line of a table with n columns, of 4.8 points each; between
-- columns are 12 points.
function M.letters(n) return (374 - 12 * n) / 4.8 + 2 * n end
function M.text_of(tex)
    return (tex:gsub("\\mb%a+{[^{}]*}{", "{"):gsub("\\%a+ ?", "")
               :gsub("[\\{}]", ""))
end

function M.table(tbl, id)
    local room = raw_block(("\\Needspace*{%.0fpt}"):format(height(tbl)))
    set_rows(tbl)
    local long = tbl.caption.long
    if id then
        long[#long].content:insert(1, raw("\\mbtable{" .. id .. "}"))
    end
    if #long == 0 then
        return { room, raw_block("\\begin{unnumbered}"), tbl,
                 raw_block("\\end{unnumbered}") }
    end
    return { room, tbl }
end

-- latex: exercises
function M.exercise(div, _, asked)
    local out = pandoc.List { raw_block((asked and "\\asked" or "")
        .. "\\begin{exercise}{" .. div.identifier .. "}") }
    out:extend(div.content)
    out:insert(raw_block("\\end{exercise}"))
    return out
end

function M.answer(div, of)
    local out = pandoc.List { raw_block("\\answer{" .. of .. "}{%") }
    out:extend(div.content)
    out:insert(raw_block("}"))
    return out
end

-- The choices stay with the question, the reasons go to the answers.
function M.quiz(div, choices, number, asked)
    local letters = pandoc.ListAttributes(1, "LowerAlpha", "TwoParens")
    local question, reasons = {}, {}
    for i, choice in ipairs(choices) do
        local why = choice[2][1]
        question[i] = { pandoc.Plain(choice[1]) }
        reasons[i] = #why > 1 and why or { pandoc.Plain(why[1].content) }
    end
    div.content:insert(pandoc.OrderedList(question, letters))
    local out = M.exercise(div, number, asked)
    local listed = pandoc.OrderedList(reasons, letters)
    out:extend(M.answer({ content = { listed } }, div.identifier))
    return out
end

-- latex: the rest of the page
local function link_in_note(link)
    if link.target:find("^#") then return nil end
    local url = raw("\\mburl{" .. escape(link.target) .. "}")
    if pandoc.utils.stringify(link.content) == link.target then
        return url
    end
    local out = pandoc.List(link.content)
    out:extend { pandoc.Str ",", pandoc.Space(), url }
    return out
end

local function link(el)
    local out, close = pandoc.List(), "}"
    local address = escape(el.target)
    if pandoc.utils.stringify(el.content) == el.target then
        return raw("\\mburl{" .. address .. "}")
    elseif el.target:find("^#") then
        out:insert(raw("\\mblink{" .. el.target:sub(2) .. "}{"))
    else
        out:insert(raw("\\mbaway{" .. address .. "}{"))
    end
    out:extend(el.content)
    out:insert(raw("}"))
    return out
end

local function goes_on(block)
    local first = block and block.t == "Para" and block.content[1]
    return first and first.t == "Str" and first.text:find("^%l")
end

local function is_equation(block)
    local first = block.t == "Plain" and block.content[1]
    return first and first.t == "RawInline"
           and first.text:find("^\\begin{equation}")
end

local function go_on(blocks)
    for i, block in ipairs(blocks) do
        if is_equation(block) and goes_on(blocks[i + 1]) then
            blocks[i + 1].content:insert(1, raw("\\noindent{}"))
        end
    end
    return blocks
end

local function head_and_table(blocks)
    for i = #blocks - 1, 1, -1 do
        local head = blocks[i].t == "Plain" and blocks[i].content[1]
        local next = blocks[i + 1]
        local points = next.t == "RawBlock"
                       and next.text:match("^\\Needspace%*{(%d+)pt}")
        if points and head and head.t == "RawInline"
           and head.text:match("^\\book%a*section{") then
            blocks:insert(i, raw_block(("\\Needspace*{%dpt}"):format(
                math.tointeger(points) + 50)))
        end
    end
    return blocks
end

function M.finish(_, doc)
    local function walk(filter)
        doc.blocks = pandoc.walk_block(pandoc.Div(doc.blocks),
                                       filter).content
    end
    walk { Blocks = go_on }
    walk { Blocks = head_and_table }
    walk { Note = function(note)
        return pandoc.walk_inline(note, { Link = link_in_note })
    end }
    walk { Link = link,
           Code = function(code) return raw(set_code(code.text)) end,
           Span = function(span)
               if span.classes:includes("term") then
                   return pandoc.Emph(span.content)
               elseif span.classes:includes("kbd") then
                   return raw(set_code(pandoc.utils.stringify(span)))
               end
               return span.content
           end }
end

M.escape, M.breakable, M.set_name = escape, breakable, set_name
M.elsewhere, M.used_on = elsewhere, used_on
return M
