-- Tangled from chapters/workshop/loom.nw, "The book as a whole".  Edit it there.

-- The part of YAML that book.yaml and ERRATA.yaml use: maps and lists by
-- indentation, `[a, b]`, plain and quoted text.  Everything is a string.
local M = {}

local function scalar(s)
    s = s:match("^%s*(.-)%s*$")
    local list = s:match("^%[(.*)%]$")
    if list then
        local items = {}
        for item in list:gmatch("[^,]+") do
            items[#items + 1] = scalar(item)
        end
        return items
    end
    return s:match('^"(.*)"$') or s:match("^'(.*)'$") or s
end

local function without_comment(line)
    if line:match("^%s*#") then return "" end
    if not line:match("[\"']") then line = line:gsub("%s+#.*$", "") end
    return line
end

-- a block of lines with one indentation
local function indent_of(line) return #line:match("^ *") end

local function block(lines, pos, indent)
    local out = {}
    while lines[pos.at] and indent_of(lines[pos.at]) >= indent do
        local line = lines[pos.at]
        local mine = indent_of(line)
        local dash, rest = line:match("^ *(%- +)(.*)$")
        if dash and not rest:match("^[%w_%-]+:%s") and
           not rest:match("^[%w_%-]+:$") then
            out[#out + 1] = scalar(rest)
            pos.at = pos.at + 1
        elseif dash then
            lines[pos.at] = (" "):rep(mine + #dash) .. rest
            out[#out + 1] = block(lines, pos, mine + #dash)
        else
            local key, value = line:match("^ *([%w_%-]+):%s*(.*)$")
            if not key then
                error("not understood: " .. line, 0)
            end
            pos.at = pos.at + 1
            if value == ">" or value == "|" then
                local text = {}
                while lines[pos.at] and indent_of(lines[pos.at]) > mine do
                    text[#text + 1] = lines[pos.at]:match("^%s*(.*)$")
                    pos.at = pos.at + 1
                end
                out[key] = table.concat(text, value == ">" and " " or "\n")
            elseif value == "" then
                out[key] = block(lines, pos, mine + 1)
            else
                out[key] = scalar(value)
            end
        end
    end
    return out
end

function M.read(path)
    local f = assert(io.open(path))
    local lines = {}
    for line in f:lines() do
        line = without_comment(line)
        if line:match("%S") and line ~= "---" then
            lines[#lines + 1] = line
        end
    end
    f:close()
    return block(lines, { at = 1 }, 0)
end

return M
