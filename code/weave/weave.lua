-- Tangled from chapters/workshop/loom.nw, "The back end".  Edit it there.

-- The back end: markup's stream -> build/weave/SLUG.md and SLUG.lua.
-- lua weave.lua [--root FOLDER] < stream
-- FOLDER holds book.yaml, chapters, figures (default: here).  Files whose
-- text is the same are not touched.  Exit 1 with messages, nothing written,
-- if anything that a chapter cites is missing.
package.path = arg[0]:gsub("[^/]*$", "") .. "?.lua;" .. package.path
local data = require "data"
local names = require "names"
local noweb = require "noweb"
local skim = require "skim"
local tagger = require "tagger"
local contents = require "contents"
local minutes = require "minutes"
local yaml = require "yaml"

-- where things are
local root = "."
if arg[1] == "--root" then root = arg[2] end
local out = root .. "/build/weave"

local function exists(path)
    local f = io.open(path)
    if f then f:close() end
    return f ~= nil
end

-- collect complaints
local complaints = {}
local function complain(path, line, ...)
    complaints[#complaints + 1] = path .. ":" .. line .. ": "
                                  .. string.format(...)
end

local function keys_of(t)
    local list = {}
    for k in pairs(t) do
        if type(k) == "string" then list[#list + 1] = k end
    end
    table.sort(list)
    return list
end

local function meant(name, t)
    local near = names.nearest(name, keys_of(t))
    return near and "; is " .. near .. " meant?" or ""
end

-- read the book
local config, numbers = contents.read(root)
local book = noweb.read(io.lines(), numbers)
for _, p in ipairs(noweb.problems(book)) do
    if p.fatal then complain(p.path, p.line, "%s", p.text) end
end

local by_slug, chapters = {}, {}
for _, c in ipairs(book.chapters) do by_slug[c.slug] = c end
for _, entry in ipairs(config.contents) do
    local c = by_slug[entry.slug]
    if c then
        chapters[#chapters + 1] = c
        c.book_part, c.place = entry.part.title, #chapters
        c.volume = entry.volume
    end
end
for old, new in pairs(config.moved or {}) do
    if by_slug[old] or not by_slug[new] then
        complain("book.yaml", 1, "moved: %s cannot lead to %s", old, new)
    end
end
for _, c in ipairs(book.chapters) do
    if not c.book_part then
        complain(c.path, 1, "add %s to the chapters of book.yaml", c.name)
    elseif not c.title then
        complain(c.path, 1, "a chapter begins with a line `# Title`")
    end
end
local function stop_if_wrong()
    if #complaints == 0 then return end
    io.stderr:write(table.concat(complaints, "\n"), "\n")
    if os.getenv("DRAFT") ~= "1" then os.exit(1) end
    complaints = {}
end
stop_if_wrong()

local function url(chapter, anchor)
    return chapter.slug .. (anchor and "#" .. anchor or "")
end

-- read the measured numbers
local rows = {}
do
    local list = io.popen("ls '" .. root .. "'/figures/data/*.csv "
                          .. "2>/dev/null")
    for path in list:lines() do
        for _, w in ipairs(data.read(path, rows) or {}) do
            complain(path, w.line, "%s", w.text)
        end
    end
    list:close()
end

-- read the glossary
local listed = {}       -- { path, rows }: of which each row names sections
local function table_of(module, file)
    local rows = module.read(root .. "/" .. file, function (line, text)
        complain(file, line, "%s", text)
    end)
    listed[#listed + 1] = { path = file, rows = rows }
    return rows
end
local glossary = require "glossary"
local terms = table_of(glossary, "chapters/glossary.csv")

local claims, subjects = require "claims", require "subjects"
local claimed = table_of(claims, "chapters/claims.csv")
local indexed = table_of(subjects, "chapters/subjects.csv")
local asked = table_of(subjects, "chapters/questions.csv")

local blocks = {
    glossary = function () return glossary.markdown(terms) end,
    claims = function (source)
        return claims.markdown(claimed, tonumber(source))
    end,
    counts = function () return claims.summary(claimed) end,
    subjects = function () return subjects.markdown(indexed) end,
    questions = function () return subjects.questions(asked) end,
}

local function fill_blocks(lines)
    for i = #lines, 1, -1 do
        local class = lines[i]:match("^:::+ {%.(%a+) ")
        if blocks[class] then
            local at, of = i, lines[i]:match('source="(%d)"')
            for text in blocks[class](of):gmatch("[^\n]*") do
                at = at + 1
                table.insert(lines, at, text)
            end
        end
    end
end

-- anchors of chunks and definitions
local taken = {}
local function unique(anchor)
    local n, try = 1, anchor
    while taken[try] do
        n = n + 1
        try = anchor .. "--" .. n
    end
    taken[try] = true
    return try
end

local function slug_of(name)
    local s = name:lower():gsub("[^%w\128-\255]+", "-")
    return (s:gsub("^%-", ""):gsub("%-$", ""))
end

for _, chunk in ipairs(book.chunks) do
    chunk.anchor = unique("chunk-" .. slug_of(chunk.name))
    for i, part in ipairs(chunk.parts) do
        part.anchor = chunk.anchor .. (i > 1 and "." .. i or "")
    end
end

local defs, words, files = tagger.tag(book)
local by_name = {}
for i = #defs, 1, -1 do
    if defs[i].gone then table.remove(defs, i) end
end
for _, d in ipairs(defs) do
    local list = by_name[d.name] or {}
    by_name[d.name] = list
    list[#list + 1] = d
end
local printed = {}              -- token -> anchor
for _, d in ipairs(defs) do
    local stem = d.file:match("([^/]+)$"):gsub("%.", "-")
    local many = d.kind == "declaration"
    for _, other in ipairs(by_name[d.name]) do
        many = many or other ~= d and other.kind ~= "declaration"
    end
    d.anchor = printed[d.token]
        or unique("def-" .. (many and stem .. "-" or "") .. d.name)
    printed[d.token] = d.anchor
    d.url = url(d.part.chapter, d.anchor)
end

-- Markdown of a chapter, and what it cites
local function quote(text)
    local ticks = "`"
    while text:find(ticks, 1, true) do ticks = ticks .. "`" end
    local pad = text:match("^`") or text:match("`$")
    text = pad and " " .. text .. " " or text
    return ticks .. text .. ticks .. "{.ident}"
end

local function markdown_line(chapter, line, n)
    local s = {}
    for i, piece in ipairs(line) do
        if piece.quote then
            chapter.quotes[#chapter.quotes + 1] = { text = piece.quote,
                                                    line = n }
        end
        s[i] = piece.text or quote(piece.quote)
    end
    return table.concat(s)
end

for _, chapter in ipairs(chapters) do
    local out, parts = {}, {}
    chapter.items, chapter.quotes, chapter.parts = {}, {}, parts
    for _, block in ipairs(chapter.blocks) do
        if block.kind == "code" then
            parts[#parts + 1] = block
            table.insert(out, "```{.chunk n=" .. #parts .. "}\n```\n")
        else
            local lines = {}
            for i, line in ipairs(block.lines) do
                lines[i] = markdown_line(chapter, line, block.line + i - 1)
            end
            fill_blocks(lines)
            for _, item in ipairs(skim.skim(lines, block.line)) do
                table.insert(chapter.items, item)
            end
            table.insert(out, table.concat(lines, "\n") .. "\n")
        end
    end
    chapter.markdown = table.concat(out, "\n")
end

-- how long each chapter takes
for _, chapter in ipairs(chapters) do
    local words, lines = minutes.count(chapter.markdown)
    for _, part in ipairs(chapter.parts) do
        for _, line in ipairs(part.lines) do
            local piece = line[1]
            if piece and (piece.use or #line > 1
                          or piece.text:find("%S")) then
                lines = lines + 1
            end
        end
    end
    chapter.length = { words = words, lines = lines,
                       minutes = minutes.minutes(words, lines) }
end

-- number what is labelled
local labels = {}
local words_for = { figure = "Figure", table = "Table",
                    equation = "Equation", exercise = "Exercise" }

local function label(id, chapter, line, entry)
    if labels[id] then
        complain(chapter.path, line, "the label %s is also in %s:%d", id,
                 labels[id].chapter.path, labels[id].line)
    end
    entry.chapter, entry.line, entry.id = chapter, line, id
    entry.url = url(chapter, id)
    labels[id] = entry
end

for _, chapter in ipairs(chapters) do
    local count = { figure = 0, table = 0, equation = 0, exercise = 0 }
    for _, s in ipairs(chapter.sections) do
        if s.id then
            label(s.id, chapter, s.line, { kind = "section",
                number = s.number, text = s.level == 1
                and noweb.chapter_label(chapter)
                or "Section " .. s.number, title = s.title })
        end
    end
    for _, item in ipairs(chapter.items) do
        if count[item.kind] and item.id then
            count[item.kind] = count[item.kind] + 1
            item.number = chapter.number .. "." .. count[item.kind]
            label(item.id, chapter, item.line, { kind = item.kind,
                number = item.number, text = words_for[item.kind] .. " "
                .. (item.kind == "equation" and "(" .. item.number .. ")"
                    or item.number),
                file = item.file, caption = item.caption })
        end
    end
end

-- every row names sections of the book
for _, list in ipairs(listed) do
    for _, row in ipairs(list.rows) do
        for _, id in ipairs(row.sections) do
            if not labels["sec:" .. id] then
                complain(list.path, row.line, "no section %s%s", id,
                         meant("sec:" .. id, labels))
            end
        end
        for _, id in ipairs(row.exercises) do
            if not labels[id] then
                complain(list.path, row.line, "no exercise %s%s", id,
                         meant(id, labels))
            end
        end
        for _, name in ipairs(row.kernels) do
            local f = io.open(root .. "/code/course/start/" .. name
                              .. ".cu")
            if f then f:close() else
                complain(list.path, row.line, "no exercise %s in "
                         .. "code/course/start", name)
            end
        end
    end
end

local question_of = {}
for _, row in ipairs(asked) do
    for _, id in ipairs(row.exercises) do question_of[id] = row.entry end
end

-- resolve what is cited
local lexer = require "lexer"

-- the files that a chapter has a part of, and their languages
local parts_of = {}
local function language(file)
    local ending = file:match("%.(%w+)$")
    return (ending or ""):match("^[ch]u?h?$") and "c" or ending or file
end
for _, c in ipairs(chapters) do parts_of[c] = { file = {}, lang = {} } end
for _, chunk in ipairs(book.chunks) do
    for _, part in ipairs(chunk.parts) do
        local own = parts_of[part.chapter]
        for _, file in ipairs(own and chunk.files or {}) do
            own.file[file], own.lang[language(file)] = true, true
        end
    end
end

local function nearness(d, chapter)
    local own = parts_of[chapter]
    if d.part.chapter == chapter then return 4 end
    if own.file[d.file] then return 3 end
    if d.file:find("%.c?u?h$") then return 2 end
    return not d.static and #by_name[d.name] == 1
        and own.lang[language(d.file)] and 1 or 0
end

local function definition_for(name, chapter)
    local best, rank = nil, 0
    for _, d in ipairs(by_name[name] or {}) do
        local r = nearness(d, chapter)
        if d.kind == "declaration" and r > 0 then r = r - 0.5 end
        if r > rank then best, rank = d, r end
    end
    return best and best.real or best
end

local function resolve_quote(chapter, q)
    for _, t in ipairs(lexer.lex(q.text, "cuda")) do
        if t.kind == "word" then
            local d = definition_for(t.text, chapter)
            if d then
                chapter.idents[t.text] = d.url
            elseif not words[t.text] then
                complain(chapter.path, q.line, "[[%s]]: no code of the "
                    .. "book contains %s%s", q.text, t.text,
                    meant(t.text, by_name))
            end
        end
    end
end

local keys = {}
do
    local f = io.open(root .. "/" .. (config.bibliography
                                      or "chapters/references.bib"))
    for line in f and f:lines() or function () end do
        local key = line:match("^%s*@%a+%s*{%s*([^,%s]+)")
        if key then keys[key] = true end
    end
    if f then f:close() end
end

-- figures/x.svg is a drawing, or made from the plot figures/x.gp
local function figure_file(path)
    if exists(root .. "/" .. path) then return path end
    local plot = path:gsub("%.svg$", ".gp")
    if plot ~= path and exists(root .. "/" .. plot) then
        return "build/" .. path
    end
end

local resolve = {}
function resolve.ref(chapter, item)
    local l = labels[item.id]
    if l then
        chapter.refs[item.id] = { text = l.text, url = l.url,
                                  kind = l.kind, number = l.number }
    else
        complain(chapter.path, item.line, "@%s: no such label%s", item.id,
                 meant(item.id, labels))
    end
end
function resolve.cite(chapter, item)
    if keys[item.key] then
        chapter.cites[item.key] = true
    else
        complain(chapter.path, item.line, "@%s: not in the bibliography%s",
                 item.key, meant(item.key, keys))
    end
end
function resolve.number(chapter, item)
    if rows[item.name] then
        chapter.rows[item.name] = rows[item.name]
    else
        complain(chapter.path, item.line, "@num:%s: no row of that name "
            .. "in figures/data/*.csv%s", item.name,
            meant(item.name, rows))
    end
end
function resolve.calc(chapter, item)
    for _, name in ipairs(data.names(item.text)) do
        resolve.number(chapter, { name = name, line = item.line })
    end
    local ok, message = pcall(data.calc, item.text, rows)
    if not ok then
        complain(chapter.path, item.line, "[%s]{.calc}: %s", item.text,
                 message)
    end
end
function resolve.chunk(chapter, item)
    local chunk = book.chunks[item.name]
    if chunk and chunk.parts[1] then
        chapter.chunk_refs[item.name] = url(chunk.parts[1].chapter,
                                            chunk.anchor)
    else
        complain(chapter.path, item.line, "[%s]{.chunk}: no such chunk%s",
                 item.name, meant(item.name, book.chunks))
    end
end
function resolve.figure(chapter, item)
    local file = figure_file(item.file)
    if not file then
        complain(chapter.path, item.line, "no file %s, and no plot to "
                 .. "make it from", item.file)
    elseif not item.id or not item.alt then
        complain(chapter.path, item.line, "a figure needs {#fig:name "
                 .. "alt=\"what is seen\"}")
    else
        chapter.figures[item.id] = { number = item.number, file = file,
                                     alt = item.alt }
        table.insert(chapter.needs, file)
    end
end
function resolve.output(chapter, item)
    if exists(root .. "/" .. item.file) then
        table.insert(chapter.needs, item.file)
    else
        complain(chapter.path, item.line, "no file %s", item.file)
    end
end

for _, chapter in ipairs(chapters) do
    for _, k in ipairs { "refs", "cites", "rows", "chunk_refs", "figures",
                         "idents", "needs" } do chapter[k] = {} end
    for _, item in ipairs(chapter.items) do
        if resolve[item.kind] then resolve[item.kind](chapter, item) end
    end
    for _, q in ipairs(chapter.quotes) do resolve_quote(chapter, q) end
end
stop_if_wrong()

-- a chunk's part as data
local colour = { keyword = "k", type = "t", number = "n", string = "s",
                 comment = "c", pre = "p" }

local function lines_of(part)
    local lines, line = {}, {}
    local function plain(text)
        if type(line[#line]) == "string" then
            line[#line] = line[#line] .. text
        else
            line[#line + 1] = text
        end
    end
    for _, t in ipairs(part.tokens) do
        if t.kind == "use" then
            local chunk = book.chunks[t.text:sub(2, -2)]
            line[#line + 1] = { use = chunk.name,
                url = url(chunk.parts[1].chapter, chunk.anchor) }
        elseif t.def then
            local d = t.def.real or t.def
            line[#line + 1] = { text = t.text, kind = colour[t.kind],
                url = d.url, anchor = d.token == t and d.anchor or nil }
        elseif colour[t.kind] then
            local first = true
            for text in (t.text .. "\n"):gmatch("(.-)\n") do
                if not first then lines[#lines + 1], line = line, {} end
                first = false
                if text ~= "" then
                    line[#line + 1] = { text = text,
                                        kind = colour[t.kind] }
                end
            end
        elseif t.kind == "nl" then
            lines[#lines + 1], line = line, {}
        else
            plain(t.text)
        end
    end
    lines[#lines + 1] = line
    return lines
end

local function link_to(part)
    return part and { name = part.chunk.name,
                      url = url(part.chapter, part.anchor),
                      section = part.section and part.section.number }
end

local function describe(part)
    local chunk = part.chunk
    local used, seen = {}, {}
    for _, u in ipairs(chunk.uses) do
        if not seen[u.part] then used[#used + 1] = link_to(u.part) end
        seen[u.part] = true
    end
    return { name = chunk.name, anchor = part.anchor, index = part.index,
             count = #chunk.parts, language = chunk.language,
             files = chunk.files, used = used, lines = lines_of(part),
             root = noweb.is_root(chunk.name) or nil,
             source = part.chapter.path .. ":" .. part.line,
             previous = link_to(chunk.parts[part.index - 1]),
             next = link_to(chunk.parts[part.index + 1]) }
end

-- what a chapter's page needs
local function foreign_chunks(chapter)
    local found, list = {}, {}
    local function visit(part)
        for _, line in ipairs(part.lines) do
            for _, piece in ipairs(line) do
                local chunk = piece.use and book.chunks[piece.use]
                if chunk and not found[chunk] then
                    found[chunk] = true
                    local away = false
                    for _, p in ipairs(chunk.parts) do
                        away = away or p.chapter ~= chapter
                    end
                    if away then list[#list + 1] = chunk end
                    for _, p in ipairs(chunk.parts) do visit(p) end
                end
            end
        end
    end
    for _, part in ipairs(chapter.parts) do visit(part) end
    local out = {}
    for i, chunk in ipairs(list) do
        out[i] = { anchor = chunk.anchor, parts = {}, from = {} }
        for j, part in ipairs(chunk.parts) do
            out[i].parts[j] = describe(part)
            out[i].from[j] = part.chapter.slug
        end
    end
    return out
end

-- the chapters that lie around this one
local function neighbour(from, to)
    return to and from.volume == to.volume and { slug = to.slug,
        title = to.title, label = noweb.chapter_label(to) } or nil
end

local function entry_of(chapter)
    return { slug = chapter.slug, title = chapter.title, id = chapter.id,
             number = chapter.number, label = noweb.chapter_label(chapter),
             url = url(chapter, chapter.id) }
end

local function needed_by(chapter)
    local list = {}
    for _, slug in ipairs(config.needs[chapter.slug] or {}) do
        local c = by_slug[slug]
        if c then list[#list + 1] = entry_of(c) end
    end
    return list
end

local function paths_on(chapter)
    if not chapter.markdown:find("\n:::+ *{%.paths}") then return nil end
    local list = {}
    for _, path in ipairs(config.paths or {}) do
        local sum, steps = 0, {}
        for _, slug in ipairs(path.chapters) do
            local c = by_slug[slug]
            if c then
                sum = sum + c.length.minutes
                steps[#steps + 1] = entry_of(c)
                steps[#steps].minutes = minutes.in_words(c.length.minutes)
            end
        end
        list[#list + 1] = { title = path.title, about = path.about,
                            minutes = minutes.in_words(sum),
                            chapters = steps }
    end
    return list
end

local function sections_of(chapter)
    local sections = {}
    for n, s in ipairs(chapter.sections) do
        sections[n] = { id = s.id, number = s.number, level = s.level,
                        title = s.title }
    end
    return sections
end

local list_at = labels["sec:subjects-questions"]
local questions_at = list_at and list_at.chapter.slug
                                 .. "#sec:subjects-questions"

-- exercise -> the interview question that it asks
local function asked_on(chapter)
    local asked = {}
    for id, question in pairs(question_of) do
        if labels[id] and labels[id].chapter == chapter then
            asked[id] = question
        end
    end
    return asked
end

local function page_of(i, chapter)
    local numbers, parts, volume = {}, {}, config.volumes[chapter.volume]
    for id, l in pairs(labels) do
        if l.chapter == chapter then numbers[id] = l.number end
    end
    for n, part in ipairs(chapter.parts) do parts[n] = describe(part) end
    return { slug = chapter.slug, title = chapter.title,
             path = chapter.path, number = chapter.number,
             label = noweb.chapter_label(chapter),
             book_part = chapter.book_part, book = config.title,
             volume = chapter.volume > 1 and volume.title or nil,
             minutes = minutes.in_words(chapter.length.minutes),
             needs = needed_by(chapter), paths = paths_on(chapter),
             repository = config.repository, branch = config.branch,
             previous = neighbour(chapter, chapters[i - 1]),
             next = neighbour(chapter, chapters[i + 1]),
             sections = sections_of(chapter), numbers = numbers,
             asked = asked_on(chapter), questions = questions_at,
             refs = chapter.refs, rows = chapter.rows,
             chunk_refs = chapter.chunk_refs, figures = chapter.figures,
             idents = chapter.idents, parts = parts,
             foreign = foreign_chunks(chapter) }
end

-- pages that are no chapters
local function sorted(list, key)
    table.sort(list, function (a, b)
        local x, y = key(a), key(b)
        if x:lower() ~= y:lower() then return x:lower() < y:lower() end
        if x ~= y then return x < y end
        return a.url < b.url
    end)
    return list
end

local function chunk_index()
    local list = {}
    for _, chunk in ipairs(book.chunks) do
        local parts, used, seen = {}, {}, {}
        for i, p in ipairs(chunk.parts) do parts[i] = link_to(p) end
        for _, u in ipairs(chunk.uses) do
            if not seen[u.part] then used[#used + 1] = link_to(u.part) end
            seen[u.part] = true
        end
        list[#list + 1] = { name = chunk.name, url = parts[1].url,
                            parts = parts, used = used,
                            root = noweb.is_root(chunk.name) or nil }
    end
    return sorted(list, function (c) return (c.name:gsub("`", "")) end)
end

local function identifier_index()
    local list = {}
    for _, d in ipairs(defs) do
        local uses = {}
        table.sort(d.uses, function (a, b)
            if a.chapter == b.chapter then return a.line < b.line end
            return a.chapter.place < b.chapter.place
        end)
        for i, p in ipairs(d.uses) do uses[i] = link_to(p) end
        if not d.real then
            list[#list + 1] = { name = d.name, kind = d.kind,
                file = d.file, url = d.url, static = d.static or nil,
                section = d.part.section and d.part.section.number,
                uses = uses }
        end
    end
    return sorted(list, function (d) return d.name end)
end

local function lists()
    local figures, tables = {}, {}
    for _, chapter in ipairs(chapters) do
        for _, item in ipairs(chapter.items) do
            local list = item.kind == "figure" and figures
                         or item.kind == "table" and tables
            if list and item.id then
                list[#list + 1] = { number = item.number, chapter =
                    chapter.slug, url = labels[item.id].url,
                    caption = item.caption:gsub("%s+", " ") }
            end
        end
    end
    return figures, tables
end

local function whole_book()
    local whole = { parts = {}, chunks = chunk_index(),
                    identifiers = identifier_index(), cites = {},
                    volumes = config.volumes }
    for _, k in ipairs { "title", "subtitle", "about", "author", "edition",
                         "repository", "branch", "lang", "rights" } do
        whole[k] = config[k]
    end
    local cited = { "refs", "rows", "idents", "chunk_refs" }
    for _, k in ipairs(cited) do whole[k] = {} end
    for _, chapter in ipairs(chapters) do
        local part = whole.parts[#whole.parts]
        if not part or part.title ~= chapter.book_part then
            part = { title = chapter.book_part, chapters = {},
                     volume = chapter.volume, length = 0 }
            table.insert(whole.parts, part)
        end
        table.insert(part.chapters, { slug = chapter.slug,
            title = chapter.title, number = chapter.number,
            label = noweb.chapter_label(chapter), path = chapter.path,
            minutes = minutes.in_words(chapter.length.minutes),
            sections = sections_of(chapter) })
        part.length = part.length + (chapter.number == "0" and 0
                                     or chapter.length.minutes)
        part.minutes = minutes.in_words(part.length)
        for key in pairs(chapter.cites) do whole.cites[key] = true end
        for _, k in ipairs(cited) do
            for name, to in pairs(chapter[k]) do whole[k][name] = to end
        end
    end
    -- the terms for the search
    whole.terms = {}
    for i, t in ipairs(by_slug.glossary and terms or {}) do
        whole.terms[i] = { term = t.term, chinese = t.chinese,
                           url = "glossary#" .. t.anchor }
    end
    whole.cites = keys_of(whole.cites)
    whole.figures, whole.tables = lists()
    if exists(root .. "/ERRATA.yaml") then
        whole.errata = yaml.read(root .. "/ERRATA.yaml").errata or {}
        for _, e in ipairs(whole.errata) do
            local l = labels[e.section or ""]
                      or labels["sec:" .. (e.section or "")]
            e.url, e.place = l and l.url, l and l.text
            if not l then
                complain("ERRATA.yaml", 1, "section %s is no label%s",
                         tostring(e.section), meant(e.section or "",
                                                    labels))
            end
        end
    end
    return whole
end

-- write what changed
local function dump(v, indent)
    if type(v) ~= "table" then
        return type(v) == "string" and string.format("%q", v)
               or tostring(v)
    end
    local deeper, s = indent .. " ", {}
    for _, x in ipairs(v) do s[#s + 1] = dump(x, deeper) end
    for _, k in ipairs(keys_of(v)) do
        s[#s + 1] = "[" .. string.format("%q", k) .. "]="
                    .. dump(v[k], deeper)
    end
    local open = #s > 3 and "{\n" .. deeper or "{"
    return open .. table.concat(s, #s > 3 and ",\n" .. deeper or ",")
           .. "}"
end

local function write_if_changed(path, text)
    local f = io.open(path)
    local old = f and f:read("a")
    if f then f:close() end
    if old == text then return end
    f = assert(io.open(path .. ".tmp", "w"))
    assert(f:write(text))
    assert(f:close())
    assert(os.rename(path .. ".tmp", path))
end

local whole = whole_book()
stop_if_wrong()
assert(os.execute("mkdir -p '" .. out .. "'"))
for i, chapter in ipairs(chapters) do
    local stem = out .. "/" .. chapter.slug
    write_if_changed(stem .. ".md", chapter.markdown)
    write_if_changed(stem .. ".lua",
                     "return " .. dump(page_of(i, chapter), "") .. "\n")
    write_if_changed(stem .. ".d", "build/book/html/" .. chapter.slug
        .. ".html build/whole/" .. chapter.slug .. ".json: "
        .. table.concat(chapter.needs, " ") .. "\n")
end
write_if_changed(out .. "/book.lua", "return " .. dump(whole, "") .. "\n")

-- write which chapter is in which volume
local volumes, lengths = { of = {} }, {}
for i, volume in ipairs(config.volumes) do volumes[i] = volume end
for _, c in ipairs(chapters) do
    local count = { figure = 0, table = 0 }
    for _, item in ipairs(c.items) do
        count[item.kind] = (count[item.kind] or 0) + 1
    end
    volumes.of[c.slug] = { volume = c.volume, title = c.title, id = c.id }
    lengths[c.slug] = { words = c.length.words, lines = c.length.lines,
        chunks = #c.parts, figures = count.figure + count.table }
end
write_if_changed(out .. "/volumes.lua",
                 "return " .. dump(volumes, "") .. "\n")
write_if_changed(out .. "/lengths.lua",
                 "return " .. dump(lengths, "") .. "\n")
