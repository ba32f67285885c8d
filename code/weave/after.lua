-- Tangled from chapters/workshop/loom.nw, "Pages for the screen".  Edit it there.

-- pandoc filter, after citeproc: citations link to the bibliography page,
-- brackets in formulas are as large as what they enclose, and no line
-- begins with a comma.

-- send a citation to the bibliography
local function Link(link)
    if link.target:match("^#ref%-") then
        link.target = "bibliography.html" .. link.target
        return link
    end
end

-- give a source a class without a role
local function Div(div)
    if div.classes:includes("csl-entry") then
        div.classes = { "source" }
        return div
    end
end

-- let brackets rest around low formulas
local OPEN = '<mo stretchy="true" form="prefix">'
local CLOSE = '<mo stretchy="true" form="postfix">'
local TALL = { "<mfrac", "<mtable", "<munder", "<mover" }

local function is_tall(mathml)
    for _, tag in ipairs(TALL) do
        if mathml:find(tag, 1, true) then return true end
    end
end

-- the places of brackets that may rest
local function resting(text)
    local places, open = {}, {}
    for at in text:gmatch('()<mo stretchy="true"') do
        if text:sub(at, at + #OPEN - 1) == OPEN then
            open[#open + 1] = at
        elseif text:sub(at, at + #CLOSE - 1) == CLOSE and #open > 0 then
            local from = table.remove(open)
            if not is_tall(text:sub(from, at)) then
                places[#places + 1] = from
                places[#places + 1] = at
            end
        end
    end
    return places
end

-- names, signs and letters that pandoc took for operators
local function repair(text)
    return (text:gsub("<mo>(%l%l+)</mo>",
                      '<mo lspace="0.1em" rspace="0.167em">%1</mo>')
                :gsub("<mo>([^%w%s<>]+)</mo><mo>−</mo>",
                      '<mo>%1</mo><mo form="prefix">−</mo>')
                :gsub('(form="prefix">[^<]*</mo>)<mo>−</mo>',
                      '%1<mo form="prefix">−</mo>')
                :gsub('(</m[rs][ou][wp]>)<mo accent="true">¯</mo>',
                      '%1<mo stretchy="true">―</mo>')
                :gsub("<mo>ℓ</mo>", "<mi>ℓ</mi>"))
end

local function Math(formula)
    local options = pandoc.WriterOptions { html_math_method = "mathml" }
    local text = pandoc.write(pandoc.Pandoc { pandoc.Plain { formula } },
                              "html", options)
    local places = resting(text)
    table.sort(places, function(a, b) return a > b end)     -- from the back
    for _, at in ipairs(places) do
        text = text:sub(1, at - 1) .. text:sub(at):gsub("true", "false", 1)
    end
    return pandoc.RawInline("html", repair(text))
end

-- keep together what a browser would part
local function glued(inlines)
    return pandoc.Span(inlines, pandoc.Attr("", { "glue" }))
end

local function Inlines(inlines)
    local out = pandoc.List()
    for _, el in ipairs(inlines) do
        local before = out[#out]
        local sign, rest
        local long = before and before.t == "Span"
                     and before.classes:includes("formula")
        if el.t == "Str" and before and (long or before.t == "Math") then
            sign, rest = el.text:match("^([,.;:!?)]+)(.*)$")
            if el.text:find("^\u{202F}") then sign, rest = el.text, "" end
        end
        if sign and long then           -- it scrolls with the formula
            before.content:insert(glued { before.content:remove(),
                                          pandoc.Str(sign) })
            el = pandoc.Str(rest)
        elseif sign then
            out[#out] = glued { before, pandoc.Str(sign) }
            el = pandoc.Str(rest)
        end
        if el.t ~= "Str" then
            out:insert(el)
        elseif el.text:find("%a%-%d") and #el.text <= 16 then
            out:insert(glued { el })            -- GPT-2, Latin-1
        elseif el.text ~= "" then
            out:insert(el)
        end
    end
    return out
end

function Pandoc(doc)
    local slug = pandoc.utils.stringify(doc.meta.slug or "")
    if slug == "bibliography" then
        return doc:walk { Div = Div, Math = Math }
    end
    local away = not doc.meta.volume
    return doc:walk { Inlines = Inlines }
              :walk { Link = away and Link or nil, Div = Div, Math = Math }
end
