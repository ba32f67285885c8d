-- Appendix A, The loom: A.9 Pages for the screen
-- Tangled from chapters/a-loom.nw by `make tangle`; edit it there.

-- pandoc filter, after citeproc: citations link to the bibliography page.
local function Link(link)
    if link.target:match("^#ref%-") then
        link.target = "bibliography.html" .. link.target
        return link
    end
end

function Pandoc(doc)
    if pandoc.utils.stringify(doc.meta.slug or "") == "bibliography" then
        return nil
    end
    return doc:walk { Link = Link }
end
