-- Where numbers come from: `lua5.4 tests/provenance.lua FOLDER` prints a line
-- for each row of FOLDER/*.csv whose commit is not in the history of HEAD,
-- whose command names nothing that the tree holds, or nothing that was there
-- at that commit.  A row that says `trial on COMMIT` was measured from a
-- change that was not committed, so only its commit is asked for.  Runs in
-- the root of a git checkout.
package.path = "code/weave/?.lua;" .. package.path
local data = require "data"
local folder = arg[1]

local function run(command)
    local pipe = assert(io.popen(command))
    local text = pipe:read("a")
    return text, pipe:close()
end

-- ---- what a command may name ----------------------------------------------

-- What a program, a test or a script is called, whatever folder it is in; the
-- old names are those of before the folders of 23 November.
local was = { gpu_attention = "fast_flash", gpu_fp32 = "fast_floats",
              gpu_fused = "fast_fused", gpu_model = "fast_model",
              gpu_matmul = "fast_product" }
local function called(file)
    local base, kind = file:match("([^/]+)%.(%a+)$")
    if not base then return file end
    if kind == "c" or kind == "cu" then
        return (base:gsub("^main_", ""):gsub("_", "-"))
    end
    return base .. "." .. kind
end

local known = {}                -- what a word stands for: a file, or true
for file in run("git ls-files"):gmatch("[^\n]+") do
    known[file] = file
    if file:match("^code/%a+/[%w_]+%.cu?$") or file:match("^tests/[%w_]+%.c$")
    then
        known[called(file)] = file
        known[file:match("([%w_]+)%.%a+$")] = file
    end
    if file:find("^tests/reference/") or file:find("%.sh$") then
        known[called(file)] = file
    end
end
for _, path in ipairs { "Makefile", "mk/bench.mk", "mk/tests.mk" } do
    for line in io.lines(path) do
        for target in (line:match("^([%w%- ]+):") or ""):gmatch("%S+") do
            known["make " .. target] = true
        end
    end
end

-- A word stands for itself, for a program of build/bin or build/tests-KIND,
-- for one of the variants NAME-cuda and NAME-simt.  Returns the file, if it
-- is one, or true.
local function named_by(command)
    for word in command:gmatch("[^%s;:,()]+") do
        local name = word:gsub("^build/[%w%-]+/", "")
                         :gsub("^tests%-%w+/", "")
        local plain = name:gsub("%-cuda$", ""):gsub("%-simt$", "")
        local file = known[word] or known[name] or known[plain]
        if file then return file end
    end
    for target in command:gmatch("make ([%w%-]+)") do
        if known["make " .. target] then return true end
    end
    for dir in command:gmatch("tests/[%w/]+") do
        for file in pairs(known) do
            if file:sub(1, #dir + 1) == dir .. "/" then return true end
        end
    end
end

-- ---- the rows ---------------------------------------------------------------

local asked = {}
local function in_history(commit)
    if asked[commit] == nil then
        asked[commit] = select(2, run("git merge-base --is-ancestor "
            .. commit .. " HEAD 2> /dev/null")) == true
    end
    return asked[commit]
end

local names_at = {}             -- commit -> what was there, by name
local function was_there(commit, file)
    if not names_at[commit] then
        local names = {}
        for path in run("git ls-tree -r --name-only " .. commit
                        .. " 2> /dev/null"):gmatch("[^\n]+") do
            names[called(path)] = true
        end
        names_at[commit] = names
    end
    local name = called(file)
    local old = was[name:gsub("%-", "_")]
    return names_at[commit][name]
           or old and names_at[commit][called(old .. ".c")]
end

local function check(place, name, machine, command, commit)
    local trial = commit:match("^trial on (%x+)$")
    local hash = trial or commit:match("^(%x+)$")
    if hash and not in_history(hash) then
        print(place .. ": " .. name .. " is of commit " .. hash
              .. ", which is not in this history")
        return
    end
    local given = machine:find("^none, given")
    local file = trial or given or named_by(command)
    if not file then
        print(place .. ": " .. name .. " comes from \"" .. command
              .. "\", and nothing here is called so")
    elseif hash and not trial and known[file]
           and not file:find("^figures/") and not was_there(hash, file) then
        print(place .. ": " .. name .. " is of " .. hash .. ", where there "
              .. "was no " .. file .. "; if it was not committed yet, say "
              .. "`trial on " .. hash .. "`")
    end
end

local function check_file(path)
    local head, n = {}, 0
    local rows = {}
    data.read(path, rows)
    for _, row in pairs(rows) do
        check(path .. ":" .. row.line, row.name, row.machine, row.command,
              row.commit)
    end
    for line in io.lines(path) do
        local key, value = line:match("^# (%a+): (.*)$")
        if key then head[key] = value end
    end
    if head.command then
        check(path, "the table", head.machine, head.command, head.commit)
    end
end

for path in run("ls " .. folder .. "/*.csv"):gmatch("[^\n]+") do
    check_file(path)
end
