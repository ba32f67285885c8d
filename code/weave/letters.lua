-- Tangled from chapters/workshop/finding.nw, "An index on several pages".  Edit it there.

-- The pages that an index is split into, by the first letter of a name.
local M = { groups = { "a-b", "c", "d-f", "g-l", "m-o", "p-r", "s",
                       "t-z" } }

-- The letter under which a name stands; "_" for what begins with none.
function M.initial(name)
    local letter = name:match("^[^%w_]*(.)") or "_"
    return letter:match("%a") and letter:upper() or "_"
end

-- The page of the index `stem` that holds a name.
function M.page(stem, name)
    local letter = M.initial(name):lower()
    for _, group in ipairs(M.groups) do
        if letter ~= "_" and letter <= group:sub(-1) then
            return stem .. "-" .. group
        end
    end
    return stem .. "-" .. M.groups[#M.groups]
end

return M
