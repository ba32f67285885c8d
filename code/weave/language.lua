-- Tangled from chapters/workshop/loom.nw, "Comments that do no harm".  Edit it there.

-- What a file is written in, and how a comment looks there.
local M = {}

local by_ending = {
    c = "c", h = "c", cu = "cuda", cuh = "cuda", lua = "lua", sh = "sh",
    awk = "awk", mk = "make", css = "css", js = "js", mjs = "js",
    html = "html", xml = "html", tex = "tex", sty = "tex", cls = "tex",
    template = "template", gp = "gnuplot", yaml = "yaml", yml = "yaml",
    json = "json", txt = "text", md = "text",
}
local by_name = { Makefile = "make", makefile = "make" }
local by_interpreter = {
    { "lua", "lua" }, { "awk", "awk" }, { "sh", "sh" }, { "make", "make" },
}

-- The language of a file, from its name or, failing that, its first line.
function M.of(path, first_line)
    local name = path:match("([^/]+)$")
    local ending = name:match("%.([%w]+)$")
    local known = by_name[name] or ending and by_ending[ending]
    if known then return known end
    local program = (first_line or ""):match("^#!%s*(.*)$") or ""
    for _, p in ipairs(by_interpreter) do
        if program:find(p[1], 1, true) then return p[2] end
    end
    return "text"
end

local hash = { "# ", "" }
M.comment = {
    c = { "/* ", " */" }, cuda = { "/* ", " */" }, css = { "/* ", " */" },
    js = { "/* ", " */" }, lua = { "-- ", "" }, html = { "<!-- ", " -->" },
    tex = { "% ", "" }, template = { "$-- ", "" },
    sh = hash, awk = hash, make = hash, gnuplot = hash, yaml = hash,
}

return M
