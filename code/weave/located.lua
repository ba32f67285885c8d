-- Tangled from chapters/workshop/finding.nw, "The glossary".  Edit it there.

-- Tables of which each row names sections of the book.
-- read(path, header, noun, say) returns a list of rows: the fields by their
-- names in the header, `sections` as a list of ids, and `line`.  Messages
-- call a row by the noun.
local data = require "data"
local M = {}

-- a row with its sections
local function row_of(keys, values, line)
    local row, ids, exercises, kernels = { line = line }, {}, {}, {}
    for i, key in ipairs(keys) do row[key] = values[i] end
    for id in (row.sections or row.section):gmatch("%S+") do
        local list = id:find("^ex:") and exercises
                     or id:find("/") and kernels or ids
        list[#list + 1] = id
    end
    row.sections, row.exercises, row.kernels = ids, exercises, kernels
    return row
end

-- read the rows of a table
function M.read(path, header, noun, say)
    local f, rows, n = io.open(path), {}, 0
    if not f then return rows end
    local keys = data.split(header)
    for line in f:lines() do
        n = n + 1
        local values = data.split(line)
        if n == 1 and line ~= header then
            say(n, "the first line is not " .. header)
        elseif n > 1 and #values ~= #keys then
            say(n, "a " .. noun .. " has " .. #keys .. " fields, this line "
                   .. #values)
        elseif n > 1 then
            rows[#rows + 1] = row_of(keys, values, n)
        end
    end
    f:close()
    return rows
end

-- are two rows in order
function M.order(row, before, noun, say)
    if before and row.key == before.key then
        say(row.line, "\"" .. row.name .. "\" is there twice")
    elseif before and row.key < before.key then
        say(row.line, "\"" .. row.name .. "\" after \"" .. before.name
                      .. "\"; keep the " .. noun .. "s sorted")
    end
end

-- the sections of a row as Markdown
function M.places(row)
    local places = {}
    for i, id in ipairs(row.sections) do places[i] = "@sec:" .. id end
    return table.concat(places, ", ")
end

-- the exercises, after a semicolon
function M.practice(row)
    local s = {}
    for i, id in ipairs(row.exercises) do s[i] = "@" .. id end
    for _, name in ipairs(row.kernels) do s[#s + 1] = "`" .. name .. "`" end
    return #s > 0 and "; " .. table.concat(s, ", ") or ""
end
return M
