-- Tangled from chapters/workshop/press.nw, "The proof reader".  Edit it there.

-- The proof reader: checks the chapters and what belongs to them, prints
-- one line for each problem (file:line: what is wrong; what to do).
--   lua5.4 code/weave/lint.lua [--root DIR]
-- Exit status: 0 nothing found, 1 problems found, 2 misuse.
package.path = arg[0]:gsub("[^/]*$", "") .. "?.lua;" .. package.path
local names = require "names"
local contents = require "contents"

-- lint: collect problems
local problems, notes = {}, {}

local function report(file, line, format, ...)
    problems[#problems + 1] = {
        file = file, line = line, text = format:format(...) }
end

local function note(format, ...)
    notes[#notes + 1] = format:format(...)
end

-- lint: small helpers
local root = "."

local function path(name) return root .. "/" .. name end

local function quoted(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

local function read_file(name)
    local f = io.open(name, "rb")
    if not f then return nil end
    local text = f:read("a")
    f:close()
    return text
end

local function exists(name)
    local f = io.open(name, "rb")
    if f then f:close() end
    return f ~= nil
end

local function lines_of(text)
    local lines = {}
    for line in (text:sub(-1) == "\n" and text or text .. "\n")
                :gmatch("(.-)\n") do
        lines[#lines + 1] = line
    end
    return lines
end

local function run(command)
    local pipe = assert(io.popen(command, "r"))
    local lines = lines_of(pipe:read("a"))
    pipe:close()
    if lines[#lines] == "" then lines[#lines] = nil end
    return lines
end

local function sorted_keys(t)
    local keys = {}
    for k in pairs(t) do keys[#keys + 1] = k end
    table.sort(keys)
    return keys
end

local function guess(name, known, otherwise)
    local best, best_distance = nil, #name // 3 + 1
    for other in pairs(known) do
        if other ~= name
           and math.abs(#other - #name) < best_distance then
            local d = names.distance(name, other)
            if d < best_distance or (d == best_distance and best
                                     and other < best) then
                best, best_distance = other, d
            end
        end
    end
    if best then return ("did you mean \"%s\"?"):format(best) end
    return otherwise
end

-- lint: read what noweb sees
local function find_markup()
    for _, folder in ipairs { os.getenv("NOWEB_LIB") or "",
                              "/usr/lib/noweb", "/usr/local/lib/noweb",
                              "/opt/homebrew/lib/noweb" } do
        if exists(folder .. "/markup") then return folder .. "/markup" end
    end
    io.stderr:write("lint: noweb's markup not found; run `make setup`, ",
                    "or set NOWEB_LIB to the folder that holds it\n")
    os.exit(2)
end

local function read_chapter(name, markup)
    local text = read_file(path(name)) or ""
    local chapter = {
        name = name, text = text, lines = lines_of(text),
        kind = {}, chunks = {}, slug = name:match("([^/]+)%.nw$") }
    local errors = os.tmpname()
    local pipe = io.popen(("cd %s && %s %s 2>%s"):format(quoted(root),
                          quoted(markup), quoted(name), quoted(errors)))
    -- lint: follow markup line by line
    local n, chunk, code_line, in_code = 1, nil, nil, false
    for record in pipe:lines() do
        local word, rest = record:match("^@(%w+) ?(.*)$")
        if word == "begin" then
            in_code, chunk = rest:find("^code") ~= nil, nil
        elseif word == "defn" then
            chunk = { name = rest, file = name, line = n,
                      lines = {}, uses = {} }
            chapter.chunks[#chapter.chunks + 1] = chunk
            code_line = nil
        elseif word == "text" and code_line then
            code_line.text = code_line.text .. rest
        elseif word == "use" and code_line then
            code_line.uses[#code_line.uses + 1] = rest
            code_line.text = code_line.text .. "\0"
        elseif word == "nl" or (word == "index" and rest == "nl") then
            chapter.kind[n] = in_code and (code_line and "code" or "head")
                              or "docs"
            if code_line and word == "nl" then
                code_line.line = n
                chunk.lines[#chunk.lines + 1] = code_line
            end
            n = n + 1
            if chunk then code_line = { text = "", uses = {} } end
        elseif word == "end" then
            code_line, chunk = nil, nil
        end
    end
    pipe:close()
    chapter.complaints = lines_of(read_file(errors) or "")
    os.remove(errors)
    return chapter
end

-- lint: blank everything that is not prose
local function blank(text) return (text:gsub("[^\n]", " ")) end

local function prose_of(chapter)
    local kept, fences, fence = {}, {}, nil
    for n, line in ipairs(chapter.lines) do
        local marks, rest = line:match("^%s*([`~]+)%s*(.-)%s*$")
        if chapter.kind[n] ~= "docs" then
            kept[n] = blank(line)
        elseif fence then
            if marks and rest == "" and #marks >= #fence.marks then
                fence = nil
            else
                fence.lines[#fence.lines + 1] = { line = n, text = line }
            end
            kept[n] = blank(line)
        elseif marks and #marks >= 3 and not rest:find("`") then
            fence = { line = n, marks = marks, head = rest, lines = {} }
            fences[#fences + 1] = fence
            kept[n] = blank(line)
        else
            kept[n] = line:gsub("\r$", " ")
        end
    end
    if fence then
        report(chapter.name, fence.line, "this fence is never closed; "
               .. "end it with a line of %s", fence.marks)
        fence.lines = {}
    end
    chapter.fences = fences
    return table.concat(kept, "\n") .. "\n"
end

local function closing(text, from, mark)
    local paragraph = text:find("\n%s*\n", from) or #text + 1
    while true do
        local a, b = text:find(mark, from)
        if not a or a > paragraph then return nil end
        return a, b
    end
end

local function close_backticks(text, i)
    local run = text:match("^`+", i)
    local from = i + #run
    while true do
        local a, b = closing(text, from, "`+")
        if not a then return i + #run - 1, false end
        if b - a + 1 == #run then return b, true end
        from = b + 1
    end
end

local function close_dollar(text, i)
    if text:sub(i, i + 1) == "$$" then
        local a, b = text:find("$$", i + 2, true)
        return b
    end
    if text:find("^%s", i + 1) then return nil end
    local from = i + 1
    while true do
        local a = closing(text, from, "[^%s\\]%$")
        if not a then return nil end
        if not text:find("^%d", a + 2) then return a + 1 end
        from = a + 2
    end
end

local function mask(text)
    local out, i, done = {}, 1, 1
    local function cut(a, b)
        out[#out + 1] = text:sub(done, a - 1)
        out[#out + 1] = blank(text:sub(a, b))
        done, i = b + 1, b + 1
    end
    while true do
        i = text:find("[`$%[<\\@]", i)
        if not i then break end
        local two, b = text:sub(i, i + 1), nil
        if two == "@[" or two == "@<" then
            i = i + 3
        elseif two:sub(1, 1) == "\\" then
            i = i + 2
        elseif two:sub(1, 1) == "`" then
            local e, closed = close_backticks(text, i)
            if closed then cut(i, e) else i = e + 1 end
        elseif two == "[[" then
            _, b = closing(text, i, "%]%]+")
            if b then cut(i, b) else i = i + 2 end
        elseif two:sub(1, 1) == "$" then
            b = close_dollar(text, i)
            if b then cut(i, b) else i = i + 1 end
        elseif text:sub(i, i + 3) == "<!--" then
            _, b = text:find("-->", i, true)
            cut(i, b or #text)
        else
            i = i + 1
        end
    end
    out[#out + 1] = text:sub(done)
    return table.concat(out)
end

local function line_finder(text)
    local starts = { 1 }
    for at in text:gmatch("\n()") do starts[#starts + 1] = at end
    return function(at)
        local low, high = 1, #starts
        while low < high do
            local middle = (low + high + 1) // 2
            if starts[middle] <= at then low = middle
            else high = middle - 1 end
        end
        return low
    end
end

-- lint: read attributes
local function read_attributes(text, i)          -- text[i] is "{"
    local a = { id = nil, classes = {}, keys = {} }
    i = i + 1
    while true do
        i = text:match("^%s*()", i)
        if text:sub(i, i) == "}" then return a, i end
        local id, after = text:match("^#([^%s}]+)()", i)
        local class, after2 = text:match("^%.([^%s}]+)()", i)
        local key, q = text:match("^([%w_-]+)=()", i)
        if id then a.id, i = id, after
        elseif class then a.classes[class], i = true, after2
        elseif text:sub(i, i) == "-" then i = i + 1
        elseif key then
            local value, e = text:match('^"([^"]*)"()', q)
            if not value then value, e = text:match("^([^%s}]*)()", q) end
            a.keys[key], i = value, e
        else
            return nil                       -- not attributes after all
        end
    end
end

local function find_attributes(chapter)
    local found, i = {}, 1
    while true do
        i = chapter.masked:find("{[%s#.%a-]", i)
        if not i then break end
        local a, last = read_attributes(chapter.prose, i)
        if a and (a.id or next(a.classes) or next(a.keys)) then
            a.at, a.last, a.line = i, last, chapter.line_at(i)
            a.before = chapter.masked:sub(1, i - 1):match("(%S?)%s*$", -1)
            found[#found + 1] = a
            i = last
        end
        i = i + 1
    end
    chapter.attributes = found
end

-- The span [text]{...} whose closing bracket stands at `last`.
local function span_start(text, last)
    local depth = 0
    for i = last, 1, -1 do
        local c = text:byte(i)
        if c == 93 then depth = depth + 1
        elseif c == 91 then
            depth = depth - 1
            if depth == 0 then return i end
        end
    end
end

-- lint: rules for the lines of a chapter
local function check_lines(chapter, is_make)
    for n, line in ipairs(chapter.lines) do
        local name = chapter.name
        if line:find("\r") then
            report(name, n, "carriage return at the end of the line; "
                   .. "save the file with Unix line ends")
            line = line:gsub("\r$", "")
        end
        local ok, bad = utf8.len(line)
        if not ok then
            report(name, n, "byte %d of the line is not UTF-8; "
                   .. "save the file as UTF-8", bad)
        end
        if line:find("[ \t]$") then
            report(name, n, "white space at the end of the line; "
                   .. "remove it (a forced line break is a backslash)")
        end
        if line:find("\t") and not is_make[n] then
            report(name, n, "tab; use blanks (tabs are for make chunks)")
        end
    end
end

local function make_lines(book)
    local is_make, queue = {}, {}
    for name in pairs(book.defined) do
        if name:find("^code/.*[Mm]akefile$") or name:find("%.mk$") then
            queue[#queue + 1] = name
        end
    end
    local seen = {}
    while #queue > 0 do
        local name = table.remove(queue)
        for _, chunk in ipairs(seen[name] and {} or book.defined[name]
                               or {}) do
            is_make[chunk.file] = is_make[chunk.file] or {}
            for _, line in ipairs(chunk.lines) do
                is_make[chunk.file][line.line] = true
                table.move(line.uses, 1, #line.uses, #queue + 1, queue)
            end
        end
        seen[name] = true
    end
    return is_make
end

-- lint: rules for chunks
local function check_markup(chapter)
    for _, complaint in ipairs(chapter.complaints) do
        local line, text = complaint:match("^[^:]+:(%d+): (.*)$")
        line = tonumber(line)
        if line and text:find("unescaped <<", 1, true) then
            if (chapter.lines[line] or ""):find("^%s+<<.*>>=%s*$") then
                text = "the head of a chunk is indented; "
                       .. "start it in the first column"
            else
                text = "<< in prose; write @<< (in backticks and fences "
                       .. "too)"
            end
        elseif line and text:find("[[", 1, true) then
            text = "[[ opens quoted code that is never closed; "
                   .. "close it with ]], or write @[[ for two brackets"
        end
        if text then report(chapter.name, line, "%s", text) end
    end
end

local function gather_chunks(chapters)
    local book = { defined = {}, used = {} }
    for _, chapter in ipairs(chapters) do
        for _, chunk in ipairs(chapter.chunks) do
            local parts = book.defined[chunk.name] or {}
            book.defined[chunk.name] = parts
            parts[#parts + 1] = chunk
            for _, line in ipairs(chunk.lines) do
                for _, name in ipairs(line.uses) do
                    local uses = book.used[name] or {}
                    book.used[name] = uses
                    uses[#uses + 1] = { file = chunk.file,
                        line = line.line, text = line.text, by = chunk }
                end
            end
        end
    end
    return book
end

local function check_use(book, name, use)
    local alone = use.text:find("^%s*%z%s*$")
    if name:sub(1, 1) == "<" then
        report(use.file, use.line, "this looks like a kernel launch, but "
               .. "noweb reads a chunk called \"%s\"; "
               .. "write kernel@<<<grid, block>>>(...)", name)
    elseif not book.defined[name] and not alone then
        report(use.file, use.line, "noweb reads a chunk called \"%s\" "
               .. "here; write @<< if this is a shift or a text, and "
               .. "put a real use on a line of its own", name)
    elseif not book.defined[name] then
        report(use.file, use.line, "chunk \"%s\" is used but never "
               .. "defined; %s", name,
               guess(name, book.defined, "define it or remove the use"))
    elseif not alone then
        report(use.file, use.line, "the use of \"%s\" shares its line; "
               .. "give it a line of its own", name)
    end
end

local function check_definition(book, name, parts)
    local first = parts[1]
    if name:sub(1, 1) == "<" then
        report(first.file, first.line, "a chunk name begins with \"<\"; "
               .. "rename it (noweb cannot tell it from a launch)")
    end
    if not name:find("^code/") and not book.used[name] then
        local missing = {}
        for used in pairs(book.used) do
            missing[used] = not book.defined[used] or nil
        end
        for _, chunk in ipairs(parts) do
            report(chunk.file, chunk.line, "chunk \"%s\" is used nowhere, "
                   .. "so its lines are in no file; %s", name,
                   guess(name, missing, guess(name, book.defined,
                         "use it, or delete it")))
        end
    end
    -- lint: check where the other parts of a chunk stand
    for i = 2, #parts do
        local chunk = parts[i]
        local open = name:find("`", 1, true) or name:find("[[", 1, true)
        if name:find("^code/") then
            report(chunk.file, chunk.line, "file %s is defined a second time, "
                   .. "first in %s:%d; add to a chunk that it uses",
                   name, first.file, first.line)
        elseif chunk.file ~= first.file and not open then
            report(chunk.file, chunk.line, "chunk \"%s\" is also defined in "
                   .. "%s:%d, and the two would be joined; rename one",
                   name, first.file, first.line)
        end
    end
end

local function check_circles(book)
    local state = {}
    local function visit(name, use)
        if state[name] == "done" then return end
        if state[name] == "open" then
            report(use.file, use.line, "chunk \"%s\" uses itself; "
                   .. "break the circle", name)
            return
        end
        state[name] = "open"
        for _, chunk in ipairs(book.defined[name] or {}) do
            for _, line in ipairs(chunk.lines) do
                for _, used in ipairs(line.uses) do
                    visit(used, { file = chunk.file, line = line.line })
                end
            end
        end
        state[name] = "done"
    end
    for _, name in ipairs(sorted_keys(book.defined)) do visit(name) end
end

local function set_of(text)
    local set = {}
    for word in text:gmatch("%S+") do set[word] = true end
    return set
end

local LIBRARY = set_of("base backend ops data io gpt2")
local FOR_PROGRAMS = set_of("code/base/fail.h code/base/fail.c "
    .. "code/base/args.c code/base/alloc.h code/base/alloc.c "
    .. "code/base/stop.c code/backend/cuda.h")
local ENDS = set_of("fail misuse exit _Exit quick_exit abort xcalloc "
                    .. "xrealloc CUDA_OK")

local function check_library(book)
    local seen = {}
    local function visit(name)
        if seen[name] then return end
        seen[name] = true
        for _, chunk in ipairs(book.defined[name] or {}) do
            for _, line in ipairs(chunk.lines) do
                -- lint: check that the line ends no program
                for word in line.text:gmatch("%f[%w_]([%w_]+)%s*%(") do
                    if ENDS[word] then
                        report(chunk.file, line.line, "%s() ends the program, and this is "
                               .. "library; return false with an Error", word)
                    end
                end
                for _, used in ipairs(line.uses) do visit(used) end
            end
        end
    end
    for _, name in ipairs(sorted_keys(book.defined)) do
        if LIBRARY[name:match("^code/(%w+)/")] and not FOR_PROGRAMS[name]
        then visit(name) end
    end
end

local COLUMNS, CAP, OUTPUT_COLUMNS = 76, 35, 100

local function width(text) return utf8.len(text) or #text end

local function check_sizes(chapter, sizes)
    local capped = not tostring(chapter.number):find("^%a")
    for _, chunk in ipairs(chapter.chunks) do
        local count = #chunk.lines
        if capped then sizes[#sizes + 1] = count end
        if capped and count > CAP then
            report(chunk.file, chunk.line, "chunk \"%s\" has %d lines; "
                   .. "split it, the cap is %d", chunk.name, count, CAP)
        end
        for _, line in ipairs(chunk.lines) do
            local shown, i = line.text, 0
            shown = shown:gsub("%z", function()
                i = i + 1
                return "<<" .. line.uses[i] .. ">>"
            end)
            -- lint: check one line of code
            if width(shown) > COLUMNS then
                report(chunk.file, line.line, "line of code is %d columns wide; "
                       .. "break it, the limit is %d", width(shown), COLUMNS)
            end
            if shown:find("^##* .*{#sec:") then
                report(chunk.file, line.line, "a heading inside chunk \"%s\"; "
                       .. "end the chunk with a line that holds only @", chunk.name)
            end
        end
    end
end

-- lint: rules for references
local function gather_ids(chapters)
    local ids = {}
    for _, chapter in ipairs(chapters) do
        for _, a in ipairs(chapter.attributes) do
            if a.id and ids[a.id] then
                report(chapter.name, a.line, "id \"%s\" is defined "
                       .. "already in %s:%d; ids are unique over the "
                       .. "book", a.id, ids[a.id].file, ids[a.id].line)
            elseif a.id then
                ids[a.id] = { file = chapter.name, line = a.line }
            end
        end
    end
    return ids
end

local function check_headings(chapter)
    local n = 0
    for line in chapter.masked:gmatch("(.-)\n") do
        n = n + 1
        local marks = line:match("^(#+)%s+%S")
        if marks and not line:find("{[^}]*#sec:[%w-]+[^}]*}%s*$") then
            report(chapter.name, n, "heading without an id; "
                   .. "end it with {#sec:%s-word}",
                   chapter.slug)
        end
    end
end

local COUNTED = { sec = true, fig = true, tbl = true, eq = true,
                  ex = true }

local function read_bibliography()
    local keys, open = {}, 0
    local file = "chapters/references.bib"
    for n, line in ipairs(lines_of(read_file(path(file)) or "")) do
        local key = line:match("^%s*@%a+%s*{%s*([^,%s]+)")
        -- lint: an entry begins after the one before has ended
        if key and open ~= 0 then
            report(file, n, "source \"%s\" begins inside the entry before it; "
                   .. "close that one with }", key)
            open = 0
        end
        local plain = line:gsub("\\[{}]", "")
        open = open + select(2, plain:gsub("{", ""))
                    - select(2, plain:gsub("}", ""))
        if key and keys[key] then
            report(file, n, "source \"%s\" is listed already in line %d; "
                   .. "remove one", key, keys[key])
        end
        if key then keys[key] = n end
    end
    if open ~= 0 then
        report(file, 1, "%d braces are not closed at the end", open)
    end
    return keys
end

local function check_references(chapter, ids, sources, numbers)
    for before, at, key in (" " .. chapter.masked):gmatch(
                           "([^%w@\\/.])@()([%a_][%w_:./+-]*)") do
        local line = chapter.line_at(at - 1)
        key = key:gsub("[.:/+-]+$", "")
        local kind, name = key:match("^(%a+):(.*)$")
        if kind == "num" then
            -- lint: check a named number
            if not numbers[name] then
                report(chapter.name, line, "number \"%s\" is in no "
                       .. "figures/data/*.csv; %s", name,
                       guess(name, numbers, "measure it and add its row"))
            end
        elseif COUNTED[kind] then
            if not ids[key] then
                report(chapter.name, line, "@%s points at nothing; %s",
                       key, guess(key, ids, "define {#" .. key .. "}"))
            end
        elseif not sources[key] then
            report(chapter.name, line, "source @%s is not in "
                   .. "chapters/references.bib; %s", key,
                   guess(key, sources, "add it"))
        end
    end
    -- lint: check links inside the book
    for at, id in chapter.masked:gmatch("%]%(()#([^)%s]+)%)") do
        if not ids[id] then
            report(chapter.name, chapter.line_at(at), "link to #%s points at "
                   .. "nothing; %s", id, guess(id, ids, "repair it"))
        end
    end
end

local function check_chunk_names(chapter, book)
    for _, a in ipairs(chapter.attributes) do
        if a.classes.chunk and chapter.masked:byte(a.at - 1) == 93 then
            local open = span_start(chapter.masked, a.at - 1)
            local name = open and chapter.prose:sub(open + 1, a.at - 2)
                                  :gsub("%s+", " ")
            if not book.defined[name] then
                report(chapter.name, a.line, "no chunk is called \"%s\"; "
                       .. "%s", name, guess(name or "", book.defined,
                       "correct the name"))
            end
        end
    end
end

local function check_quoted_code(chapter, words)
    local n = 0
    for line in chapter.prose:gmatch("(.-)\n") do
        n = n + 1
        for before, quote in (" " .. line):gsub("`+.-`+", "")
                             :gmatch("([^@%[])%[%[(.-%]*)%]%]") do
            for word in quote:gsub("\"[^\"]*\"", "")
                             :gmatch("[%a_][%w_]*") do
                if not words[word] then
                    report(chapter.name, n, "[[%s]] quotes \"%s\", which "
                           .. "no chunk contains; correct it, or use "
                           .. "backticks for what is not our code",
                           quote, word)
                end
            end
        end
    end
end

local function gather_words(chapters)
    local words = {}
    for _, chapter in ipairs(chapters) do
        for _, chunk in ipairs(chapter.chunks) do
            for _, line in ipairs(chunk.lines) do
                for w in line.text:gmatch("[%a_][%w_]*") do
                    words[w] = true
                end
            end
        end
    end
    return words
end

local function check_paths(chapter, book)
    for at, name in chapter.prose:gmatch("`()(code/[%w_./-]*)`") do
        local folder = name:gsub("/$", "")
        local known = book.defined[name] or exists(path(name))
        for root_name in pairs(known and {} or book.defined) do
            known = known or root_name:sub(1, #folder + 1)
                             == folder .. "/"
        end
        if not known then
            report(chapter.name, chapter.line_at(at), "there is no %s; %s",
                   name, guess(name, book.defined, "correct the path"))
        end
    end
end

-- lint: rules for figures and exercises
local function check_image(chapter, i)
    local depth, j = 0, i + 1
    repeat                                  -- the caption may hold brackets
        local c = chapter.masked:sub(j, j)
        depth = depth + (c == "[" and 1 or c == "]" and -1 or 0)
        j = j + 1
    until depth == 0 or c == ""
    local line = chapter.line_at(i)
    local file, after = chapter.prose:match("^%(%s*([^)%s]+)[^)]*%)()", j)
    if not file then return end
    local a = chapter.prose:sub(after, after) == "{"
              and read_attributes(chapter.prose, after) or { keys = {} }
    if not (a.keys.alt or ""):find("%S") then
        report(chapter.name, line, "figure %s has no alternative text; "
               .. "say what is seen: {#fig:... alt=\"...\"}", file)
    end
    if not (a.id or ""):find("^fig:") then
        report(chapter.name, line, "figure %s has no id; "
               .. "give it {#fig:word alt=\"...\"}", file)
    end
    local plot = file:gsub("%.svg$", ".gp")
    if not exists(path(file)) and not exists(path(plot)) then
        report(chapter.name, line, "there is no %s and no %s to plot it; "
               .. "draw it, or correct the name", file, plot)
    end
end

local function check_figures(chapter)
    local i = 1
    while true do
        i = chapter.masked:find("![", i, true)
        if not i then break end
        check_image(chapter, i)
        i = i + 2
    end
    for _, fence in ipairs(chapter.fences) do
        -- lint: check a fence
        local file = fence.head:match("{.*file=\"([^\"]+)\"")
        if file and not exists(path(file)) then
            report(chapter.name, fence.line, "there is no %s to show; "
                   .. "correct the name, or make the file", file)
        elseif file then
            for n, text in ipairs(lines_of(read_file(path(file)))) do
                if width(text) > OUTPUT_COLUMNS then
                    report(file, n, "output shown in the book is %d columns "
                           .. "wide; the limit is %d", width(text), OUTPUT_COLUMNS)
                end
            end
        end
        for _, l in ipairs(fence.lines) do
            if width(l.text) > COLUMNS then
                report(chapter.name, l.line, "line is %d columns wide; "
                       .. "break it, the limit is %d", width(l.text), COLUMNS)
            end
        end
    end
end

local function check_exercises(chapter, ids)
    local answered = {}
    for _, a in ipairs(chapter.attributes) do
        if a.classes.answer then
            local of = a.keys.of or ""
            answered[of] = true
            if not ids[of] then
                report(chapter.name, a.line, "this answers no exercise; "
                       .. "give it of=\"ex:...\", the id of one")
            end
        end
    end
    for _, a in ipairs(chapter.attributes) do
        if a.classes.exercise and not (a.id or ""):find("^ex:") then
            report(chapter.name, a.line, "exercise without an id; "
                   .. "write {.exercise #ex:slug-word}")
        elseif a.classes.exercise and not a.classes.quiz
               and not answered[a.id] then
            report(chapter.name, a.line, "exercise %s has no answer; "
                   .. "follow it by ::: {.answer of=\"%s\"}", a.id, a.id)
        end
    end
end

-- lint: rules for numbers
local MEASURED = {
    "^ns%f[^%w]", "^us%f[^%w]", "^µs", "^μs", "^ms%f[^%w]",
    "^s%f[^%w'’]", "^secs?%f[^%w]", "^seconds?%f[^%w]", "^min%f[^%w]",
    "^minutes?%f[^%w]", "^hours?%f[^%w]", "^%a+/s%f[^%w]", "^%a*FLOPS",
    "^[%a%%x]*%s?times%s+faster", "^times%s+slower", "^times%s+quicker",
    "^times%s+as%s+fast", "^[x%%]%s+faster", "^[x%%]%s+slower",
    "^×%s+faster", "^×%s+slower",
}

local function check_measured(chapter)
    local text = chapter.unlabelled
    for at, number, after in text:gmatch("%f[%w]()(%d[%d.,]*)()") do
        local rest = text:sub(after, after + 30)
        local spaces = rest:match("^\u{a0}") or rest:match("^\\ ")
                       or rest:match("^[%s~-]*")
        rest = rest:sub(#spaces + 1)
        for _, pattern in ipairs(MEASURED) do
            if rest:find(pattern) and not (spaces == "" and
               rest:find("^s%f[%A]")) then
                report(chapter.name, chapter.line_at(at), "\"%s %s\" looks "
                       .. "measured; name it (@num:...), or mark it "
                       .. "[...]{.predicted} or [...]{.given}",
                       number, rest:match(pattern))
                break
            end
        end
    end
end

local LABELS = { "num", "predicted", "given", "calc", "chunk" }

local function without_labels(chapter)
    local text = chapter.masked
    local function cut(a, b)
        text = text:sub(1, a - 1) .. blank(text:sub(a, b))
               .. text:sub(b + 1)
    end
    for _, a in ipairs(chapter.attributes) do
        local open = text:byte(a.at - 1) == 93
                     and span_start(text, a.at - 1)
        for _, label in ipairs(LABELS) do
            if open and a.classes[label] then cut(open, a.at - 1) end
        end
        cut(a.at, a.last)
    end
    return (text:gsub("@[%a_][%w_:.-]*", blank)
                :gsub("%]%([^)\n]*%)", blank)
                :gsub("<https?:[^>\n]*>", blank)
                :gsub("https?://[^%s)]*", blank))
end

local function split_csv(line)
    local fields, i = {}, 1
    while true do
        if line:sub(i, i) == '"' then
            local text, after = "", i + 1
            repeat
                local piece, e = line:match('^([^"]*)"()', after)
                if not piece then return nil end
                text, after = text .. piece, e
                local again = line:sub(after, after) == '"'
                if again then text, after = text .. '"', after + 1 end
            until not again
            fields[#fields + 1], i = text, after
        else
            fields[#fields + 1], i = line:match("^([^,]*)()", i)
        end
        if i > #line then return fields end
        if line:sub(i, i) ~= "," then return nil end
        i = i + 1
    end
end

local UNITS = {}
for u in ("s B bit FLOP Hz W J FLOPS op"):gmatch("%S+") do
    for _, prefix in ipairs { "", "k", "M", "G", "T", "P", "m", "u", "µ",
                              "n", "p", "Ki", "Mi", "Gi", "Ti" } do
        UNITS[prefix .. u] = true
    end
end
for u in ("min h % x 1 tok tokens token words lines chunks rows cycles "
          .. "cycle cores threads steps step nats nat ulp parameters "
          .. "characters sequences instructions elements bytes bits "
          .. "ktok Mtok files functions pages tests batches layers "
          .. "vectors merges operations loads stores documents"
          ):gmatch("%S+") do
    UNITS[u] = true
end

local function known_unit(unit)
    local a, b = unit:match("^(.-)/(.+)$")
    if a then return known_unit(a) and known_unit(b) end
    return unit == "" or UNITS[unit] or false
end

local HEADER = "name,value,unit,machine,command,commit,date"

local function check_row(file, n, line, numbers)
    local f = split_csv(line)
    if not f or #f ~= 7 then
        report(file, n, "%s fields, not 7; quote a field that holds a "
               .. "comma", f and #f or "badly quoted")
        return
    end
    local name, value, unit, machine = f[1], f[2], f[3], f[4]
    if not name:find("^%w[%w.-]*$") then
        report(file, n, "name \"%s\"; use letters, digits, dots and "
               .. "dashes", name)
    elseif numbers[name] then
        report(file, n, "number \"%s\" is given already in %s:%d; rename "
               .. "or remove one", name, numbers[name].file,
               numbers[name].line)
    else
        numbers[name] = { file = file, line = n }
    end
    -- lint: check the other six fields
    local x = tonumber(value)
    if not x or x ~= x or x == math.huge or x == -math.huge then
        report(file, n, "value \"%s\" of \"%s\" is not a number", value, name)
    end
    if not known_unit(unit) then
        report(file, n, "unit \"%s\" of \"%s\" is unknown; %s", unit, name,
               guess(unit .. " ", UNITS, "SI units, or add it to lint"))
    end
    if machine == "" or f[5] == "" then
        report(file, n, "row \"%s\" lacks its %s; say where it comes from",
               name, machine == "" and "machine (or none)" or "command")
    end
    local commit = f[6]:gsub("^trial on ", "")
    if machine ~= "none" and not commit:find("^%x%x%x%x%x%x%x+$") then
        report(file, n, "measured row \"%s\" has no commit; give the one it "
               .. "was measured at, or \"trial on\" the one that was changed",
               name)
    end
    if not f[7]:find("^%d%d%d%d%-%d%d%-%d%d$") then
        report(file, n, "date \"%s\" of \"%s\"; write YYYY-MM-DD", f[7], name)
    end
end

local function check_table(file, lines)
    local header, seen = nil, {}
    for n, line in ipairs(lines) do
        local key = line:match("^#%s*(%a+):%s*%S")
        if key then seen[key] = true end
        if not line:find("^#") and line:find("%S") then
            local f = split_csv(line)
            header = header or f
            if not f or #f ~= #header then
                report(file, n, "%s fields where the header has %d",
                       f and #f or "badly quoted", #header)
            end
        end
    end
    for _, key in ipairs { "machine", "command", "commit", "date" } do
        if not seen[key] then
            report(file, 1, "data for a plot without \"# %s: ...\" at the "
                   .. "head of the file; say where it comes from", key)
        end
    end
end

local function read_numbers()
    local numbers = {}
    for _, file in ipairs(run("cd " .. quoted(root)
            .. " && ls figures/data/*.csv 2>/dev/null")) do
        local lines = lines_of(read_file(path(file)))
        if (lines[1] or ""):find("^name,value") then
            if lines[1] ~= HEADER then
                report(file, 1, "header is not %s", HEADER)
            end
            for n = 2, #lines do
                check_row(file, n, lines[n], numbers)
            end
        else
            check_table(file, lines)
        end
    end
    return numbers
end

local function check_calculations(chapter, numbers)
    for _, a in ipairs(chapter.attributes) do
        if a.classes.calc and chapter.masked:byte(a.at - 1) == 93 then
            local open = span_start(chapter.masked, a.at - 1)
            for name in chapter.prose:sub((open or a.at) + 1, a.at - 2)
                               :gmatch("%f[%w.]%a[%w.-]*%.[%w.-]+") do
                if not numbers[name] then
                    report(chapter.name, a.line, "number \"%s\" is in no "
                           .. "figures/data/*.csv; %s", name,
                           guess(name, numbers, "measure it"))
                end
            end
        end
    end
end

-- lint: rules for words
local function is_plain_word(word)
    return utf8.len(word) ~= 1
           and not word:find("[%d_]")
           and not word:find("%u%u")
           and not word:find("%l%u")
           and not word:find("[\xc9-\xff]")
end

local function gather_prose_words(chapters)
    local places = {}
    for _, chapter in ipairs(chapters) do
        local function add(text, offset)
            text = text:gsub("’", "'  ")
            for at, word in text:gmatch("()([%a\x80-\xff_%d']+)") do
                word = word:gsub("^'+", ""):gsub("'+$", "")
                           :gsub("'s$", "")
                local before = chapter.prose:sub(at + offset - 1,
                                                 at + offset - 1)
                if is_plain_word(word) and not before:find("[`$]") then
                    local list = places[word] or {}
                    places[word] = list
                    list[#list + 1] = { file = chapter.name,
                        line = chapter.line_at(at + offset) }
                end
            end
        end
        -- lint: add the prose and the alternative texts
        local function plain(text)
            return (text:gsub("\xe2\x80[\x90-\x98\x9a-\xbf]", "   ")
                        :gsub("\xe2[\x82-\xbf][\x80-\xbf]", "   ")
                        :gsub("\xc2[\x80-\xbf]", "  "):gsub("\xc3\x97", "  ")
                        :gsub("&%a+;", blank):gsub("</?%a[^>\n]*>", blank))
        end
        add(plain(chapter.unlabelled), 0)
        for _, a in ipairs(chapter.attributes) do
            if a.keys.alt then
                local plain_alt = mask(a.keys.alt .. "\n")
                add(plain(plain_alt):gsub("\n", " "), a.at)
            end
        end
    end
    return places
end

local function read_word_list()
    local known = {}
    for _, file in ipairs { "chapters/words.txt",
                            "code/weave/words.txt" } do
        local before = ""
        for n, word in ipairs(lines_of(read_file(path(file)) or "")) do
            if word ~= "" and word <= before then
                report(file, n, "\"%s\" after \"%s\"; keep the list sorted "
                       .. "(LC_ALL=C sort -u)", word, before)
            end
            known[word], before = true, word
        end
    end
    return function(word)
        return known[word] or known[word:gsub("s$", "")]
               or known[word:lower()]
               or known[word:lower():gsub("s$", "")]
    end
end

local function misspelt(words)
    local list = os.tmpname()
    local f = assert(io.open(list, "w"))
    f:write(table.concat(words, "\n"), "\n", "qqzx\n")
    f:close()
    local found = run("hunspell -i UTF-8 -d en_GB,en_US -l "
                      .. quoted(list) .. " 2>/dev/null")
    os.remove(list)
    if #found == 0 then return nil end      -- not even qqzx: it did not run
    return found
end

local function check_spelling(chapters)
    local places, is_known = gather_prose_words(chapters),
                             read_word_list()
    local words = {}
    for _, word in ipairs(sorted_keys(places)) do
        if not is_known(word) then words[#words + 1] = word end
    end
    local found = misspelt(words)
    if not found then
        note("spelling: skipped, hunspell or its dictionaries en_GB and "
             .. "en_US are missing; `make setup` installs them")
        return
    end
    for _, word in ipairs(found) do
        local all = places[word] or {}
        if all[1] then
            report(all[1].file, all[1].line, "\"%s\" is in no "
                   .. "dictionary%s; correct it, or add it to "
                   .. "chapters/words.txt", word,
                   #all > 1 and (" (%d times)"):format(#all) or "")
        end
    end
end

local PHRASES = {
    ["[Ii]n this chapter,? we will"] = "say it instead of announcing it",
    ["[Ii]t is worth noting"] = "note it",
    ["[Ii]t should be noted"] = "note it",
    ["[Ll]et us dive"] = "begin", ["[Dd]eep dive"] = "say what it is",
    ["%f[%a][Ss]eamless"] = "say what happens",
    ["%f[%a][Bb]lazing"] = "give the number",
    ["%f[%a][Pp]owerful"] = "say what it can do",
}

local function check_phrases(chapter)
    local text = chapter.unlabelled:gsub("\n", " ")
    for pattern, advice in pairs(PHRASES) do
        for at, found in text:gmatch("()(" .. pattern .. ")") do
            report(chapter.name, chapter.line_at(at),
                   "\"%s\"; %s", found, advice)
        end
    end
end

local OLD_NAMES = {
    ["%f[%w_]machine_%l"] = "backend_", ["%f[%w_]product_%l"] = "matmul_",
    ["%f[%w_]floats_%l"] = "fp32_", ["%f[%w_]marks_%l"] = "profile_",
    ["%f[%w_]pages_%l"] = "hugepages_, or prefetch_",
    ["%f[%w_]mixed_%l"] = "bf16_",
    ["%f[%w_]%l+16_[fb]wd"] = "NAME_bf16_fwd, NAME_bf16_bwd",
}

local function check_names(chapter)
    for _, chunk in ipairs(chapter.chunks) do
        for i, line in ipairs(chunk.lines) do
            for pattern, better in pairs(OLD_NAMES) do
                local old = line.text:match(pattern)
                if old then
                    report(chunk.file, chunk.line + i, "\"%s\" is an old "
                           .. "name; the word is %s", old, better)
                end
            end
        end
    end
end

-- lint: rules for the files beside the chapters
local ERRATUM = { "id", "section", "was", "is", "found", "guard", "date" }

local function check_errata(ids)
    local file = "ERRATA.yaml"
    local text = read_file(path(file))
    if not text then return end
    local record, folded, seen = nil, false, {}
    local function finish()
        for _, key in ipairs(record and ERRATUM or {}) do
            if not record[key] then
                report(file, record.line, "this erratum has no \"%s\"",
                       key)
            end
        end
    end
    if not ("\n" .. text):find("\nerrata:") then
        report(file, 1, "no line \"errata:\"; the errata stand below it")
    end
    for n, line in ipairs(lines_of(text)) do
        -- lint: check one line of the errata
        local dash, key, value = line:match("^  ([ -]) ([%a-]+):%s*(.-)%s*$")
        if line:find("^%s*#") or not line:find("%S") or line:find("^errata:")
           or folded and line:find("^     ") then
            goto continue
        end
        folded = value == ">"
        if dash == "-" then
            finish()
            record = { line = n }
        end
        if key and record then
            local known = false
            for _, k in ipairs(ERRATUM) do known = known or k == key end
            if not known then
                report(file, n, "key \"%s\"; an erratum has %s", key,
                       table.concat(ERRATUM, ", "))
            elseif record[key] then
                report(file, n, "key \"%s\" twice in one erratum", key)
            end
            record[key] = value ~= "" and value or nil
            value = value:gsub("^[\"'](.*)[\"']$", "%1")
            if key == "id" and seen[value] then
                report(file, n, "erratum %s is listed already in line %d", value,
                       seen[value])
            end
            if key == "id" then seen[value] = n end
            if key == "section" and not ids["sec:" .. value:gsub("^sec:", "")] then
                report(file, n, "section \"%s\" is no id of the book; %s", value,
                       guess(value, ids, "use one, such as sec:press"))
            end
        else
            report(file, n, "not of the form \"  - id: E1\" or \"    key: "
                   .. "value\"; a value of several lines begins with >")
        end
        ::continue::
    end
    finish()
end

local function project_files()
    local go = "cd " .. quoted(root) .. " && "
    local list = run(go .. "git ls-files 2>/dev/null")
    if #list == 0 then
        list = run(go .. "find * -type f -not -path 'build/*' "
                   .. "-not -path 'node_modules/*'")
    end
    local files = {}
    for _, name in ipairs(list) do
        if not name:find("^tests/data/lint/") and exists(path(name)) then
            files[#files + 1] = name
        end
    end
    return files
end

-- What a command prints that is called in the root with these files.
local function run_on(command, files)
    local list = os.tmpname()
    local f = assert(io.open(list, "w"))
    f:write(table.concat(files, "\0"), "\0")
    f:close()
    local found = run("cd " .. quoted(root) .. " && xargs -0 " .. command
                      .. " 2>/dev/null < " .. quoted(list))
    os.remove(list)
    return found
end

local function check_machine_paths(files)
    local pattern = "(^|[^[:alnum:]_./~-])/(home|root|Users|work)/"
                    .. "[[:alnum:]_.]"
    local grep = "grep -nIE " .. quoted(pattern) .. " /dev/null"
    for _, hit in ipairs(run_on(grep, files)) do
        local file, n, text = hit:match("^(.-):(%d+):(.*)$")
        report(file, tonumber(n), "path of one machine: "
               .. "%s; write it relative to the root of the project",
               text:match("/[hrUw]%a+/[%w_./-]*"))
    end
end

local function shell_scripts(files)
    local scripts = {}
    for _, name in ipairs(files) do
        local first = (read_file(path(name)) or ""):match("^[^\n]*")
        if first:find("^#!.*sh%s*$") or name:find("%.sh$") then
            scripts[#scripts + 1] = name
        end
    end
    return scripts
end

local function check_shell(files)
    if not run("shellcheck --version 2>/dev/null")[1] then
        note("shell: skipped, shellcheck is missing; `make setup` "
             .. "installs it")
        return
    end
    for _, hit in ipairs(run_on("-P 2 -n 4 shellcheck -x -f gcc",
                                shell_scripts(files))) do
        local file, n, text, rule = hit:match(
            "^(.-):(%d+):%d+: %a+: (.*) %[(SC%d+)%]$")
        report(file or hit, tonumber(n or 0), "%s (%s); change it, or say "
               .. "why not beside `# shellcheck disable=%s`",
               text or "what shellcheck says", rule, rule)
    end
end

local function line_of(word, file)
    for n, line in ipairs(lines_of(read_file(path(file)) or "")) do
        if line:find(word, 1, true) then return n end
    end
    return 1
end

local function check_contents(chapters, listed)
    local by_path = {}
    for _, c in ipairs(listed) do
        by_path[c.path] = c
        if not exists(path(c.path)) then
            report("book.yaml", line_of(c.slug, "book.yaml"), "there is "
                   .. "no %s; write it, or take it off the list", c.path)
        end
    end
    for _, chapter in ipairs(chapters) do
        if not by_path[chapter.name] then
            report(chapter.name, 1, "this chapter is not in book.yaml; "
                   .. "add it to a part")
        end
    end
end

local function check_needs(config)
    local place, slugs = {}, {}
    for i, c in ipairs(config.contents) do
        place[c.slug], slugs[c.slug] = i, true
    end
    local function known(slug, word, place_of_word)
        if place[slug] then return true end
        report("book.yaml", place_of_word, "%s %s, which is no chapter; %s",
               word, slug, guess(slug, slugs, "take it out"))
    end
    for _, slug in ipairs(sorted_keys(config.needs)) do
        local line = line_of("  " .. slug .. ":", "book.yaml")
        known(slug, "needs has", line)
        for _, need in ipairs(config.needs[slug]) do
            if known(need, slug .. " needs", line) and place[slug]
               and place[need] >= place[slug] then
                report("book.yaml", line, "%s needs %s, which comes later; "
                       .. "change the order of the chapters", slug, need)
            end
        end
    end
    -- lint: check the paths through the book
    for _, way in ipairs(config.paths or {}) do
        local line, before = line_of(way.title, "book.yaml"), {}
        for _, slug in ipairs(way.chapters) do
            known(slug, "the path \"" .. way.title .. "\" goes to", line)
            for _, need in ipairs(config.needs[slug] or {}) do
                if not before[need] then
                    report("book.yaml", line, "the path \"%s\" has %s "
                           .. "without %s before it, which it needs; add it",
                           way.title, slug, need)
                end
            end
            before[slug] = true
        end
    end
end

-- lint: rules for tables of sections
local function check_located(module, file, ids)
    local function say(line, text) report(file, line, "%s", text) end
    for _, row in ipairs(require(module).read(path(file), say)) do
        for _, id in ipairs(row.sections) do
            if not ids["sec:" .. id] then
                say(row.line, "section \"" .. id .. "\" is no id of the "
                    .. "book; " .. guess("sec:" .. id, ids,
                                         "use one, such as sec:press"))
            end
        end
        for _, id in ipairs(row.exercises) do
            if not ids[id] then
                say(row.line, "exercise \"" .. id .. "\" is no id of the "
                    .. "book; " .. guess(id, ids, "use one of a chapter"))
            end
        end
    end
end

-- lint: run all rules
for i = 1, #arg do
    if arg[i] == "--root" then root = arg[i + 1] or "."
    elseif arg[i - 1] ~= "--root" then
        io.stderr:write("usage: lint.lua [--root DIR]\n")
        os.exit(2)
    end
end

local markup, chapters, sizes = find_markup(), {}, {}
local config, chapter_numbers = contents.read(root)
for _, name in ipairs(run("cd " .. quoted(root)
                          .. " && find chapters -name '*.nw' | sort")) do
    local chapter = read_chapter(name, markup)
    chapter.number = chapter_numbers[chapter.slug]
    chapters[#chapters + 1] = chapter
end
local book = gather_chunks(chapters)
local is_make = make_lines(book)
for _, chapter in ipairs(chapters) do
    chapter.prose = prose_of(chapter)
    chapter.masked = mask(chapter.prose)
    chapter.line_at = line_finder(chapter.prose)
    find_attributes(chapter)
    chapter.unlabelled = without_labels(chapter)
end
local ids, words = gather_ids(chapters), gather_words(chapters)
local sources, numbers = read_bibliography(), read_numbers()

for _, chapter in ipairs(chapters) do
    check_lines(chapter, is_make[chapter.name] or {})
    check_markup(chapter)
    check_sizes(chapter, sizes)
    check_headings(chapter)
    check_references(chapter, ids, sources, numbers)
    check_chunk_names(chapter, book)
    check_quoted_code(chapter, words)
    check_paths(chapter, book)
    check_figures(chapter)
    check_exercises(chapter, ids)
    check_measured(chapter)
    check_calculations(chapter, numbers)
    check_phrases(chapter)
    check_names(chapter)
end
for name, uses in pairs(book.used) do
    for _, use in ipairs(uses) do check_use(book, name, use) end
end
for name, parts in pairs(book.defined) do
    check_definition(book, name, parts)
end
check_circles(book)
check_library(book)
check_spelling(chapters)
check_errata(ids)
check_located("glossary", "chapters/glossary.csv", ids)
check_located("claims", "chapters/claims.csv", ids)
check_located("subjects", "chapters/subjects.csv", ids)
check_located("subjects", "chapters/questions.csv", ids)
local files = project_files()
check_machine_paths(files)
check_shell(files)
check_contents(chapters, config.contents)
check_needs(config)

table.sort(problems, function(a, b)
    if a.file ~= b.file then return a.file < b.file end
    if a.line ~= b.line then return a.line < b.line end
    return a.text < b.text
end)
for _, p in ipairs(problems) do
    print(("%s:%d: %s"):format(p.file, p.line, p.text))
end
for _, text in ipairs(notes) do print("lint: " .. text) end
table.sort(sizes)
if #sizes > 0 then
    print(("lint: %d chunks in chapters, median %d lines, nine in ten at "
           .. "most %d"):format(#sizes, sizes[(#sizes + 1) // 2],
           sizes[math.ceil(#sizes * 0.9)]))
end
print(("lint: %d problem%s in %d chapters"):format(#problems,
      #problems == 1 and "" or "s", #chapters))
os.exit(#problems == 0 and 0 or 1)
