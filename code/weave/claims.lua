-- Tangled from chapters/workshop/finding.nw, "Claims".  Edit it there.

-- The table of claims, chapters/claims.csv.
-- read(path, say) returns its rows; say(line, text) hears what is wrong.
local located = require "located"
local M = {}
M.header = "item,claim,verdict,evidence,sections"

-- sources and verdicts
local SOURCES = { "bandwidth, `llm.c`", "lecture on GPUs",
                  "kernels, profiler", "learning plan",
                  "links, CUDA notes" }
local VERDICTS = { "right", "loose", "wrong", "not checked",
                   "not a claim" }
local is_verdict = {}
for _, v in ipairs(VERDICTS) do is_verdict[v] = true end

-- what is wrong with a claim
local function check_item(c, before, say)
    c.source, c.place = c.item:match("^(%d)%.(%d%d%d)$")
    c.source, c.place = tonumber(c.source), tonumber(c.place)
    local same = c.source and c.source == before.source
    if not c.source or not SOURCES[c.source + 1] then
        say(c.line, "item \"" .. c.item .. "\" is no number such as 0.001")
    elseif same and c.place == before.place then
        say(c.line, c.item .. " is there twice")
    elseif c.place ~= (same and before.place + 1 or 1)
           or c.source < (before.source or 0) then
        say(c.line, c.item .. " after " .. (before.item or "nothing")
                    .. "; number the items without gaps")
    end
end

local function check(c, before, say)
    check_item(c, before, say)
    if not is_verdict[c.verdict] then
        say(c.line, "\"" .. c.verdict .. "\" is no verdict; use "
                    .. table.concat(VERDICTS, ", "))
    end
    if not c.claim:find("^%S.*%.$") then
        say(c.line, "\"" .. c.claim .. "\" is not one sentence")
    end
    if c.evidence == "" and #c.sections == 0 then
        say(c.line, "say where the item is, or why it is nowhere")
    elseif c.evidence == "" and c.verdict ~= "not a claim" then
        say(c.line, "a verdict needs evidence")
    end
end

-- read the claims
function M.read(path, say)
    local rows = located.read(path, M.header, "row", say)
    for i, c in ipairs(rows) do check(c, rows[i - 1] or {}, say) end
    return rows
end

-- count the claims of a source
local function count(rows, source)
    local n = { items = 0, found = 0 }
    for _, v in ipairs(VERDICTS) do n[v] = 0 end
    for _, c in ipairs(rows) do
        if not source or c.source == source then
            n.items = n.items + 1
            n.found = n.found + (#c.sections > 0 and 1 or 0)
            n[c.verdict] = n[c.verdict] + 1
        end
    end
    return n
end

-- the counts as a table
local function row_of(name, n)
    local cells = { name, n.items, n.found }
    for _, v in ipairs(VERDICTS) do cells[#cells + 1] = n[v] end
    return "| " .. table.concat(cells, " | ") .. " |"
end

function M.summary(rows)
    local s = { "", "| notes | items | in the book | "
                    .. table.concat(VERDICTS, " | ") .. " |",
                "|:---|" .. ("--:|"):rep(#VERDICTS + 2) }
    for i, name in ipairs(SOURCES) do
        s[#s + 1] = row_of(name, count(rows, i - 1))
    end
    s[#s + 1] = row_of("all", count(rows))
    s[#s + 1] = "\n: Items of the notes, how many the book covers, and "
                .. "the verdicts. {#tbl:claims}\n"
    return table.concat(s, "\n")
end

-- the claims of a source as Markdown
local function paragraph(c)
    local places = located.places(c)
    return ("**[%s]{#claim-%s .item}** [%s]{.verdict .%s}`:`{=latex} "
            .. "*%s* %s %s\n"):format(c.item, (c.item:gsub("%.", "-")),
        c.verdict, (c.verdict:gsub(" ", "-")), c.claim, c.evidence,
        places == "" and "*(Not in this book.)*" or "(" .. places .. ")")
end

function M.markdown(rows, source)
    local s = { "" }
    for _, c in ipairs(rows) do
        if c.source == source then s[#s + 1] = paragraph(c) end
    end
    return table.concat(s, "\n")
end
return M
