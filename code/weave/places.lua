-- Tangled from chapters/workshop/press.nw, "The table of places".  Edit it there.

-- Where everything is: key -> numbers of pages, for LuaTeX.  Pages with
-- roman numbers, which come first, are kept as n - 1000.
local M = { old = {}, new = {}, order = {}, roman = false }

-- places: record what is on this page
function M.record(keys)
    local n = tex.count[0] - (M.roman and 1000 or 0)
    for key in keys:gmatch("[^,]+") do
        local list = M.new[key]
        if not list then
            list = {}
            M.new[key] = list
            M.order[#M.order + 1] = key
        end
        if list[#list] ~= n then list[#list + 1] = n end
    end
end

-- places: keep the table
function M.load(file)
    M.file = file
    local chunk = loadfile(file)
    M.old = chunk and chunk() or {}
end

function M.save()
    local f = assert(io.open(M.file, "w"))
    f:write("return {\n")
    for _, key in ipairs(M.order) do
        f:write(("[%q] = { %s },\n"):format(key,
                table.concat(M.new[key], ", ")))
    end
    f:write("}\n")
    f:close()
end

-- places: look a place up
local function find(key)
    local list = M.old[key]
    if not list and not key:find("^in%.") then
        texio.write_nl("log", "Press Warning: no place called " .. key
                              .. "\n")
        return { 0 }
    end
    return list or {}
end

local function linked(n)
    if n == 0 then return "??" end
    local page = n < 0 and tex.romannumeral(n + 1000) or tostring(n)
    return ("\\hyperlink{page.%s}{%s}"):format(page, page)
end

-- places: list pages
local function sorted_pages(keys, but)
    local seen, list = {}, {}
    for _, n in ipairs(but and find(but) or {}) do seen[n] = true end
    for key in keys:gmatch("[^,]+") do
        for _, n in ipairs(find(key)) do
            if not seen[n] then list[#list + 1] = n end
            seen[n] = true
        end
    end
    table.sort(list)
    return list
end

local function listed(list)
    local out, i = {}, 1
    while i <= #list do
        local j = i
        while list[j + 1] == list[j] + 1 do j = j + 1 end
        if j > i + 1 then
            out[#out + 1] = linked(list[i]) .. "–" .. linked(list[j])
            i = j + 1
        else
            out[#out + 1] = linked(list[i])
            i = i + 1
        end
    end
    return table.concat(out, ", ")
end

-- places: print them
function M.print_pages(keys) tex.sprint(listed(sorted_pages(keys))) end

function M.print_used(keys)
    local list = sorted_pages(keys)
    local text = listed(list):gsub(", ([^,]*)$", " and %1")
    tex.sprint((#list > 1 and "pages~" or "page~") .. text)
end

function M.print_others(key, but)
    local list = sorted_pages(key, but)
    if #list > 0 then tex.sprint(", " .. listed(list)) end
end

-- places: print a reference
function M.print_far(id, me)
    local there, here = find(id)[1], (M.old[me] or {})[1]
    if not here or here // 2 ~= there // 2 then
        tex.sprint(("\\mbfar{%s}"):format(linked(there)))
    end
end
return M
