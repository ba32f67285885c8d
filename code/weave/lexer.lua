-- Tangled from chapters/workshop/loom.nw, "A lexer for all the languages".  Edit it there.

-- One lexer for the languages of the book.
--
-- lex(text, language) returns a list of tokens { kind, text, at }, which
-- together are the text.  Kinds: word, keyword, type, number, string,
-- comment, pre (preprocessor), op, space, nl, use.  A chunk's use stands in
-- the text as "\1name\2" and comes back as one token of kind use.
local M = {}

local function set(words)
    local s = {}
    for w in words:gmatch("%S+") do s[w] = true end
    return s
end

local languages = {}

-- the C family
languages.c = {
    line = { "//" }, block = { { "/*", "*/" } }, quotes = set [[" ']],
    pre = true,
    keywords = set [[
        break case const continue default do else enum extern for goto if
        inline register restrict return sizeof static struct switch typedef
        union volatile while _Alignas _Alignof _Atomic _Noreturn
        _Static_assert _Thread_local static_assert alignas alignof asm
        __asm__ __attribute__ ]],
    types = set [[
        void char short int long float double signed unsigned bool _Bool
        real size_t ssize_t ptrdiff_t intptr_t uintptr_t int8_t int16_t
        int32_t int64_t uint8_t uint16_t uint32_t uint64_t FILE off_t
        __m512 __m256 __m128 __m512i __m256i ]],
}
languages.cuda = setmetatable({
    keywords = setmetatable(set [[
        __global__ __device__ __host__ __shared__ __constant__ __restrict__
        __launch_bounds__ __forceinline__ __noinline__ __managed__ template
        typename constexpr threadIdx blockIdx blockDim gridDim warpSize ]],
        { __index = languages.c.keywords }),
    types = setmetatable(set [[
        dim3 cudaStream_t cudaError_t cudaEvent_t half half2 __half
        __nv_bfloat16 __nv_bfloat162 float2 float3 float4 int2 int4 uint2
        uint4 double2 ]], { __index = languages.c.types }),
}, { __index = languages.c })

-- Lua, shell, awk, make
languages.lua = {
    line = { "--" }, quotes = set [[" ']], long = true,
    keywords = set [[
        and break do else elseif end false for function goto if in local
        nil not or repeat return then true until while ]],
    types = {},
}
languages.sh = {
    line = { "#" }, hash_after_space = true, quotes = set [[" ']],
    wide = true, joined = "_",
    keywords = set [[
        if then else elif fi for in do done while until case esac set
        exit return exec export trap shift local cd ]],
    types = {},
}
languages.awk = {
    line = { "#" }, quotes = set [["]], regex = true,
    keywords = set [[
        BEGIN END if else for in while do break continue next exit return
        function print printf getline delete ]],
    types = {},
}
languages.make = {
    line = { "#" }, quotes = {}, joined = "_-", keywords = set [[
        ifeq ifneq ifdef ifndef else endif define endef include export
        foreach wildcard patsubst subst filter shell eval call error ]],
    types = {},
}

-- CSS, JavaScript and the rest
languages.css = {
    line = {}, block = { { "/*", "*/" } }, quotes = set [[" ']],
    joined = "_-", keywords = set [[ var calc min max clamp ]], types = {},
}
languages.js = {
    line = { "//" }, block = { { "/*", "*/" } }, quotes = set [[" ' `]],
    wide = true, regex = true, joined = "_$",
    keywords = set [[
        async await break case catch class const continue default delete do
        else export extends false finally for from function if import in
        instanceof let new null of return static super switch this throw
        true try typeof undefined var void while yield ]],
    types = {},
}
languages.html = {
    line = {}, block = { { "<!--", "-->" } }, quotes = set [["]],
    joined = "_-", keywords = {}, types = {},
}
languages.template = {
    line = { "$--" }, block = { { "<!--", "-->" } }, quotes = set [["]],
    joined = "_-", keywords = {}, types = {},
}
languages.tex = {
    line = { "%" }, quotes = {}, keywords = {}, types = {}, commands = true,
}
languages.gnuplot = {
    line = { "#" }, quotes = set [[" ']],
    keywords = set [[ set unset plot splot using with title notitle for in
        lines points linespoints boxes load ]], types = {},
}
languages.yaml = {
    line = { "#" }, quotes = set [["]], joined = "_-", keywords = {},
    types = {},
}
languages.json = {
    line = {}, quotes = set [["]], keywords = set "true false null",
    types = {},
}
languages.python = {
    line = { "#" }, quotes = set [[" ']],
    keywords = set [[ and as assert break class continue def del elif else
        except False finally for from global if import in is lambda None
        not or pass raise return True try while with yield ]], types = {},
}

-- cut text into tokens
-- where a quoted string ends
local function string_end(lang, text, at, before)
    local c = text:sub(at, at)
    if lang.long then
        local level = text:match("^%[(=*)%[", at)
        if level then
            local _, stop = text:find("]" .. level .. "]", at, true)
            return stop or #text
        end
    end
    local regex = lang.regex and c == "/"
        and (before == "" or before.text:match("^[%(,=~!{};&|?:]$")
             or before.text == "return")
    if not lang.quotes[c] and not regex then return nil end
    local i = at + 1
    while i <= #text do
        local d = text:sub(i, i)
        if d == "\1" then return i - 1 end
        if d == "\n" and (regex or not (lang.wide or c == "`")) then
            return i - 1
        end
        if d == "\\" and not (lang == languages.sh and c == "'") then
            i = i + 1
        elseif d == c then
            return i
        end
        i = i + 1
    end
    return math.min(i, #text)
end

-- where a comment ends
local function comment_end(lang, text, at, first)
    if not first:match("[/#%-<$%%]") then return nil end
    for _, mark in ipairs(lang.line) do
        if text:sub(at, at + #mark - 1) == mark
           and not (lang.hash_after_space and at > 1
                    and text:sub(at - 1, at - 1):match("%S")) then
            local level = lang.long and text:match("^%-%-%[(=*)%[", at)
            if level then
                local _, stop = text:find("]" .. level .. "]", at, true)
                return stop or #text
            end
            return (text:find("[\n\1]", at) or #text + 1) - 1
        end
    end
    for _, marks in ipairs(lang.block or {}) do
        if text:sub(at, at + #marks[1] - 1) == marks[1] then
            local _, stop = text:find(marks[2], at + #marks[1], true)
            return stop or #text
        end
    end
end

function M.knows(language) return languages[language] ~= nil end

function M.lex(text, language)
    local lang, tokens, at = languages[language], {}, 1
    local before = ""          -- last token that is neither space nor nl
    local function put(kind, stop)
        local t = { kind = kind, text = text:sub(at, stop), at = at }
        tokens[#tokens + 1] = t
        if kind ~= "space" and kind ~= "nl" then before = t end
        at = stop + 1
    end
    local line_start = true
    local joined = lang and lang.joined or "_"
    local word = "^[%a\128-\255" .. joined:gsub("%-", "") .. "]"
                 .. "[%w\128-\255" .. joined .. "]*"
    while at <= #text do
        local c = text:sub(at, at)
        if c == "\n" then
            put("nl", at)
            line_start = true
        elseif c == "\1" then
            put("use", text:find("\2", at, true))
        elseif c:match("%s") then
            put("space", select(2, text:find("^[ \t\r\f]+", at)) or at)
        else
            -- one token that is not space
            local last = lang and select(2, text:find(word, at))
            local stop = lang and not last and comment_end(lang, text, at, c)
            if last then
                local w = text:sub(at, last)
                put(lang.keywords[w] and "keyword" or lang.types[w] and "type"
                    or "word", last)
            elseif not lang then
                put("word", text:find("[\n\1]", at) and text:find("[\n\1]", at) - 1
                            or #text)
            elseif stop then
                put("comment", stop)
            elseif c:match("%d") or c == "." and text:find("^%.%d", at) then
                local last = select(2, text:find("^[%w%.]+", at))
                if text:sub(last, last):match("[eEpP]") then
                    last = select(2, text:find("^[+-]%w+", last + 1)) or last
                end
                put("number", last)
            elseif lang.pre and c == "#" and line_start then
                put("pre", select(2, text:find("^#[ \t]*%a*", at)))
                if before.text:match("include") then
                    local last = select(2, text:find("^[ \t]*<[^>\n]*>", at))
                    if last then put("string", last) end
                end
            elseif lang.commands and text:find("^\\%a+", at) then
                put("keyword", select(2, text:find("^\\%a+", at)))
            else
                stop = string_end(lang, text, at, before)
                if stop then
                    put("string", stop)
                elseif text:find("^%->", at) or text:find("^%.%.", at) then
                    put("op", at + 1)
                else
                    put("op", at)
                end
            end
            line_start = false
        end
    end
    return tokens
end
return M
