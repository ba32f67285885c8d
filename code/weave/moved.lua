-- Tangled from chapters/workshop/loom.nw, "The driver".  Edit it there.

-- moved.lua: write a redirect for each old name under `moved`.
package.path = arg[0]:gsub("[^/]*$", "") .. "?.lua;" .. package.path
local page = [[
<!DOCTYPE html>
<html lang="en-GB"><head><meta charset="utf-8"><title>Moved</title>
<link rel="canonical" href="NEW.html">
<script>location.replace("NEW.html" + location.hash)</script>
<meta http-equiv="refresh" content="0; url=NEW.html"></head>
<body><main><h1>This page has moved</h1>
<p>It is <a href="NEW.html">here</a> now.</p></main></body></html>
]]
for old, new in pairs(require("contents").read(".").moved or {}) do
    local f = assert(io.open("build/book/html/" .. old .. ".html", "w"))
    f:write((page:gsub("NEW", new)))
    f:close()
end
