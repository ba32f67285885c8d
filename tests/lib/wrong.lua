-- Known mistakes: read a .wrong file, find its place in the source, make the
-- change.  (tests/wrong/run says what stands in such a file.)
--
--     lua5.4 tests/lib/wrong.lua FILE.wrong SOURCE     prints the changed source
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
                       tokens[first + 1].text:find('^"') and not equals then
                    begin()
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

function M.read_file(path)
    local f = io.open(path)
    if not f then return nil end
    local text = f:read("a")
    f:close()
    return text
end

if arg and arg[0] and arg[0]:find("wrong%.lua$") then
    local w, source = M.read(arg[1]), M.read_file(arg[2])
    local changed, why = nil, arg[2] .. ": no such file"
    if source then changed, why = M.make(w, source) end
    if not changed then
        io.stderr:write(why, "\n")
        os.exit(1)
    end
    io.write(changed)
end
return M
