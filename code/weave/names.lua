-- Tangled from chapters/workshop/loom.nw, "The stream".  Edit it there.

-- Names that resemble each other.
local M = {}

-- Fewest insertions, deletions and changes that turn a into b.
function M.distance(a, b)
    local row = {}
    for j = 0, #b do row[j] = j end
    for i = 1, #a do
        local diagonal = row[0]
        row[0] = i
        for j = 1, #b do
            local cost = a:byte(i) == b:byte(j) and 0 or 1
            local best = math.min(row[j] + 1, row[j - 1] + 1,
                                  diagonal + cost)
            diagonal, row[j] = row[j], best
        end
    end
    return row[#b]
end

-- The name in the list that is nearest, if it is near at all.
function M.nearest(name, list)
    local best, least = nil, math.floor(#name / 3) + 1
    for _, other in ipairs(list) do
        if math.abs(#other - #name) < least then
            local d = M.distance(name, other)
            if d < least and d > 0 then best, least = other, d end
        end
    end
    return best
end

return M
