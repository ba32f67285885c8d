-- Tangled from chapters/workshop/loom.nw, "Numbers with a past".  Edit it there.

-- Measured numbers: figures/data/*.csv, and arithmetic over them.
local M = {}
M.header = "name,value,unit,machine,command,commit,date"

-- The fields of one line; a field in double quotes may hold commas.
function M.split(line)
    local fields, at = {}, 1
    repeat
        local quoted, stop = line:match('^"((.-)")()', at), nil
        if line:sub(at, at) == '"' then
            local i, s = at + 1, {}
            while i <= #line do
                local c = line:sub(i, i)
                if c == '"' and line:sub(i + 1, i + 1) == '"' then
                    i = i + 1
                elseif c == '"' then
                    break
                end
                s[#s + 1] = line:sub(i, i)
                i = i + 1
            end
            fields[#fields + 1], stop = table.concat(s), i + 1
        else
            local field, s = line:match("^([^,]*)()", at)
            fields[#fields + 1], stop = field, s
        end
        at = stop + 1
    until at > #line + 1
    return fields
end

-- read the rows of a file
-- Adds the rows of a file to `rows` by name.  Returns nil, or a list of
-- { line, text } saying what is wrong.
function M.read(path, rows)
    local f = assert(io.open(path))
    local first = (f:read("l") or ""):gsub("\r$", "")
    local wrong = {}
    if first == M.header then
        local n, keys = 1, M.split(M.header)
        for line in f:lines() do
            n = n + 1
            local fields = M.split((line:gsub("\r$", "")))
            local row = { file = path, line = n }
            for i, k in ipairs(keys) do row[k] = fields[i] end
            if line == "" then
                -- an empty line is no row
            elseif #fields ~= #keys then
                wrong[#wrong + 1] = { line = n, text =
                    "a row has " .. #keys .. " fields (" .. M.header
                    .. "), this one has " .. #fields }
            elseif rows[row.name] then
                wrong[#wrong + 1] = { line = n, text = row.name
                    .. " is also in " .. rows[row.name].file .. ":"
                    .. rows[row.name].line }
            else
                rows[row.name] = row
            end
        end
    end
    f:close()
    return #wrong > 0 and wrong or nil
end

-- print a value
local THIN = "\u{202F}"       -- narrow space that does not break
M.THIN = THIN

function M.format(value, unit)
    local sign, whole, rest = tostring(value):match("^(-?)(%d+)(.*)$")
    if whole and #whole > 4 then
        whole = whole:reverse():gsub("(%d%d%d)", "%1,"):reverse()
        whole = whole:gsub("^,", "")
    end
    local text = whole and sign .. whole .. rest or tostring(value)
    if unit and unit ~= "" and unit ~= "1" then
        text = text .. THIN .. (unit == "us" and "µs" or unit)
    end
    return (text:gsub("^%-", "\u{2212}"))
end

-- A number rounded to so many significant digits.
function M.round(x, digits)
    if x == 0 then return "0" end
    x = x * (1 + 1e-12)               -- so that a half goes up
    local e = ("%." .. digits - 1 .. "e"):format(x):match("e(.*)$")
    local places = digits - 1 - tonumber(e)
    if places >= 0 then return string.format("%." .. places .. "f", x) end
    local unit = 10.0 ^ -places
    return string.format("%.0f", math.floor(x / unit + 0.5) * unit)
end

-- evaluate an expression over rows
local function tokens_of(text)
    local list, at = {}, 1
    while true do
        at = text:match("^%s*()", at)
        if at > #text then return list end
        local name = text:match("^%a[%w%.%-_]*", at)
        local number = text:match("^%d+%.?%d*[eE]?%d*", at)
        local piece = name or number or text:sub(at, at)
        list[#list + 1] = { name = name, number = tonumber(number),
                            op = not name and not number and piece }
        at = at + #piece
    end
end

-- The names in an expression, in order.
function M.names(text)
    local names = {}
    for _, t in ipairs(tokens_of(text)) do names[#names + 1] = t.name end
    return names
end

-- Its value; an error is raised with a message that names the trouble.
function M.calc(text, rows)
    local list, i = tokens_of(text), 1
    local sum
    local function atom()
        local t = list[i] or {}
        i = i + 1
        if t.number then return t.number end
        if t.op == "-" then return -atom() end
        if t.op == "(" then
            local v = sum()
            if not list[i] or list[i].op ~= ")" then error("no )", 0) end
            i = i + 1
            return v
        end
        local row = t.name and rows[t.name]
        if not row then
            error("no value for " .. (t.name or t.op or "the end"), 0)
        end
        return tonumber(row.value)
            or error(t.name .. " is not a number", 0)
    end
    local function product()
        local v = atom()
        while list[i] and (list[i].op == "*" or list[i].op == "/") do
            local op = list[i].op
            i = i + 1
            local w = atom()
            v = op == "*" and v * w or v / w
        end
        return v
    end
    function sum()
        local v = product()
        while list[i] and (list[i].op == "+" or list[i].op == "-") do
            local op = list[i].op
            i = i + 1
            local w = product()
            v = op == "+" and v + w or v - w
        end
        return v
    end
    local v = sum()
    if list[i] then error("nothing expected after the end", 0) end
    return v
end
return M
