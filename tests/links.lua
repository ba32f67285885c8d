-- lua5.4 links.lua FOLDER: every link and anchor of the pages in FOLDER
-- resolves, no anchor occurs twice, nothing is asked from another host.
-- Prints one line for each mistake; exit status 1 if there is any.
local folder = arg[1]
local pages, wrong = {}, 0

local function complain(page, ...)
    wrong = wrong + 1
    print(page .. ": " .. string.format(...))
end

local list = io.popen("ls '" .. folder .. "'")
for name in list:lines() do
    if name:match("%.html$") then
        local f = assert(io.open(folder .. "/" .. name))
        local text = f:read("a"):gsub("<script.-</script>", "")
        f:close()
        local ids = {}
        for tag in text:gmatch("<%a[^>]*>") do
            local id = tag:match('%sid="([^"]*)"')
            if id and ids[id] then complain(name, "two #%s", id) end
            if id then ids[id] = true end
        end
        pages[name] = { text = text, ids = ids }
    else
        pages[name] = { text = "", ids = {} }
    end
end
list:close()

local function decode(s)
    return (s:gsub("&amp;", "&"):gsub("&quot;", '"'):gsub("&lt;", "<")
             :gsub("&gt;", ">"):gsub("%%(%x%x)", function (h)
                return string.char(tonumber(h, 16))
             end))
end

local count = 0
for name, page in pairs(pages) do
    for tag in page.text:gmatch("<%a[^>]*>") do
        local target = tag:match('%shref="([^"]*)"')
        local source = tag:match('%ssrc="([^"]*)"')
        if source or tag:match("^<link") and target
           and not tag:match('rel="icon"') then
            if (source or target):match("^%w+:") then
                complain(name, "asks another host: %s", tag)
            end
        end
        target = source or target
        if target and not target:match("^%w+:") then
            count = count + 1
            local file, id = decode(target):match("^([^#]*)#?(.*)$")
            local to = pages[file == "" and name or file]
            if not to then
                complain(name, "no page %s", target)
            elseif id ~= "" and not to.ids[id] then
                complain(name, "no anchor %s", target)
            end
        end
        for id in (tag:match('aria%-describedby="([^"]*)"') or "")
                  :gmatch("%S+") do
            if not page.ids[id] then complain(name, "no #%s", id) end
        end
    end
end
if wrong == 0 then print(count .. " links") end
os.exit(wrong == 0 and count > 0)
