-- Tangled from chapters/workshop/loom.nw, "Who defines what".  Edit it there.

-- Finds definitions in the landed book and links words to them.
--
-- tag(book) lexes every part (part.tokens), and returns a list of
--   def { name, kind, file, part, token, static, uses }
-- kinds: function, kernel, declaration, macro, struct, union, enum,
-- constant, type, variable.  uses: list of parts, each once, in order.
-- Each word that means a definition gets token.def.
local language = require "language"
local lexer = require "lexer"
local noweb = require "noweb"
local M = {}

-- the text of a part, with its uses as tokens
function M.text_of(part)
    local lines = {}
    for i, line in ipairs(part.lines) do
        local s = {}
        for j, piece in ipairs(line) do
            s[j] = piece.text or "\1" .. piece.use .. "\2"
        end
        lines[i] = table.concat(s)
    end
    return table.concat(lines, "\n")
end

local function first_line(chunk)
    local part = chunk.parts[1]
    local line = part and part.lines[1]
    return line and line[1] and line[1].text
end

-- The language of a chunk is that of the first file it lands in; a program
-- in awk is quoted in a script, and only its own chunk knows what it is.
function M.language_of(book, chunk)
    local root = chunk.files[1]
    if not root then return "text" end
    local found = language.of(root, first_line(book.chunks[root]))
    local first = first_line(chunk) or ""
    return found == "sh" and first:find("^BEGIN {") and "awk" or found
end

-- the tokens of a whole file
-- Significant tokens of the file, in order: { t = token, part = part }.
local function tokens_of(book, root)
    local out = {}
    local function walk(chunk)
        for _, part in ipairs(chunk.parts) do
            for _, t in ipairs(part.tokens) do
                if t.kind == "use" then
                    walk(book.chunks[t.text:sub(2, -2)])
                elseif t.kind ~= "space" and t.kind ~= "comment" then
                    out[#out + 1] = { t = t, part = part, text = t.text,
                                      kind = t.kind }
                end
            end
            out[#out + 1] = { kind = "nl", text = "\n", part = part }
        end
    end
    walk(book.chunks[root])
    return out
end

-- definitions in C and CUDA
-- names that look like functions
local round = { "(", ")" }
local left_out = { __attribute__ = round, __launch_bounds__ = round,
    _Alignas = round, alignas = round, __declspec = round,
    template = { "<", ">" } }

-- Place in head of the word before the parameter list: the last word
-- before a parenthesis that is in none itself, since macros come first.
local function name_before_parameters(head)
    local depth, last, inner = 0, nil, nil
    for i, t in ipairs(head) do
        local after = head[i + 1] and head[i + 1].text
        if t.text == "(" then depth = depth + 1 end
        if t.text == ")" then depth = depth - 1 end
        if t.kind == "word" and after == "(" then
            if depth == 0 then last = i end
            inner = inner or i
        end
    end
    return last or inner
end

local function has(head, word)
    for _, t in ipairs(head) do
        if t.text == word then return true end
    end
    return false
end

local function define_variables(head, define, static)
    local depth, expecting = 0, true
    for j, t in ipairs(head) do
        local after = head[j + 1] and head[j + 1].text or ";"
        if t.text == "(" or t.text == "[" then depth = depth + 1 end
        if t.text == ")" or t.text == "]" then depth = depth - 1 end
        if depth == 0 then
            if t.text == "," then expecting = true end
            if expecting and t.kind == "word"
               and after:match("^[=%[,;]$") then
                define(t, "variable", static)
                expecting = false
            end
        end
    end
end

-- what the head of a C statement defines
local function define_function(head, define)
    local i = name_before_parameters(head)
    if not i then return end
    define(head[i], has(head, "__global__") and "kernel" or "function",
           has(head, "static"))
end

local function define_statement(head, define)
    if has(head, "_Static_assert") or has(head, "static_assert") then
        return
    end
    local static = has(head, "static")
    local i = name_before_parameters(head)
    if has(head, "typedef") then
        local name, depth = head[i or 0], 0     -- typedef int f(int)
        for j, n in ipairs(name and {} or head) do
            if n.text == "[" then depth = depth + 1 end
            if n.text == "]" then depth = depth - 1 end
            if n.kind == "word" and depth == 0 then name = n end
            if name == n and j > 2 and head[j - 1].text == "*"
               and head[j - 2].text == "(" then
                break                           -- typedef int (*f)(int)
            end
        end
        if name then define(name, "type") end
    elseif i and not has(head, "=") then
        return define(head[i], "declaration", static)
    elseif not has(head, "extern") and (#head > 2 or head.after_tag) then
        define_variables(head, define, static)
    end
end

-- words that a function declares for itself
local function find_locals(head, tokens, first, last)
    local own = {}
    local function look(list, from, to)
        local previous, before
        for j = from, to do
            local t = list[j]
            local after = list[j + 1] and list[j + 1].text
            if t.kind ~= "nl" then
                local p = previous
                if p and p.text == "*" then p = before end
                if t.kind == "word" and p
                   and (p.kind == "type" or p.kind == "word"
                        or p.text == "const" or p.text == "*")
                   and after and after:match("^[=%[,;%):]$")
                   and (previous.text ~= "*" or p.kind == "type"
                        or before and before.kind == "word"
                        and (list == head)) then
                    own[t.text] = true
                end
                before, previous = previous, t
            end
        end
    end
    look(head, name_before_parameters(head) or 1, #head)
    look(tokens, first, last)
    for j = first, last do
        if own[tokens[j].text] then tokens[j].t.hidden = true end
    end
    for _, t in ipairs(head) do
        if own[t.text] then t.t.hidden = true end
    end
end

local function find_in_c(tokens, define, includes)
    local head, i = {}, 1
    local depth = 0                        -- of ( and [
    local function skip(open, close)
        local n = 0
        repeat
            local s = tokens[i]
            if s.kind == "op" and s.text == open then n = n + 1 end
            if s.kind == "op" and s.text == close then n = n - 1 end
            i = i + 1
        until n == 0 or i > #tokens
    end
    while i <= #tokens do
        local t, group = tokens[i], left_out[tokens[i].text]
        if group and tokens[i + 1] and tokens[i + 1].text == group[1] then
            i = i + 1
            skip(group[1], group[2])
        elseif t.kind == "pre" then
            -- read a preprocessor line
            local what = t.text:match("%a*$")
            local name = tokens[i + 1]
            if what == "define" and name and name.kind ~= "nl" then
                if not name.text:match("_H$") then define(name, "macro") end
            elseif what == "include" and name and name.kind == "string" then
                local file = name.text:match('^"(.*)"$')
                if file then includes[#includes + 1] = file end
            end
            repeat i = i + 1
            until i > #tokens or tokens[i].kind == "nl"
                  and tokens[i - 1].text ~= "\\"
        elseif t.kind == "nl" then
            i = i + 1
        elseif t.text == ";" and depth == 0 then
            if #head > 0 then define_statement(head, define) end
            head, i = {}, i + 1
        elseif t.text == "{" and depth == 0 then
            -- read what stands in braces
            local last, tag = head[#head], nil
            for _, h in ipairs(head) do
                if h.text == "struct" or h.text == "union" or h.text == "enum" then
                    tag = h.text
                end
            end
            local equals = false
            for _, h in ipairs(head) do equals = equals or h.text == "=" end
            if last and (last.text == ")" or last.text == "noexcept")
               and not equals then
                local first = i
                define_function(head, define)
                skip("{", "}")
                find_locals(head, tokens, first, i - 1)
                head = {}
            elseif last and (last.kind == "string" or last.text == "namespace") then
                head, i = {}, i + 1
            elseif tag and not equals then
                local name = last
                for j, h in ipairs(last.text == ">" and head or {}) do
                    if h.text == tag then name = head[j + 1] end  -- struct Pack<8>
                end
                if name.text ~= tag then define(name, tag) end
                local first = i
                skip("{", "}")
                if tag == "enum" then
                    local previous, directive
                    for j = first, i - 2 do
                        local e = tokens[j]
                        directive = e.kind == "pre" or directive and e.kind ~= "nl"
                        if e.kind == "word" and not directive
                           and (previous.text == "{" or previous.text == ",") then
                            define(e, "constant")
                        end
                        if e.kind ~= "nl" then previous = e end
                    end
                else
                    find_locals({}, tokens, first, i - 1)       -- members
                end
                local kept = {}
                for _, h in ipairs(head) do
                    if h.text == "typedef" or h.text == "static" then
                        kept[#kept + 1] = h
                    end
                end
                kept.after_tag = true
                head = kept
            else
                skip("{", "}")
            end
        else
            if t.text == "(" or t.text == "[" then depth = depth + 1 end
            if t.text == ")" or t.text == "]" then depth = depth - 1 end
            if t.text ~= "}" or t.kind ~= "op" then head[#head + 1] = t end
            i = i + 1
        end
    end
end

-- definitions in the other languages
local function find_in_lua(tokens, define)
    local depth = 0
    for i, t in ipairs(tokens) do
        local s, next1, next2 = t.text, tokens[i + 1], tokens[i + 2]
        local before = tokens[i - 1]
        if t.kind == "keyword" and next1 then
            if s == "function" and next1.kind == "word" then
                local dot = next2 and next2.text:match("^[%.:]$")
                define(dot and tokens[i + 3] or next1, "function",
                       not dot)
            elseif s == "local" and depth == 0 and next1.kind == "word"
                   and next1.text ~= "M" then
                define(next1, "variable", true)
            end
            if s == "function" or s == "do" or s == "then"
               or s == "repeat" then depth = depth + 1 end
            if s == "end" or s == "until" or s == "elseif" then
                depth = depth - 1
            end
        end
    end
end

local function find_by_keyword(tokens, define)
    for i, t in ipairs(tokens) do
        local name = tokens[i + 1]
        if t.kind == "keyword" and t.text == "function"
           and name and name.kind == "word" then
            define(name, "function", true)
        elseif t.kind == "word" and name and name.text == "("
               and tokens[i + 2] and tokens[i + 2].text == ")"
               and tokens[i + 3] and tokens[i + 3].text == "{" then
            define(t, "function", true)
        end
    end
end

local finders = { c = find_in_c, cuda = find_in_c, lua = find_in_lua,
    sh = find_by_keyword, awk = find_by_keyword, js = find_by_keyword }

-- which definition a word means
local Scope = {}
Scope.__index = Scope

-- files: root -> { defs by name, includes }; defs: all of them, in order
local function new_scope(files, defs)
    local by_name = {}
    for _, d in ipairs(defs) do
        if not d.static and d.kind ~= "declaration" then
            by_name[d.name] = by_name[d.name] or {}
            table.insert(by_name[d.name], d)
        end
    end
    return setmetatable({ files = files, definitions = by_name,
                          seen = {} }, Scope)
end

function Scope:headers(root)
    if self.seen[root] then return self.seen[root] end
    local list = {}
    self.seen[root] = list
    local found = { [root] = true }
    local function visit(file)
        for _, name in ipairs(self.files[file].includes) do
            local path = "code/" .. name
            if self.files[path] and not found[path] then
                found[path] = true
                list[#list + 1] = path
                visit(path)
            end
        end
    end
    visit(root)
    return list
end

-- The function behind a declaration in a header.
function Scope:behind(def)
    if def.kind ~= "declaration" then return def end
    if def.real == nil then
        def.real = false
        for _, d in ipairs(self.definitions[def.name] or {}) do
            for _, header in ipairs(self:headers(d.file)) do
                if header == def.file then
                    def.real = def.real or d
                end
            end
        end
    end
    return def.real or def
end

function Scope:find(name, root)
    local d = self.files[root].defs[name]
    if d then return self:behind(d) end
    for _, header in ipairs(self:headers(root)) do
        d = self.files[header].defs[name]
        if d then return self:behind(d) end
    end
end

local function is_member(tokens, i)
    local before = tokens[i - 1]
    return before and before.kind == "op"
           and before.text:match("^[%.:]$") or before
           and before.text == "->"
end

function Scope:find_lua(tokens, i, root)
    local name = tokens[i].text
    local own = self.files[root].defs[name]
    if not is_member(tokens, i) then
        return own and own.static and own or nil
    end
    local module = tokens[i - 2] and tokens[i - 2].text
    if module == "M" then return own and not own.static and own end
    local file = self.files[root:gsub("[^/]*$", module .. ".lua")]
    local d = file and file.defs[name]
    return d and not d.static and d or nil
end

function Scope:link(tokens, root, lang)
    for i, w in ipairs(tokens) do
        if w.kind == "word" and not w.t.def and not w.t.hidden then
            local d
            if lang == "lua" then
                d = self:find_lua(tokens, i, root)
            elseif not is_member(tokens, i) then
                d = self:find(w.text, root)
            end
            if d then
                w.t.def = d
                if d.token ~= w.t and d.uses[#d.uses] ~= w.part
                   and d.part ~= w.part then
                    d.uses[#d.uses + 1] = w.part
                end
            end
        end
    end
end

-- tag the book
function M.tag(book)
    local defs, files, roots, words = {}, {}, {}, {}
    for _, chunk in ipairs(book.chunks) do
        chunk.language = M.language_of(book, chunk)
        for _, part in ipairs(chunk.parts) do
            part.tokens = lexer.lex(M.text_of(part), chunk.language)
            for _, t in ipairs(part.tokens) do
                if t.kind ~= "space" then words[t.text] = true end
            end
        end
        if noweb.is_root(chunk.name) then roots[#roots + 1] = chunk end
    end
    for _, chunk in ipairs(roots) do
        local root, file = chunk.name, { defs = {}, includes = {} }
        files[root] = file
        file.tokens = tokens_of(book, root)
        local function define(w, kind, static)
            if w.kind ~= "word" or not w.t then return end
            local old = file.defs[w.text]
            if old and (old.kind ~= "declaration"
                        or kind == "declaration") then return end
            local d = { name = w.text, kind = kind, file = root,
                        part = w.part, token = w.t, static = static,
                        uses = {} }
            file.defs[w.text] = d
            w.t.def = d
            if old then old.real, old.gone = d, true end
            defs[#defs + 1] = d
        end
        local find = finders[chunk.language]
        if find then find(file.tokens, define, file.includes) end
    end
    local scope = new_scope(files, defs)
    for _, chunk in ipairs(roots) do
        scope:link(files[chunk.name].tokens, chunk.name, chunk.language)
    end
    for _, d in ipairs(defs) do scope:behind(d) end
    return defs, words, files
end
return M
