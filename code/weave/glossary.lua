-- Tangled from chapters/workshop/finding.nw, "The glossary".  Edit it there.

-- The table of terms, chapters/glossary.csv.
-- read(path, say) returns a list of { term, chinese, section, linked,
-- sentence, words, anchor, line }; say(line, text) hears what is wrong.
local located = require "located"
local M = {}
M.header = "term,chinese,section,linked,sentence"

-- an anchor for a term
local function anchor_of(term)
    return "term-" .. term:lower():gsub("[^%w]+", "-"):gsub("%-$", "")
end

-- What the text calls it: the term without what stands in brackets.
local function words_of(term)
    local words = {}
    for word in term:gsub("%s*%b()", ""):gmatch("%S+") do
        words[#words + 1] = word:lower()
    end
    return words
end

-- what is wrong with a term
local function check(t, before, say)
    located.order(t, before, "term", say)
    if t.linked ~= "yes" and t.linked ~= "no" then
        say(t.line, "linked is \"" .. t.linked .. "\", not yes or no")
    end
    if not t.chinese:find("[\xe3-\xe9]") then
        say(t.line, "\"" .. t.term .. "\" has no Chinese name")
    end
    if not t.sentence:find("^%w.*%w%)?%.$") then
        say(t.line, "\"" .. t.sentence .. "\" is not one sentence")
    end
end

-- read the terms
function M.read(path, say)
    local terms = located.read(path, M.header, "term", say)
    for i, t in ipairs(terms) do
        t.name, t.key = t.term, t.term:lower()
        t.words, t.anchor = words_of(t.term), anchor_of(t.term)
        check(t, terms[i - 1], say)
    end
    return terms
end

-- the terms as Markdown
function M.markdown(terms)
    local s, bar, letter = { "" }, {}, nil
    for _, t in ipairs(terms) do
        local first = t.term:sub(1, 1):upper()
        if first ~= letter then
            bar[#bar + 1] = '<a href="#' .. t.anchor .. '">' .. first
                            .. "</a>"
        end
        letter = first
        s[#s + 1] = "[" .. t.term .. "]{#" .. t.anchor .. "} ["
            .. t.chinese .. "]{.zh}\n:   " .. t.sentence .. " @sec:"
            .. t.section .. "\n"
    end
    return '\n```{=html}\n<p class="letters">' .. table.concat(bar, " ")
           .. "</p>\n```\n" .. table.concat(s, "\n")
end
return M
