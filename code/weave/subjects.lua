-- Tangled from chapters/workshop/finding.nw, "Subjects".  Edit it there.

-- The indexes chapters/subjects.csv and chapters/questions.csv.
-- read(path, say) returns their rows; say(line, text) hears what is wrong.
local located = require "located"
local M = {}
M.header = "subject,entry,sections"

-- what is wrong with a row of an index
local function check(row, before, say)
    located.order(row, before, "row", say)
    if not row.subject:find("^%a") then
        say(row.line, "a subject begins with a letter")
    end
    if #row.sections < 1 or #row.sections > 4 then
        say(row.line, "a row names one to four sections, this one "
                      .. #row.sections)
    end
    if #row.exercises + #row.kernels > 3 then
        say(row.line, "a row names at most three exercises, this one "
                      .. #row.exercises + #row.kernels)
    end
end

-- read an index
function M.read(path, say)
    local rows = located.read(path, M.header, "row", say)
    for i, row in ipairs(rows) do
        row.name = row.subject .. (row.entry ~= "" and ": " .. row.entry
                                                    or "")
        row.key = row.subject:lower() .. "\0" .. row.entry:lower()
        check(row, rows[i - 1], say)
    end
    return rows
end

-- the subjects as Markdown
local function raw(format, text)
    return "```{=" .. format .. "}\n" .. text .. "\n```\n"
end

local function subject_lines(row, before)
    local s, under = {}, row.entry ~= ""
    if not before or before.subject ~= row.subject then
        s[1] = "`\\indexentry{}`{=latex}[" .. row.subject .. "]{.subject} "
               .. (under and "" or located.places(row)) .. "\n"
    end
    if under then
        s[#s + 1] = "`\\indexentry\\hspace*{1em}`{=latex}[" .. row.entry
                    .. "]{.under} " .. located.places(row) .. "\n"
    end
    return table.concat(s, "\n")
end

function M.markdown(rows)
    local s, bar, last = {}, {}, nil
    for i, row in ipairs(rows) do
        local letter = row.subject:sub(1, 1):upper()
        if letter ~= last then
            bar[#bar + 1] = '<a href="#letter-' .. letter .. '">'
                            .. letter .. "</a>"
            s[#s + 1] = raw("html", '<h2 id="letter-' .. letter .. '">'
                                    .. letter .. "</h2>")
            s[#s + 1] = raw("latex", "\\indexhead{" .. letter .. "}")
        end
        last, s[#s + 1] = letter, subject_lines(row, rows[i - 1])
    end
    return "\n" .. raw("html", '<p class="letters">'
                               .. table.concat(bar, " ")
                               .. '</p><div class="by-letter">')
        .. raw("latex", "\\begin{multicols}{2}\\small\\raggedright"
                        .. "\\parindent=0pt")
        .. table.concat(s, "\n") .. "\n" .. raw("html", "</div>")
        .. raw("latex", "\\end{multicols}")
end

-- the questions as Markdown
function M.questions(rows)
    local s, last = { "" }, nil
    for _, row in ipairs(rows) do
        if row.subject ~= last then
            s[#s + 1] = "\n**" .. row.subject .. "**\n"
        end
        last = row.subject
        s[#s + 1] = "- " .. row.entry .. " " .. located.places(row)
                    .. located.practice(row)
    end
    return table.concat(s, "\n") .. "\n"
end
return M
