-- Tangled from chapters/workshop/loom.nw, "The filter".  Edit it there.

-- pandoc filter: the parts of a page that pandoc does not know.
-- Needs metadata `page`, the path of the table that weave.lua wrote.
-- The writer of the format is html.lua, latex.lua or, for a volume in one
-- document, whole.lua; its functions are called with data and pandoc
-- inlines or blocks, and return the same.
local here = PANDOC_SCRIPT_FILE:match("^(.*/)") or "./"
package.path = here .. "?.lua;" .. package.path
local data = require "data"
local lexer = require "lexer"

local page, writer

-- stop with a message
local function stop(seen, message)
    local n, where = 0, page.path or page.slug
    local f = page.path and io.open(page.path)
    for line in f and f:lines() or function () end do
        n = n + 1
        if line:find(seen, 1, true) then
            where = where .. ":" .. n
            break
        end
    end
    io.stderr:write(where, ": ", message, "\n")
    os.exit(1)
end

local draft = os.getenv("DRAFT") == "1"

-- references and numbers
local kinds = { sec = true, fig = true, tbl = true, eq = true, ex = true }

local function reference(id)
    local kind, rest = id:match("^(%a+):(.+)$")
    if kind == "num" then
        local row = page.rows[rest]
        if row then
            return writer.number(row, data.format(row.value, row.unit))
        end
    elseif kinds[kind] then
        local ref = page.refs[id]
        if ref then return writer.reference(ref, page) end
    else
        return nil
    end
    if draft then return pandoc.Str("??" .. id) end
    stop("@" .. id, "@" .. id .. " is not known")
end

local function Cite(cite)
    local out, others = pandoc.List(), pandoc.List()
    for _, c in ipairs(cite.citations) do
        local r = reference(c.id)
        if r then
            if #out > 0 then
                out:extend { pandoc.Str(","), pandoc.Space() }
            end
            out:insert(r)
            out:extend(c.suffix)
        else
            c.mode = "NormalCitation"
            others:insert(c)
        end
    end
    if #out == 0 then return nil end
    if #others > 0 then
        out:extend { pandoc.Space(), pandoc.Cite({}, others) }
    end
    return out
end

local function calculated(span)
    local text = pandoc.utils.stringify(span)
    local ok, value = pcall(data.calc, text, page.rows)
    if not ok then
        if draft then return pandoc.Str("??" .. text) end
        stop(text, "[" .. text .. "]{.calc}: " .. value)
    end
    local from = {}
    for _, name in ipairs(data.names(text)) do
        from[#from + 1] = page.rows[name]
    end
    local digits = tonumber(span.attributes.digits or "3")
    return writer.calculated(text, from, data.format(
        data.round(value, digits), span.attributes.unit))
end

-- a number that a reader finds
local function wanted(span)
    local text, value = pandoc.utils.stringify(span), nil
    local shown = pandoc.Span(span.content)
    if span.classes:includes("calc") then
        shown = calculated(span)
        local ok, exact = pcall(data.calc, text, page.rows)
        value = ok and exact
    else
        value = tonumber((text:gsub(",", "")))
    end
    if not value and not draft then
        stop(text, "[" .. text .. "]{.wanted} is not a number")
    end
    return writer.wanted and value
           and writer.wanted(shown, value, span.attributes)
           or shown
end

local function Span(span)
    if span.classes:includes("wanted") then return wanted(span) end
    if span.classes:includes("calc") then return calculated(span) end
    if span.classes:includes("chunk") then
        local name = pandoc.utils.stringify(span):gsub("\u{2019}", "'")
        local url = page.chunk_refs[name]
        if url then return writer.chunk_reference(name, url, page) end
        if not draft then stop(name, "no chunk " .. name) end
    end
    if span.classes:includes("zh") and writer.chinese then
        return writer.chinese(pandoc.utils.stringify(span))
    end
end

-- a number keeps its unit
local units = {}
for unit in ([[ ns µs μs us ms s min Hz kHz MHz GHz W kW J mJ nJ pJ °C %
    B kB KB MB GB TB PB KiB MiB GiB TiB B/s kB/s MB/s GB/s TB/s MiB/s GiB/s
    FLOP MFLOP GFLOP TFLOP PFLOP FLOP/s MFLOP/s GFLOP/s TFLOP/s PFLOP/s
    FLOP/B Gbit/s tok/s nm mm ]]):gmatch("%S+") do units[unit] = true end

local function is_unit(el)
    if el.t ~= "Str" then return false end
    return units[el.text] or units[el.text:gsub("[.,;:!?)%]]+$", "")]
end

local function is_number(el)
    if el.t == "Str" then return el.text:find("%d$") ~= nil end
    if el.t == "Cite" then
        return el.citations[1].id:find("^num:") ~= nil
    end
    if el.t == "Math" or el.t == "Span" and el.classes:includes("calc") then
        return true
    end
    return type(el) ~= "string" and el.content and #el.content > 0
           and is_number(el.content[#el.content])
end

local function is_space(el)
    return el and (el.t == "Space" or el.t == "SoftBreak")
end

local function keep_units(inlines)
    for i = #inlines - 1, 2, -1 do
        local unit, last = inlines[i + 1], inlines[i + 3]
        if is_space(inlines[i]) and is_number(inlines[i - 1]) then
            if is_unit(unit) then
                unit.text = data.THIN .. unit.text
                inlines:remove(i)
            elseif unit.t == "Str" and unit.text == "per"
                   and is_space(inlines[i + 2]) and last
                   and last.t == "Str"
                   and last.text:find("^cent%f[%A]") then
                inlines[i] = pandoc.Str("\u{A0}")
                inlines[i + 2] = pandoc.Str("\u{A0}")
            end
        end
    end
    return inlines
end

-- code in the text
local function Code(code)
    if not code.classes:includes("ident") then
        return writer.code and writer.code(code)
    end
    local pieces = {}
    for _, t in ipairs(lexer.lex(code.text, "cuda")) do
        pieces[#pieces + 1] = { text = t.text,
            url = t.kind == "word" and page.idents[t.text] or nil }
    end
    return writer.identifier(pieces, page)
end

local function read_lines(path)
    local f = io.open(path)
    if not f and draft then return { "?? " .. path } end
    if not f then stop(path, "no file " .. path) end
    local lines = {}
    for line in f:lines() do lines[#lines + 1] = line end
    f:close()
    return lines
end

local colour = { keyword = "k", type = "t", number = "n", string = "s",
                 comment = "c", pre = "p" }

local function CodeBlock(block)
    if block.classes:includes("chunk") then
        return writer.chunk(page.parts[tonumber(block.attributes.n)], page)
    elseif block.classes:includes("output") then
        return writer.output(read_lines(block.attributes.file))
    end
    local language = block.classes[1]
    local tokens = lexer.lex(block.text, lexer.knows(language) and language
                                         or "plain")
    for _, t in ipairs(tokens) do t.colour = colour[t.kind] end
    return writer.listing(tokens, language)
end

local function Math(math)
    local source = math.text:match("@num:%S+")
                   or math.text:match("%b[]{%.%l+[^}]*}")
    if source then
        stop(source, source .. " in a formula is not read; close the "
                     .. "formula before it")
    end
    if math.mathtype == "InlineMath" and #math.text > 30
       and writer.formula then
        return writer.formula(math)
    end
end

-- blocks that carry a number
local function Header(h)
    return writer.heading(h, page.numbers[h.identifier], page)
end

local function equation(para)
    local last = para.content[#para.content]
    local math = para.content[1]
    if #para.content < 2 or math.t ~= "Math" or last.t ~= "Str" then
        return nil
    end
    local id = last.text:match("^{#(eq:[%w:%._%-]+)}$")
    if id then return writer.equation(math, id, page.numbers[id]) end
end

local function Para(para)
    local image = para.content[1]
    if #para.content == 1 and image.t == "Image" then
        local figure = page.figures[image.identifier]
        if figure then
            return writer.figure(image.identifier, figure, image.caption)
        end
    end
    return equation(para)
end

local function measure(blocks)
    local text = pandoc.utils.stringify(pandoc.walk_block(
        pandoc.Div(blocks), { RawInline = function(raw)
            return pandoc.Str(writer.text_of(raw.text))
        end }))
    local function letters(word)             -- capitals, m and w are wider
        return utf8.len(word) + 0.4 * select(2, word:gsub("[%umw]", ""))
    end
    local longest = 0
    for word in text:gmatch("%S+") do
        longest = math.max(longest, letters(word))
    end
    return letters(text), longest
end

local function wanted(simple, i)
    local head, word = measure(simple.headers[i])
    local want = { natural = head, least = math.max(word, 2) }
    want.room = math.max(want.least, math.min(head / 2 + 2, 13))
    for _, row in ipairs(simple.rows) do
        local long, longest = measure(row[i])
        want.natural = math.max(want.natural, long)
        want.least = math.max(want.least, longest)
        want.room = math.max(want.room, math.min(long, 40))
        if long < 15 then want.least = math.max(want.least, long) end
    end
    return want
end

local function set_widths(tbl)
    local simple, wants = pandoc.utils.to_simple_table(tbl), {}
    local n, total, give, natural = #tbl.colspecs, 0, 0, 0
    for i = 1, n do
        local want = wanted(simple, i)
        wants[i] = want
        total = total + want.room + 2
        give = give + want.room - want.least
        natural = natural + want.natural + 2
    end
    local line = writer.letters(n)
    local over = math.min(1, math.max(0, total - line) / math.max(give, 1))
    for _, want in ipairs(wants) do
        want.room = want.room - over * (want.room - want.least)
    end
    total = math.max(total - over * give, writer.fill and 0 or line)
    for i, column in ipairs(tbl.colspecs) do
        local fixed = column[2] or writer.fill
        column[2] = fixed and natural > line
                    and (wants[i].room + 2) / total or nil
    end
end

local function Table(tbl)
    local long = tbl.caption.long
    local block = long[#long]
    local last = block and block.content[#block.content]
    local id = last and last.t == "Str"
               and last.text:match("^{#(tbl:[%w:%._%-]+)}$")
    if id then
        block.content:remove()
        local space = block.content[#block.content]
        if space and space.t ~= "Str" then block.content:remove() end
    end
    set_widths(tbl)
    return writer.table(tbl, id, id and page.numbers[id])
end

-- exercises and answers
-- the choices of a quiz
local function choices_of(div)
    local list = div.content:remove()
    local rights = 0
    local function wrong(why)
        stop(div.identifier, "the quiz " .. div.identifier .. " " .. why)
    end
    if not list or list.t ~= "DefinitionList" or #list.content < 2 then
        wrong("does not end with a list of two choices or more")
    end
    for _, choice in ipairs(list.content) do
        local text = pandoc.utils.stringify(choice[2][1])
        local first = choice[2][1][1]
        if first.t == "Plain" then
            choice[2][1][1] = pandoc.Para(first.content)
        end
        choice.right = text:find("^Right%.") ~= nil
        if choice.right then
            rights = rights + 1
        elseif not text:find("^No%.") then
            wrong("has a choice whose reason begins neither with Right. "
                  .. "nor with No.: " .. text:sub(1, 30))
        end
    end
    if rights ~= 1 then
        wrong("has " .. rights .. " right choices instead of one")
    end
    return list.content
end

local function Div(div)
    if div.classes:includes("exercise") then
        local number = page.numbers[div.identifier]
        local asked = page.asked and page.asked[div.identifier]
        local choices = div.classes:includes("quiz") and choices_of(div)
        return choices
               and writer.quiz(div, choices, number, asked, page)
               or writer.exercise(div, number, asked, page)
    elseif div.classes:includes("answer") then
        local of = div.attributes.of
        if not page.numbers[of] then
            stop(of or "answer", "an answer to no exercise: "
                 .. tostring(of))
        end
        return writer.answer(div, of, page.numbers[of])
    elseif div.classes:includes("paths") then
        return writer.paths(page.paths, page)
    end
end

-- link the first use of a term
local function bare(word)
    return (word:lower():gsub("^[(%[]+", ""):gsub("[.,;:!?)%]]+$", ""))
end

-- The index of the term's last word in the list, if it stands at i.
local function stands_at(words, inlines, i)
    for n, word in ipairs(words) do
        local e = inlines[i]
        local last = n == #words
        if not e or e.t ~= "Str" then return nil end
        local text = last and bare(e.text) or e.text:lower()
        if n == 1 then text = text:gsub("^[(%[]+", "") end
        if text ~= word and not (last and text == word .. "s") then
            return nil
        end
        if last then return i end
        if not is_space(inlines[i + 1]) then return nil end
        i = i + 2
    end
end

local function term_at(terms, inlines, i)
    local e, best, stop_at = inlines[i], nil, 0
    if e.t ~= "Str" then return nil end
    local word = bare(e.text)
    for _, key in ipairs { word, (word:gsub("s$", "")) } do
        for _, t in ipairs(terms[key] or {}) do
            local at = not t.used and stands_at(t.words, inlines, i)
            if at and at >= stop_at then best, stop_at = t, at end
        end
    end
    return best, stop_at
end

local function link_terms(para, terms)
    local inlines, i = para.content, 1
    while i <= #inlines do
        local t, last = term_at(terms, inlines, i)
        if t then
            t.used = true
            local linked, before, after = pandoc.List(), nil, nil
            for _ = i, last do linked:insert(inlines:remove(i)) end
            before, linked[1].text = linked[1].text:match("^([(%[]*)(.*)$")
            local e = linked[#linked]
            e.text, after = e.text:match("^(.-)([.,;:!?)%]]*)$")
            if after ~= "" then inlines:insert(i, pandoc.Str(after)) end
            inlines:insert(i, writer.term(linked, t))
            if before ~= "" then inlines:insert(i, pandoc.Str(before)) end
        end
        i = i + 1
    end
end

local function link_first_uses(doc)
    local terms = {}
    for _, t in ipairs(require("glossary").read("chapters/glossary.csv",
                                                function () end)) do
        if t.linked == "yes" and not page.numbers["sec:" .. t.section] then
            terms[t.words[1]] = terms[t.words[1]] or {}
            table.insert(terms[t.words[1]], t)
        end
    end
    for _, block in ipairs(doc.blocks) do
        if block.t == "Para" then link_terms(block, terms) end
    end
end

-- walk over the page
local writers = { latex = "latex", json = "whole" }

function Pandoc(doc)
    local path = pandoc.utils.stringify(doc.meta.page)
    page = dofile(path)
    writer = require(writers[FORMAT] or "html")
    if writer.start then writer.start(page, doc) end
    if writer.term and page.number and page.number:find("^%d") then
        link_first_uses(doc)
    end
    doc = doc:walk { Inlines = keep_units }
    doc = doc:walk { Cite = Cite, Span = Span, Code = Code,
                     Header = Header, Table = Table, Para = Para,
                     Math = Math }
    doc = doc:walk { CodeBlock = CodeBlock, Div = Div,
                     Note = writer.note }
    if writer.finish then writer.finish(page, doc) end
    return doc
end
