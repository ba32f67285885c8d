-- Known mistakes: read a .wrong file, find its place in the source, make the
-- change.  (tests/wrong/run says what stands in such a file.)
--
--     lua5.4 tests/lib/wrong.lua FILE.wrong SOURCE     prints the changed source
--     ... --kernels FILE.wrong SOURCE LAUNCHED         for a mistake in kernels:
--             with those alone that the mistake reaches and the file LAUNCHED
--             names; exit status 2 where the mistake is elsewhere
--     ... --right FILE.wrong SOURCE LAUNCHED           the same kernels, right
--     ... --reached PTX                                without those left out
--
-- The text under `--- was` is found by its tokens: white space, comments and
-- line breaks do not count.  The line `in: NAME` limits the search to the
-- function, or the macro, of that name.  A text that does not occur, or occurs
-- twice, is an error: the mistake would be made nowhere, or who knows where.
local M = {}

-- ---- tokens ----------------------------------------------------------------

local operators = {}        -- those of three and of two characters
for op in ([[ ... <<= >>= ->* -> ++ -- << >> <= >= == != && || += -= *= /= %=
              &= |= ^= ## :: ]]):gmatch("%S+") do
    operators[op] = true
end

-- Where the string or the character that begins at `at` ends; an unmatched
-- quote (an apostrophe in #error) is a token alone.
local function quoted(text, at)
    local quote = text:sub(at, at)
    local i = at + 1
    while i <= #text do
        local c = text:sub(i, i)
        if c == quote then return i end
        if c == "\n" then return at end
        i = i + (c == "\\" and 2 or 1)
    end
    return at
end

-- The end of the token that begins at `at`.
local function token_end(text, at)
    local c = text:sub(at, at)
    if c:find("[%a_]") then
        local _, last = text:find("^[%w_]+", at)
        if text:find("^['\"]", last + 1) and
           ({ L = 1, u = 1, U = 1, u8 = 1 })[text:sub(at, last)] then
            return quoted(text, last + 1)
        end
        return last
    elseif text:find("^%.?%d", at) then
        local i = at
        while true do
            local _, last = text:find("^[eEpP][+-]", i)
            if not last then _, last = text:find("^'?[%w_.]", i) end
            if not last then return i - 1 end
            i = last + 1
        end
    elseif c == '"' or c == "'" then
        return quoted(text, at)
    end
    for n = 3, 2, -1 do
        if operators[text:sub(at, at + n - 1)] then return at + n - 1 end
    end
    return at
end

-- The end of what is no token at `at`: white space, a spliced line, a comment.
local function blank_end(text, at)
    local _, last = text:find("^[ \t\r\f\v]+", at)
    if last then return last end
    _, last = text:find("^\\\r?\n", at)
    if last then return last end
    if text:find("^//", at) then
        return (text:find("\n", at, true) or #text + 1) - 1
    elseif text:find("^/%*", at) then
        _, last = text:find("*/", at + 2, true)
        return last or #text
    end
end

-- A list of { text, from, to, pre }; pre: the number of the preprocessor
-- directive that the token belongs to, or nil.
function M.tokens(text)
    local list, at, line_start, pre, directives = {}, 1, true, nil, 0
    while at <= #text do
        local last = blank_end(text, at)
        if last then
            at = last + 1
        elseif text:sub(at, at) == "\n" then
            line_start, pre, at = true, nil, at + 1
        else
            last = token_end(text, at)
            local word = text:sub(at, last)
            if word == "#" and line_start then
                directives = directives + 1
                pre = directives
            end
            list[#list + 1] = { text = word, from = at, to = last, pre = pre }
            line_start, at = false, last + 1
        end
    end
    return list
end

-- ---- functions and macros --------------------------------------------------

local not_names = {}        -- words before a parenthesis that name no function
for word in ([[ __attribute__ __launch_bounds__ alignas _Alignas decltype
                noexcept if while for switch return sizeof asm __asm__
                ]]):gmatch("%S+") do
    not_names[word] = true
end

-- The token that closes what tokens[at] opens.
local function closing(tokens, at)
    local open, depth = tokens[at].text, 0
    local close = ({ ["{"] = "}", ["("] = ")" })[open]
    for i = at, #tokens do
        local t = tokens[i]
        if not t.pre and t.text == open then depth = depth + 1 end
        if not t.pre and t.text == close then
            depth = depth - 1
            if depth == 0 then return i end
        end
    end
    return #tokens
end

-- The token that closes the `<` at `at`, of a template's parameters.
local function angle_end(tokens, at)
    local depth = 0
    for i = at, #tokens do
        if tokens[i].text == "<" then depth = depth + 1
        elseif tokens[i].text == ">" then depth = depth - 1
        elseif tokens[i].text == ">>" then depth = depth - 2 end
        if depth <= 0 then return i end
    end
    return #tokens
end

-- What has a name: a list of { name, kind, first, last, args, open }, numbers
-- of tokens.  kind is "function" (first: of its head, args: the parenthesis
-- of its parameters, open: the brace of its body) or "macro".
function M.named(tokens)
    local list = {}
    local i, first, args, equals = 1, nil, nil, false
    local function begin() first, args, equals = nil, nil, false end
    while i <= #tokens do
        local t = tokens[i]
        local word = t.text
        if t.pre then
            local from = i
            while tokens[i + 1] and tokens[i + 1].pre == t.pre do i = i + 1 end
            if tokens[from + 1] and tokens[from + 1].text == "define"
               and tokens[from + 2] then
                list[#list + 1] = { name = tokens[from + 2].text,
                                    kind = "macro", first = from, last = i }
            end
        else
            first = first or i
            if word == "(" then
                local before = tokens[i - 1]
                if before and before.text:find("^[%a_]")
                   and not not_names[before.text] and not equals then
                    args = i
                end
                i = closing(tokens, i)
            elseif word == "template" then
                i = angle_end(tokens, i + 1)
            elseif word == "=" then
                equals = true
            elseif word == ";" or word == "}" then
                begin()
            elseif word == "{" then
                local opened = tokens[first].text
                if args and not equals then
                    local last = closing(tokens, i)
                    list[#list + 1] = {
                        name = tokens[args - 1].text, kind = "function",
                        first = first, args = args, open = i, last = last }
                    i = last
                    begin()
                elseif opened == "namespace" or opened == "extern" and
                       tokens[first + 1].text:find('^"') and not equals
                       or i > 2 and tokens[i - 2].text == "struct" then
                    begin()             -- a struct may have functions
                else
                    i = closing(tokens, i)
                end
            end
        end
        i = i + 1
    end
    return list
end

-- ---- .wrong files ----------------------------------------------------------

-- The lines `key: value` above `--- was`, those of caught-by as a list, and
-- the two texts.
function M.read(path)
    local w = { path = path, rows = {}, was = "", now = "" }
    local part
    for line in io.lines(path) do
        if line == "--- was" then part = "was"
        elseif line == "--- now" then part = "now"
        elseif part then w[part] = w[part] .. line .. "\n"
        else
            local key, value = line:match("^([%a-]+): (.*)$")
            if key == "caught-by" then w.rows[#w.rows + 1] = value
            elseif key then w[key] = value
            elseif line ~= "" then w.bad = line end
        end
    end
    return w
end

-- ---- finding and changing --------------------------------------------------

local function same(tokens, at, was)
    for k = 1, #was do
        local t = tokens[at + k - 1]
        if not t or t.text ~= was[k].text then return false end
    end
    return true
end

-- Where the tokens of `was` stand in the source: the first and the last of
-- them, and what has a name around them, or nil; or nil and why not.
function M.find(tokens, named, w)
    local was = M.tokens(w.was)
    if #was == 0 then return nil, "nothing stands under --- was" end
    local found, places, known = nil, {}, false
    local function around(at)
        for _, n in ipairs(named) do
            if n.first <= at and at + #was - 1 <= n.last then return n end
        end
    end
    for _, n in ipairs(named) do known = known or n.name == w["in"] end
    if w["in"] and not known then
        return nil, "there is no function or macro " .. w["in"]
    end
    for at = 1, #tokens - #was + 1 do
        if tokens[at].text == was[1].text and same(tokens, at, was) then
            local n = around(at)
            if not w["in"] or n and n.name == w["in"] then
                found = { first = at, last = at + #was - 1, named = n }
                places[#places + 1] = n and n.name or "file scope"
            end
        end
    end
    if not found then
        return nil, "the tokens under --- was do not occur" ..
            (w["in"] and " in " .. w["in"] or "")
    elseif #places > 1 then
        return nil, "the tokens under --- was occur " .. #places ..
            " times: in " .. table.concat(places, ", ")
    end
    return found
end

-- What takes the place of the tokens: the text under `--- now` from its first
-- token to its last.
function M.replacement(w, source, tokens, found)
    local now = M.tokens(w.now)
    if #now == 0 then return "" end
    local text = w.now:sub(now[1].from, now[#now].to)
    local from, to = tokens[found.first].from, tokens[found.last].to
    local before = tokens[found.first - 1]
    if before and before.pre and before.pre == tokens[found.first].pre then
        return (text:gsub("[ \t]*\\?\n", " \\\n"))      -- inside of a macro
    end
    if now[1].pre and not source:sub(1, from - 1):find("\n[ \t]*$") then
        text = "\n" .. text
    end
    if now[#now].pre and not source:find("^[ \t]*\n", to + 1) then
        text = text .. "\n"
    end
    return text
end

-- The changed source, or nil and why not.
function M.make(w, source)
    local tokens = M.tokens(source)
    local found, why = M.find(tokens, M.named(tokens), w)
    if not found then return nil, why end
    return source:sub(1, tokens[found.first].from - 1)
        .. M.replacement(w, source, tokens, found)
        .. source:sub(tokens[found.last].to + 1), found
end

-- The text of a file in which mistakes are made: with the text of the headers
-- of its own folder that have functions in them, which it shares with others
-- (but not C_FUNCTIONS_END, which would begin the next function), and of
-- headers that hold kernels.
function M.source(path)
    local text, folder = M.read_file(path), path:match("^code/(.*/)")
    if not text or not folder or path:find("h$") then return text end
    return (text:gsub('#include "([%w_/]+%.(c?u?h))"', function(name, kind)
        local header = M.read_file("code/" .. name)
        if not header then return nil end
        local own = name:match("^(.*/)") == folder and
            (kind == "cuh" or not header:find("C_FUNCTIONS_END", 1, true)
             and (header:find("INLINE", 1, true)
                  or header:find("inline", 1, true)))
        return (own or header:find("__global__", 1, true)) and header or nil
    end))
end

function M.read_file(path)
    local f = io.open(path)
    if not f then return nil end
    local text = f:read("a")
    f:close()
    return text
end

-- ---- many mistakes in one source -------------------------------------------
-- M.many writes one source with many mistakes, each within one function of C.
-- The function gets a copy with each of them, and begins with a switch:
--
--     switch (wrong_chosen) { case 17: return gelu_wrong_17(x, n); }
--
-- so that one compiler run and one link serve them all, and the same program
-- with no mistake chosen is the control.

-- The names of the parameters between tokens[open] and the parenthesis that
-- closes it, or nil if they cannot be passed on.
local function parameters(tokens, open)
    local names, words, depth = {}, {}, 0
    local function take()
        local name, bracket
        for k, w in ipairs(words) do
            if w == "..." then return false end
            if w == "[" then bracket = true end
            if w == "(" and words[k + 1] == "*" then name = words[k + 2] break end
            if not bracket and w:find("^[%a_]") then name = w end
        end
        if #words > 1 then names[#names + 1] = name end
        words = {}
        return true
    end
    local close = closing(tokens, open)
    for i = open + 1, close - 1 do
        local w = tokens[i].text
        if tokens[i].pre then return nil end
        if w == "(" or w == "[" then depth = depth + 1 end
        if w == ")" or w == "]" then depth = depth - 1 end
        if w == "," and depth == 0 then
            if not take() then return nil end
        else
            words[#words + 1] = w
        end
    end
    return take() and names
end

-- Why the mistake cannot be one of many, or nil.
local function alone(tokens, found)
    local n = found.named
    if not n or n.kind ~= "function" then return "not in a function" end
    if found.first <= n.open then return "in the head of a function" end
    if tokens[n.first].text == "template" then return "in a template" end
    for i = n.first, n.last do
        local before = tokens[i - 1]
        if tokens[i].pre and before and before.text == "#"
           and tokens[i].text:find("def") then
            return "in a function with directives"
        end
    end
    if not parameters(tokens, n.args) then return "its parameters" end
end

-- A source with all mistakes of the list that can be there, and the list of
-- the others: { wrong, why }.  Each .id is its number.
function M.many(list, source)
    local tokens = M.tokens(source)
    local named = M.named(tokens)
    local by, others, pieces, at = {}, {}, {}, 1
    for _, w in ipairs(list) do
        local found, why = M.find(tokens, named, w)
        w.missing = why
        why = why or alone(tokens, found)
        if not why and M.tokens(w.now)[1] and w.now:find("\n?%s*#") then
            for _, t in ipairs(M.tokens(w.now)) do
                if t.pre then why = "directives" end
            end
        end
        if why then
            others[#others + 1] = { wrong = w, why = why }
        else
            by[found.named] = by[found.named] or {}
            table.insert(by[found.named], { wrong = w, found = found })
        end
    end
    local function text(from, to) return source:sub(from, to) end
    pieces[1] = "extern int wrong_chosen;\n"
    for _, n in ipairs(named) do
        if by[n] then
            local first, open = tokens[n.first].from, tokens[n.open].from
            local name, last = tokens[n.args - 1], tokens[n.last].to
            local heads, cases, copies = {}, {}, {}
            for _, one in ipairs(by[n]) do
                local w, found = one.wrong, one.found
                local new = name.text .. "_wrong_" .. w.id
                local head = text(first, name.from - 1) .. new
                    .. text(name.to + 1, open - 1)
                heads[#heads + 1] = head .. ";\n"
                cases[#cases + 1] = ("case %d: return %s(%s);\n"):format(w.id,
                    new, table.concat(parameters(tokens, n.args), ", "))
                copies[#copies + 1] = "\n" .. head
                    .. text(open, tokens[found.first].from - 1)
                    .. M.replacement(w, source, tokens, found)
                    .. text(tokens[found.last].to + 1, last) .. "\n"
            end
            pieces[#pieces + 1] = text(at, first - 1) .. table.concat(heads)
                .. text(first, open) .. "\nswitch (wrong_chosen) {\n"
                .. table.concat(cases) .. "}" .. text(open + 1, last)
                .. table.concat(copies)
            at = last + 1
        end
    end
    pieces[#pieces + 1] = text(at, #source)
    return table.concat(pieces), others
end

-- ---- one mistake of a GPU's code -------------------------------------------
-- A compiler takes seconds for the kernels of a file, and a row runs one or
-- two of them.  M.kernels writes the changed .cu file with the bodies of those
-- kernels only that the mistake can reach and that are launched; of templates,
-- those with the launched numbers.  The others are the right program's.
M.RIGHT = "the right one"

local function device_words(source, folder)
    local words = { __device__ = true, __global__ = true }
    local function look(text, deep)
        for name, rest in text:gmatch("#define ([%w_]+)([^\n]*)") do
            if rest:find("__device__") and not rest:find("__host__") then
                words[name] = true
            end
        end
        for file in text:gmatch('#include "([^"]+)"') do
            local t = deep > 0 and (M.read_file(folder .. file)
                                    or M.read_file("code/" .. file))
            if t then look(t, deep - 1) end
        end
    end
    look(source, 2)
    return words
end

-- The names of a template's parameters, but "" for one that is a type.
local function template_parameters(tokens, first)
    if tokens[first].text ~= "template" then return {} end
    local names, last = {}, angle_end(tokens, first + 1)
    local kind
    for i = first + 2, last do
        local word = tokens[i].text
        kind = kind or word
        if word == "," or i == last then
            local is_type = kind == "class" or kind == "typename"
            names[#names + 1] = is_type and "" or tokens[i - 1].text
            kind = nil
        end
    end
    return names
end

-- The arguments of a template as the compiler writes them from `at` on, behind
-- the I: a list of numbers, "" for a type; nil if there is another kind.
local function mangled_arguments(text, at)
    local list = {}
    while text:sub(at, at) ~= "E" do
        local _, last, sign, value = text:find("^L%a(n?)(%d+)E", at)
        if not last then
            sign, value = "", ""
            local _, digits, length = text:find("^(%d+)", at)
            if not digits then return nil end
            last = digits + tonumber(length)
            if text:sub(last + 1, last + 1) == "I" then
                local _, inner = mangled_arguments(text, last + 2)
                if not inner then return nil end
                last = inner
            end
        end
        list[#list + 1] = (sign == "n" and "-" or "") .. value
        at = last + 1
    end
    return list, at
end

-- The condition under which one of the launched kernels is compiled, from
-- names like _Z7forwardILi64ELb1EEvPf: "(HS == 64 && WHOLE == 1)"; "1" where
-- there is nothing to choose, nil where none is launched.
local function launched_as(name, parameters, launched)
    local choices = {}
    for mangled in pairs(launched) do
        local rest = mangled:gsub("^_ZN12_GLOBAL__N_1", "_Z"):match("^_ZN?L?"
            .. #name .. name .. "(.*)$")        -- a namespace without a name
        if rest then
            local values = rest:find("^I") and mangled_arguments(rest, 2)
            local equal = {}
            for i, value in ipairs(values or {}) do
                if value ~= "" then
                    equal[#equal + 1] = parameters[i] .. " == " .. value
                end
            end
            if #equal == 0 or #values ~= #parameters then return "1" end
            choices[#choices + 1] = "(" .. table.concat(equal, " && ") .. ")"
        end
    end
    return choices[1] and table.concat(choices, " || ")
end

-- The changed source, or nil and why not; why is nil where the mistake is not
-- in a GPU's code, or not only.  launched: a set of kernels' names, as the
-- compiler writes them.
function M.kernels(w, source, folder, launched)
    local tokens = M.tokens(source)
    local named = M.named(tokens)
    local found, why = M.find(tokens, named, w)
    if not found then return nil, why end
    local words, reached = device_words(source, folder), {}
    local function place(n)             -- "kernel", "device", "macro", "host"
        if n.kind == "macro" then return "macro" end
        local is = "host"
        for i = n.first, n.open do
            local word = tokens[i].text
            if word == "__global__" then return "kernel" end
            if word == "__host__" then return "host" end
            if words[word] then is = "device" end
        end
        return is
    end
    local start = found.named
    if not start or place(start) == "host" then return nil end
    reached[start.name] = place(start) == "kernel" and "kernel" or true
    local again = true
    while again do
        again = false
        for _, n in ipairs(named) do
            local p = place(n)
            for i = n.first, n.last do
                local word = tokens[i].text
                if reached[word] and reached[word] ~= "kernel"
                   and word ~= n.name then
                    if p == "host" then return nil end
                    if not reached[n.name] then
                        reached[n.name] = p == "kernel" and p or true
                        again = true
                    end
                end
            end
        end
    end
    local pieces, at = {}, 1
    local function copy(to)
        pieces[#pieces + 1] = source:sub(at, to)
        at = to + 1
    end
    local right = ' asm volatile("// ' .. M.RIGHT .. '"); '
    for _, n in ipairs(named) do
        local kernel = n.kind == "function" and place(n) == "kernel"
        local chosen = kernel and reached[n.name] and launched_as(n.name,
            template_parameters(tokens, n.first), launched)
        if kernel and not chosen and n ~= start then
            copy(tokens[n.open].from)
            pieces[#pieces + 1] = right
            at = tokens[n.last].from
        elseif kernel and chosen and chosen ~= "1"
               and (n ~= start or found.first > n.open) then
            copy(tokens[n.open].from)
            pieces[#pieces + 1] = (" if (!(%s)) {%s} else {"):format(chosen,
                                                                     right)
        end
        if n == start then
            copy(tokens[found.first].from - 1)
            pieces[#pieces + 1] = M.replacement(w, source, tokens, found)
            at = tokens[found.last].to + 1
        end
        if kernel and chosen and chosen ~= "1"
           and (n ~= start or found.first > n.open) then
            copy(tokens[n.last].from - 1)
            pieces[#pieces + 1] = "}"
        end
    end
    copy(#source)
    return table.concat(pieces)
end

-- PTX without the kernels that are taken from the right program.
function M.without_right(ptx)
    return (ptx:gsub("%.visible %.entry [^{]*%b{}", function(entry)
        if entry:find(M.RIGHT, 1, true) then return "" end
    end))
end

-- What is to be printed; or nil, why not, and the exit status.
local function command_line(what, ...)
    local path, from, launched = ...
    if what == "--reached" then
        return M.without_right(assert(M.read_file(path)))
    elseif what ~= "--kernels" and what ~= "--right" then
        path, from, what = what, path, nil
    end
    local w, source = M.read(path), M.source(from)
    if not source then return nil, from .. ": no such file" end
    if not what then return M.make(w, source) end
    local names = {}
    for name in io.lines(launched) do names[name] = true end
    if what == "--right" then w.now = w.was end
    local changed, why = M.kernels(w, source, from:match("^(.*/)"), names)
    return changed, why or "not in kernels alone", why and 1 or 2
end

if arg and arg[0] and arg[0]:find("wrong%.lua$") then
    local text, why, status = command_line(table.unpack(arg))
    if not text then
        io.stderr:write(why, "\n")
        os.exit(math.type(status) and status or 1)
    end
    io.write(text)
end
return M
