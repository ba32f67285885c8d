-- Tangled from chapters/workshop/loom.nw, "How long a chapter takes".  Edit it there.

-- How long a chapter takes to read.
--
-- count(markdown) returns the words of a chapter and the lines in its
-- fences; minutes(words, lines) what they take; in_words(minutes) "35 min".
local M = { words_a_minute = 200, lines_a_minute = 12 }

-- count words and lines, but not in answers
local function words_of(line)
    local n = 0
    line = line:gsub("%b{}", ""):gsub("%]%b()", "]")
    for word in line:gmatch("%S+") do
        if word:find("[%w\128-\255]") then n = n + 1 end
    end
    return n
end

function M.count(markdown)
    local words, lines, depth, fence, answer, in_quiz = 0, 0, 0
    for line in markdown:gmatch("[^\n]+") do
        local ticks = line:match("^%s*(```+)") or line:match("^(~~~+)")
        local block = not fence and line:match("^:::+%s*(.*)$")
        if fence and ticks and #ticks >= #fence then
            fence = nil
        elseif fence then
            lines = lines + (not answer and line:find("%S") and 1 or 0)
        elseif ticks then
            fence = ticks
        elseif block then
            depth = depth + (block == "" and -1 or 1)
            in_quiz = block:find("^{[^}]*%.quiz") ~= nil
            if block:find("^{%.answer") then answer = answer or depth end
            if answer and depth < answer then answer = nil end
        elseif not answer then
            local reason = in_quiz and line:find("^:%s")
            words = words + (reason and 0 or words_of(line))
        end
    end
    return words, lines
end

function M.minutes(words, lines)
    return math.ceil(words / M.words_a_minute
                     + lines / M.lines_a_minute)
end

function M.in_words(minutes)
    local hours, rest = minutes // 60, minutes % 60
    local out = {}
    if hours > 0 then out[1] = hours .. "\u{202F}h" end
    if rest > 0 then out[#out + 1] = rest .. "\u{202F}min" end
    return table.concat(out, " ")
end

return M
