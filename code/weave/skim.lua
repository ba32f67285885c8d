-- Tangled from chapters/workshop/loom.nw, "Finding labels and references".  Edit it there.

-- What a chapter labels and cites, with line numbers.
--
-- skim(lines, start) looks at Markdown lines (start = number of the first)
-- and returns a list of items { kind, line, ... } in order:
--   figure { id, file, alt, caption }    table { id, caption }
--   equation { id }     exercise { id }  ref { id }     cite { key }
--   number { name }     calc { text }    chunk { name } output { file }
local M = {}

-- blank out code, keep the lines
local function blank(s) return (s:gsub("[^\n]", "\3")) end

local function without_spans(paragraph)
    local at = 1
    while true do
        local from, to = paragraph:find("`+", at)
        if not from then return paragraph end
        local ticks = paragraph:sub(from, to)
        local close = to + 1
        while true do
            local a, b = paragraph:find("`+", close)
            if not a then close = nil; break end
            if b - a == to - from then
                paragraph = paragraph:sub(1, from - 1)
                    .. blank(paragraph:sub(from, b)) .. paragraph:sub(b + 1)
                close = b + 1
                break
            end
            close = b + 1
        end
        at = close or to + 1
    end
end

function M.without_code(lines)
    local out, outputs, fence, paragraph = {}, {}, nil, {}
    local function flush()
        if #paragraph == 0 then return end
        local text = without_spans(table.concat(paragraph, "\n"))
        out[#out + 1] = text
        paragraph = {}
    end
    for n, line in ipairs(lines) do
        local ticks = line:match("^%s*(```+)") or line:match("^%s*(~~~+)")
        if fence then
            if ticks and #ticks >= #fence then fence = nil end
            out[#out + 1] = blank(line)
        elseif ticks then
            flush()
            fence = ticks
            local file = line:match('{.*%.output.*file="([^"]*)"')
            if file then
                outputs[#outputs + 1] = { file = file, line = n }
            end
            out[#out + 1] = blank(line)
        elseif line:match("^%s*$") then
            flush()
            out[#out + 1] = line
        else
            paragraph[#paragraph + 1] = line
        end
    end
    flush()
    return table.concat(out, "\n"), outputs
end

-- patterns for what is cited
local kinds = { sec = true, fig = true, tbl = true, eq = true, ex = true }

local function find_cited(text, add)
    local mark = "()([^%w\\]?)@([%a][%w:%._%-/+]*)"
    for at, before, word in text:gmatch(mark) do
        local id = word:gsub("[:%._%-/+]+$", "")
        local kind, rest = id:match("^(%a+):(.+)$")
        if before:match("[%w]") then
            -- an address, not a reference
        elseif kind == "num" then
            add({ kind = "number", name = rest }, at)
        elseif kinds[kind] then
            add({ kind = "ref", id = id }, at)
        else
            add({ kind = "cite", key = id }, at)
        end
    end
    for at, inner, attr in text:gmatch("()(%b[]){([^{}]*)}") do
        inner = inner:sub(2, -2):gsub("%s+", " ")
        if attr:match("%.calc") then
            add({ kind = "calc", text = inner }, at)
        elseif attr:match("%.chunk") then
            add({ kind = "chunk", name = inner }, at)
        end
    end
end

-- patterns for what is labelled
local function find_labelled(text, raw, add)
    for at, from, to, file, attr in
        text:gmatch("()!()%b[]()(%b())(%b{})") do
        add({ kind = "figure", id = attr:match("#(fig:[%w:%._%-]+)"),
              file = file:sub(2, -2), alt = attr:match('alt="([^"]*)"'),
              caption = raw:sub(from + 1, to - 2) }, at)
    end
    for at, from in text:gmatch("\n():[ \t]+()") do
        local stop = text:find("\n\n", from, true) or #text
        local to, id = text:sub(from, stop)
                           :match("^.-()%s*{#(tbl:[%w:%._%-]+)}")
        if id then
            add({ kind = "table", id = id,
                  caption = raw:sub(from, from + to - 2) }, at)
        end
    end
    for at, id in text:gmatch("%$%$%s*(){#(eq:[%w:%._%-]+)}") do
        add({ kind = "equation", id = id }, at)
    end
    for at, id in text:gmatch("\n:::+%s*(){[^}\n]*#(ex:[%w:%._%-]+)") do
        add({ kind = "exercise", id = id }, at)
    end
end

function M.skim(lines, start)
    local text, outputs = M.without_code(lines)
    local items = {}
    local starts, at = { 1 }, 0
    for _ in ipairs(lines) do
        at = (text:find("\n", at + 1, true))
        if not at then break end
        starts[#starts + 1] = at + 1
    end
    local function add(item, place)
        local low, high = 1, #starts
        while low < high do
            local mid = (low + high + 1) // 2
            if starts[mid] <= place then low = mid else high = mid - 1 end
        end
        item.line, item.at = start + low - 1, place
        items[#items + 1] = item
    end
    find_cited(text, add)
    find_labelled(text, table.concat(lines, "\n"), add)
    for _, o in ipairs(outputs) do
        items[#items + 1] = { kind = "output", file = o.file,
                              line = start + o.line - 1,
                              at = starts[o.line] }
    end
    table.sort(items, function (a, b) return a.at < b.at end)
    return items
end

return M
