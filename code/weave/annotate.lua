-- Tangled from chapters/workshop/loom.nw, "Comments that do no harm".  Edit it there.

-- Filter between markup and mnt: names, sections and banners as comments.
-- lua annotate.lua FOLDER [lines] < stream > stream
-- Writes FOLDER/roots (all but makefiles) and FOLDER/roots.make, one name a
-- line, and FOLDER/folders.  With `lines` only C and CUDA roots are listed
-- and nothing is added.  Exit 1 with messages if a chunk is wrong.
package.path = arg[0]:gsub("[^/]*$", "") .. "?.lua;" .. package.path
local noweb = require "noweb"
local language = require "language"

local folder, only_lines = arg[1], arg[2] == "lines"
local book = noweb.read(io.lines())
local added = {}              -- index into book.raw -> text to add there

-- stop at what would give wrong code
local fatal = false
for _, p in ipairs(noweb.problems(book)) do
    io.stderr:write(p.path, ":", p.line, ": ", p.text, "\n")
    fatal = fatal or p.fatal
end
if fatal then os.exit(1) end

-- the language of each chunk
local function first_line(chunk)
    local line = chunk.parts[1].lines[1]
    return line and line[1] and line[1].text or ""
end

local function language_of(chunk)
    local found
    for _, root in ipairs(chunk.files) do
        local l = language.of(root, first_line(book.chunks[root]))
        if l == "cuda" then l = "c" end
        if found and found ~= l then return "text" end
        found = l
    end
    return found or "text"
end

-- is this part inside a continued line?
local function ends_in_backslash(line)
    local last = line and line[#line]
    return last and last.text and last.text:match("\\$")
end

local function is_continued(part)
    if ends_in_backslash(part.lines[1]) and #part.lines > 1 then
        return not part.lines[1][1].text:find("^#")     -- a #define begins
    end
    for _, u in ipairs(part.chunk.uses) do
        if ends_in_backslash(u.part.lines[u.n - 1]) then return true end
    end
    return false
end

-- a comment for a part
local function at_margin(part)
    if noweb.is_root(part.chunk.name) then return true end
    for _, u in ipairs(part.chunk.uses) do
        local line, above = u.part.lines[u.n], u.part.lines[u.n - 1]
        if #line > 1 or part.index == 1 and (not above or #above == 0) then
            return false
        end
    end
    return true
end

local function comment(lang, text)
    local marks = language.comment[lang]
    text = text:gsub("%*/", "* /"):gsub("%-%->", "-- >")
    if lang == "sh" then text = text:gsub("'", "") end
    return marks[1] .. text .. marks[2]
end

local function plain(title) return (title:gsub("`", "")) end

local function describe(part)
    local chunk, section = part.chunk, part.section
    if not noweb.is_root(chunk.name) then
        return part.index == 1 and chunk.name or nil
    end
    local before = part.index > 1 and chunk.parts[part.index - 1]
    if before and before.section ~= section then
        return plain(section.title)
    end
end

-- a banner for a file
local function banner(part)
    local title = part.section and part.section.title
                  or part.chapter.title or ""
    return "Tangled from " .. part.chapter.path .. ", \""
           .. plain(title) .. "\".  Edit it there."
end

-- add comments and banners to the stream
local function add(at, lines)
    local out = {}
    for _, l in ipairs(lines) do
        out[#out + 1] = "@text " .. l .. "\n@nl\n"
    end
    added[at] = table.concat(out)
end

local function is_first_line(text)
    return text:match("^#!") or text:match("^<!DOCTYPE")
           or text:match("^<%?xml") or text:match("^@charset")
end

local function annotate(part)
    local chunk = part.chunk
    local lang = language_of(chunk)
    if not language.comment[lang] then return end
    local root = noweb.is_root(chunk.name)
    if root and part.index == 1 then
        local at = part.at
        if is_first_line(first_line(chunk)) then
            at = at + 1
            while book.raw[at] ~= "@nl" do at = at + 1 end
        end
        add(at, { comment(lang, banner(part)), "" })
        return
    end
    local text, lines = describe(part), {}
    local continued = is_continued(part)
    if not continued and at_margin(part) then lines[1] = "" end
    if text and not (continued and lang ~= "c") then
        lines[#lines + 1] = comment(lang, text)
                            .. (continued and " \\" or "")
    end
    add(part.at, lines)
end

if not only_lines then
    for _, chunk in ipairs(book.chunks) do
        for _, part in ipairs(chunk.parts) do annotate(part) end
    end
end

-- write the stream and the lists of roots
for i, text in ipairs(book.raw) do
    io.write(text, "\n")
    if added[i] then io.write(added[i]) end
end

local lists = { roots = {}, ["roots.make"] = {}, folders = {} }
for _, chunk in ipairs(book.chunks) do
    if noweb.is_root(chunk.name) and #chunk.parts > 0 then
        local lang = language.of(chunk.name, first_line(chunk))
        local compiled = lang == "c" or lang == "cuda"
        if compiled or not only_lines then
            table.insert(lists[lang == "make" and "roots.make" or "roots"],
                         chunk.name)
            table.insert(lists.folders, (chunk.name:match("^(.*)/")))
        end
    end
end
for name, list in pairs(lists) do
    local f = assert(io.open(folder .. "/" .. name, "w"))
    f:write(table.concat(list, "\n"), "\n")
    f:close()
end
