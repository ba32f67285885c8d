// The woven pages in a browser: no errors, no request to another host, no
// sideways scrolling, readable contrast, unfolding, search, life without scripts,
// and the rules of axe-core for WCAG 2.2, levels A and AA.
// node tests/pages.mjs [FOLDER]   (default build/book/html)
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync,
         rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = resolve(process.argv[2] || "build/book/html");
const browserPath = process.env.CHROMIUM || "/usr/bin/chromium";
let count = 0, failed = 0;

function report(good, what, detail) {
    count++;
    if (!good) failed++;
    console.log(`${good ? "ok" : "not ok"} ${count} - ${what}`);
    for (const line of (good ? [] : [detail].flat()).slice(0, 12))
        console.log("# " + line);
}

function skip(why) {
    console.log(`ok 1 - the pages in a browser # SKIP ${why}`);
    process.exit(0);
}

const { chromium } = await import("playwright-core").catch(
    () => skip("playwright-core is not installed; npm install brings it"));
if (!existsSync(browserPath)) skip(`no browser at ${browserPath}`);
if (!existsSync(`${folder}/index.html`))
    skip(`no pages in ${folder}; run make book first`);

// A page that has moved leads on to another one and has a row of its own.
const files = readdirSync(folder).filter(f => f.endsWith(".html")).sort();
const texts = new Map();
function text(name) {
    if (!texts.has(name))
        texts.set(name, readFileSync(`${folder}/${name}`, "utf8"));
    return texts.get(name);
}
const moved = files.filter(f => text(f).includes("<title>Moved</title>"));
const pages = files.filter(f => !moved.includes(f));
// Of the pages of an index, a letter or several each, one is looked at: all
// come from one line of the loom.
const looked = pages.filter(f => !/^(identifiers|chunks)-(?!s\.)/.test(f));
const url = name => pathToFileURL(`${folder}/${name}`).href;
const browser = await chromium.launch({
    executablePath: browserPath, args: ["--no-sandbox"] });

// ---- what runs inside the page ----------------------------------------------
// Every piece of text whose contrast with what is behind it is below 4.5.  axe
// asks the same, and takes minutes for all pages: it sees some of them, at one
// width.  The letters of drawings it does not look at.
function weakText() {
    const parse = s => (s.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
    const linear = c => (c /= 255) <= 0.04045
        ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const luminance = ([r, g, b]) =>
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    const grounds = new Map([[null, [255, 255, 255]]]);
    const ground = e => {                   // each element is asked once
        if (!grounds.has(e)) {
            const c = parse(getComputedStyle(e).backgroundColor);
            grounds.set(e, c.length < 4 || c[3] > 0
                ? c : ground(e.parentElement));
        }
        return grounds.get(e);
    };
    const asked = new Set(), seen = new Set(), weak = [];
    const walker = document.createTreeWalker(document.body,
                                             NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const e = walker.currentNode.parentElement;
        if (asked.has(e) || !walker.currentNode.data.trim()) continue;
        asked.add(e);
        const front = getComputedStyle(e).color, back = ground(e);
        const key = front + back;
        if (seen.has(key) || e.closest("svg, template") ||
            !e.checkVisibility({ opacityProperty: true })) continue;
        seen.add(key);
        const a = luminance(parse(front)), b = luminance(back);
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (!(ratio >= 4.5))
            weak.push(`${ratio.toFixed(2)} ${e.tagName}.${e.className}: ` +
                      walker.currentNode.data.trim().slice(0, 40));
    }
    return weak;
}

// The same for the letters of drawings, whose ground is what was painted
// before them; and pairs of labels of which one covers half of the other.
function drawings() {
    const parse = s => (s.match(/[\d.]+/g) || [0, 0, 0]).map(Number);
    const linear = c => (c /= 255) <= 0.04045
        ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const luminance = ([r, g, b]) =>
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    const over = (style, back) => {
        const c = parse(style.fill);
        const o = style.fillOpacity * style.opacity * (c[3] ?? 1);
        return back.map((b, k) => c[k] * o + b * (1 - o));
    };
    const place = (svg, e, x, y) => Object.assign(svg.createSVGPoint(),
        { x, y }).matrixTransform(e.getScreenCTM());
    const corners = (svg, e) => {
        const b = e.getBBox(), h = b.height / 4;      // letters, not the line
        return [[b.x, b.y + h], [b.x + b.width, b.y + h],
                [b.x + b.width, b.y + 3 * h], [b.x, b.y + 3 * h]]
            .map(([x, y]) => place(svg, e, x, y));
    };
    const inside = (q, p) => q.every((a, i) => {
        const b = q[(i + 1) % 4];
        return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) >= 0;
    });
    const apart = (a, b, k) => Math.max(...a.map(p => p[k])) <
                               Math.min(...b.map(p => p[k]));
    const covered = (a, b) => {              // share of label a that b covers
        let n = 0;
        if (apart(a, b, "x") || apart(b, a, "x") ||
            apart(a, b, "y") || apart(b, a, "y")) return 0;
        for (let i = 0; i < 100; i++) {
            const u = (i % 10 + .5) / 10, v = (Math.floor(i / 10) + .5) / 10;
            n += inside(b, {
                x: a[0].x + u * (a[1].x - a[0].x) + v * (a[3].x - a[0].x),
                y: a[0].y + u * (a[1].y - a[0].y) + v * (a[3].y - a[0].y) });
        }
        return n / 100;
    };
    const weak = [], crowded = [];
    for (const svg of document.querySelectorAll("figure svg")) {
        const id = svg.closest("figure").id, labels = [];
        const parts = [...svg.querySelectorAll(
            "rect, path, polygon, circle, ellipse, text")];
        for (const text of parts.filter(e => e.tagName === "text")) {
            const label = text.textContent.trim();
            if (!label) continue;
            const quad = corners(svg, text);
            labels.push({ label, quad });
            const middle = { x: (quad[0].x + quad[2].x) / 2,
                             y: (quad[0].y + quad[2].y) / 2 };
            let back = parse(getComputedStyle(document.body)
                             .backgroundColor).slice(0, 3);
            for (const shape of parts.slice(0, parts.indexOf(text))) {
                const style = getComputedStyle(shape);
                if (shape.tagName === "text" || style.fill === "none")
                    continue;
                const p = Object.assign(svg.createSVGPoint(), middle);
                if (shape.isPointInFill(p.matrixTransform(
                        shape.getScreenCTM().inverse())))
                    back = over(style, back);
            }
            const leaf = text.querySelector("tspan") || text;
            const a = luminance(over(getComputedStyle(leaf), back));
            const b = luminance(back);
            const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
            if (!(ratio >= 4.5))
                weak.push(`${id}: ${ratio.toFixed(2)} ${label}`);
        }
        for (const a of labels)
            for (const b of labels)
                if (a !== b && covered(a.quad, b.quad) >= .5)
                    crowded.push(`${id}: ${a.label} under ${b.label}`);
    }
    return { weak, crowded };
}

// Elements that stick out to the right although nothing lets them scroll.
function wide() {
    const root = document.documentElement;
    if (root.scrollWidth <= innerWidth) return [];
    const out = [`page is ${root.scrollWidth} wide, window ${innerWidth}`];
    for (const e of document.body.querySelectorAll("*")) {
        const r = e.getBoundingClientRect();
        if (r.right > innerWidth + 1 && !e.closest("pre, .table, .equation, .drawing"))
            out.push(`${e.tagName}.${e.className} ends at ${r.right}`);
    }
    return out;
}

// Formulas on a line of their own that a reader at a desk would have to
// scroll.
function cutFormulas() {
    return [...document.querySelectorAll(".equation, p > math[display=block]")]
        .filter(e => e.scrollWidth > e.clientWidth + 1)
        .map(e => `${e.scrollWidth} wide, room for ${e.clientWidth}: ` +
                  e.textContent.trim().slice(0, 40));
}

// ---- every page ------------------------------------------------------------------
// Each page in one of two windows, which need a processor each.
async function visit(options, names, use) {
    await Promise.all([0, 1].map(async first => {
        const context = await browser.newContext(options);
        const page = await context.newPage();
        const noise = [], asked = [];
        page.on("console", m => {       // nobody need have begun an exercise
            if (["error", "warning"].includes(m.type()) &&
                !/\/exercises\/progress.js$/.test(m.location().url))
                noise.push(m.text());
        });
        page.on("pageerror", e => noise.push(String(e)));
        page.on("request", r => {
            if (!/^(file|data|about):/.test(r.url())) asked.push(r.url());
        });
        for (let i = first; i < names.length; i += 2)
            await use(page, names[i], i, { noise, asked });
        await context.close();
    }));
}

// ---- unfolding ------------------------------------------------------------------
// The first uses of a page, all unfolded and then folded again.  One is pressed
// by the mouse below.
let unfolded = 0;
const folds = [];
function unfold() {
    const bad = [], buttons = [...document.querySelectorAll(".unfold")].slice(0, 3);
    buttons.forEach((button, i) => {
        button.click();
        const box = button.closest(".uses").nextElementSibling;
        if (!box?.classList.contains("unfolded") || !box.textContent.trim())
            bad.push(`use ${i + 1} unfolds to nothing`);
    });
    const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
    if (new Set(ids).size !== ids.length)
        bad.push("an id is there twice after unfolding");
    for (const button of buttons) button.click();
    if (document.querySelector(".unfolded")) bad.push("a use does not fold again");
    return { bad, many: buttons.length };
}

// ---- where a number comes from ----------------------------------------------------------
let numbers = 0;
const orphans = [];
function origin() {
    const number = document.querySelector(".num");
    if (!number) return null;
    number.focus();
    const card = number.querySelector(":scope > .card");
    const good = card?.checkVisibility() &&
        /machine|^computed [\d\s.*/+()-]+$/.test(card.innerText);
    number.blur();
    return { good };
}

// ---- every page, narrow and wide, light and dark ------------------------------
// Every page is loaded once and then seen at each width: what a width changes
// is layout, and a script that hears of it.  Colours change with the scheme, so
// a page is light at the first width, dark at the last, and both in between; the
// page after it the other way round.
const widths = [1440, 1100, 360];
const at = Object.fromEntries(widths.map(width => [width, {
    noise: [], asked: [], trouble: [], cut: [], crowded: [],
    weak: { light: [], dark: [] }, pale: { light: [], dark: [] } }]));
await visit({}, looked, async (page, name, i, heard) => {
    const schemes = i % 4 < 2 ? ["light", "dark"] : ["dark", "light"];
    const note = (to, what) => to.push(...what.map(t => `${name}: ${t}`));
    await page.goto("about:blank");         // where a new size costs nothing
    await page.emulateMedia({ colorScheme: schemes[0] });
    await page.setViewportSize({ width: widths[0], height: 800 });
    await page.goto(url(name));
    for (const width of widths) {
        const found = at[width];
        if (width !== widths[0]) await page.setViewportSize({ width, height: 800 });
        note(found.trouble, await page.evaluate(wide));
        note(found.cut, await page.evaluate(cutFormulas));
        for (const colorScheme of width === 1440 ? schemes.slice(0, 1)
             : width === 1100 ? schemes : schemes.slice(1)) {
            if (width === 1100) await page.emulateMedia({ colorScheme });
            note(found.weak[colorScheme], await page.evaluate(weakText));
            if (width !== 1100) continue;
            const { weak, crowded } = await page.evaluate(drawings);
            note(found.pale[colorScheme], weak);
            if (colorScheme === "light") note(found.crowded, crowded);
        }
        if (width === 1100) {
            const { bad, many } = await page.evaluate(unfold);
            note(folds, bad);
            unfolded += many;
            const from = await page.evaluate(origin);
            if (from) numbers++;
            if (from && !from.good)
                orphans.push(`${name}: a number does not say where it comes from`);
        }
        found.noise.push(...heard.noise.splice(0));
        found.asked.push(...heard.asked.splice(0));
    }
});
for (const width of [...widths].reverse()) {
    const { noise, asked, trouble, cut, weak, pale, crowded } = at[width];
    const where = `${width} px, ${pages.length} pages`;
    report(noise.length === 0, `${where}: no error on the console`, noise);
    report(asked.length === 0, `${where}: no request to a host`, asked);
    report(trouble.length === 0, `${where}: no sideways scrolling`, trouble);
    if (width >= 1100)
        report(cut.length === 0, `${where}: every formula fits`, cut);
    for (const [scheme, found] of Object.entries(weak))
        report(found.length === 0,
               `${where}: contrast of all text 4.5 or more, ${scheme}`,
               found);
    if (width !== 1100) continue;
    for (const [scheme, found] of Object.entries(pale))
        report(found.length === 0,
               `${where}: contrast of letters in figures, ${scheme}`, found);
    report(crowded.length === 0,
           `${where}: no label of a figure covers another`, crowded);
}

// The mouse has to reach a use, and a card opens below it.
{
    const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
    const having = word => looked.find(name => text(name).includes(word));
    const use = having('class="uses"'), number = having('class="num"');
    if (use) {
        await page.goto(url(use));
        const button = page.locator(".unfold").first();
        await button.click();
        if (await button.getAttribute("aria-expanded") !== "true")
            folds.push(`${use}: the mouse does not reach a use`);
    }
    if (number) {
        await page.goto(url(number));
        await page.locator(".num").first().hover();
        if (!await page.locator(".num > .card").first().isVisible())
            orphans.push(`${number}: the card of a number does not open`);
    }
    await page.close();
}
report(folds.length === 0 && unfolded > 0,
       `unfolding and folding again (${unfolded} uses)`,
       folds.concat(unfolded ? [] : "no page has a use"));
report(orphans.length === 0, `numbers tell their origin (${numbers} pages)`,
       orphans);

// ---- the guidelines for accessibility ------------------------------------------
// A page of each kind: prose with tables, figures, formulas and exercises; code
// with uses that unfold; lists.  Of an index the first forty entries of a list
// are enough, for they all come from one line of the loom.  What a scheme changes
// is colours.
const KINDS = ["index", "memory-wall", "simt-sanitizer", "bibliography", "errata",
               "figures", "identifiers-s", "glossary"].map(
                   name => `${name}.html`);
const WCAG = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a",
                                     "wcag21aa", "wcag22aa"] };
const COLOURS = { type: "rule", values: ["color-contrast",
                                         "link-in-text-block"] };
const axe = await import("axe-core").catch(() => null);
const sample = pages.filter(name => KINDS.includes(name));
const guidelines = `${sample.length} pages: WCAG 2.2 A and AA as axe checks it`;
if (axe && sample.length) {
    const page = await browser.newPage({
        viewport: { width: 1440, height: 800 } });
    const bad = [];
    for (const name of sample) {
        await page.goto(url(name));
        await page.evaluate(axe.default.source);
        await page.evaluate(() => document.querySelectorAll(
            ".index > li:nth-child(n + 41)").forEach(e => e.remove()));
        for (const colorScheme of ["light", "dark"]) {
            await page.emulateMedia({ colorScheme });
            const { violations } = await page.evaluate(
                runOnly => window.axe.run({
                    runOnly, resultTypes: ["violations"] }),
                colorScheme === "light" ? WCAG : COLOURS);
            for (const { id, nodes } of violations)
                for (const { target } of nodes)
                    bad.push(`${name}, ${colorScheme}: ${id}: ` +
                             target.join(" "));
        }
    }
    await page.close();
    report(bad.length === 0, guidelines, bad);
} else {
    console.log(`ok ${++count} - ${guidelines} # SKIP ` + (axe
        ? "none of these pages is here"
        : "axe-core is not installed; npm install brings it"));
}

// ---- numbers that a reader finds ------------------------------------------------
async function numbers_typed(name) {
    const page = await browser.newPage();
    await page.goto(url(name));
    const wanted = page.locator(".wanted").first();
    const { value, within } = await wanted.evaluate(e => ({ ...e.dataset }));
    const form = page.locator(".attempt").first(), bad = [];
    const types = async (typed, said) => {
        await form.locator("input").fill(typed);
        await form.locator("button").click();
        const found = await form.locator("output").innerText();
        if (!said.test(found)) bad.push(`${typed}: ${found}`);
    };
    const scaled = percent => String(value * (1 + percent / 100));
    await types(scaled(0), /^Right/);
    await types(scaled(0.9 * within), /^Right/);
    await types(scaled(-0.9 * within), /^Right/);
    await types(scaled(1.1 * within), /too much/);
    await types(scaled(-1.1 * within), /too little/);
    await types("1,0" + "0".repeat(30), /too much/);
    await types("", /^A number/);
    await types("many", /^A number/);
    if (await page.locator(".answer[open]").count()) bad.push("opened");
    report(bad.length === 0, `${name}: a number that is typed is judged ` +
           "(catches one bound only, an empty field as 0, commas)", bad);
    await page.close();
}
const asking = pages.find(name => text(name).includes('class="wanted"'));
if (asking) await numbers_typed(asking);

// ---- search and keys ---------------------------------------------------------
// Each row names the wrong code that it catches.
async function search() {
    const page = await browser.newPage({
        viewport: { width: 1200, height: 800 } });
    const loaded = [];
    page.on("request", r => loaded.push(r.url().replace(/.*\//, "")));
    const row = (good, what, detail) => report(good, `search: ${what}`, detail);
    const options = page.locator(".finder [role=option]");
    const state = page.locator(".finder [role=status]");
    const open = async (name = "preface.html") => {
        await page.goto(url(name));
        await page.keyboard.press("/");
        await page.waitForFunction(() => typeof engine === "object" && engine);
    };
    const ask = async words => {             // what is shown for these words
        await page.locator(".finder input[role=combobox]").fill(words);
        return options.evaluateAll(all => all.slice(0, 5).map(e => ({
            kind: e.dataset.kind, name: e.querySelector(".what").textContent,
            page: e.href.replace(/.*\//, "") })));
    };
    const shown = list => list.map(r => `${r.kind} ${r.name} ${r.page}`);
    const leads = () => page.evaluate(() => location.hash &&
        !document.getElementById(decodeURIComponent(location.hash.slice(1))));

    await page.goto(url("preface.html"));
    const early = loaded.filter(name => /search|mini/.test(name));
    await open();
    row(early.length === 0 && loaded.includes("search-index.js") &&
        loaded.every(name => existsSync(`${folder}/${name.split("#")[0]}`)),
        "loads its index when it is opened, from this folder (catches a " +
        "script in the head of every page)", early);

    let found = await ask("the memory wall");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/memory-wall.html*", { timeout: 5000 })
        .catch(() => found = []);
    row(found[0]?.kind === "chapter", "finds a heading, before chunks with " +
        "its words, and Enter goes there (catches the library's own order, " +
        "and arrows that lose count)", shown(found));

    await open();
    found = await ask("online_s");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/attention.html#def-online_softmax",
                          { timeout: 5000 }).catch(() => found = []);
    row(found[0]?.kind === "function" && !await leads(),
        "finds an identifier before it is typed to the end (catches whole " +
        "words only, and names cut at each underscore)", shown(found));

    await open();
    found = await ask("softmax online");
    row(found.some(r => r.name === "online_softmax"),
        "finds an identifier by its parts in any order (catches names that " +
        "are not cut)", shown(found));

    const name = await page.evaluate(() => bookIndex.entries.map(e =>
        e[0] === "chunk" ? e[2] : "").find(name => /^(\w+ ){4}/.test(name)));
    found = await ask(name.split(" ").reverse().join(" "));
    row(found.some(r => r.kind === "chunk" && r.name === name),
        "finds a chunk by the words of its name in any order (catches an " +
        "index without chunks)", [name, ...shown(found)]);

    found = await ask("线程束");
    row(found[0]?.name === "warp" && found[0].kind === "term",
        "finds a term by its Chinese name (catches words that end at the " +
        "first sign that is no letter of ours)", shown(found));

    found = await ask("reducton");
    row(found.some(r => r.name === "Reduction"),
        "forgives a letter left out (catches exact words only)", shown(found));
    found = await ask("qzxvkw");
    row(found.length === 0 && /nothing/i.test(await state.innerText()) &&
        await page.locator("[aria-expanded=true][role=combobox]").count() === 0,
        "finds nothing for nonsense, and says so (catches a guess too far, " +
        "and results that stay)", shown(found));

    const ids = Object.fromEntries(pages.map(name => [name, new Set(
        [...text(name).matchAll(/\sid="([^"]*)"/g)].map(m => m[1]
            .replace(/&quot;/g, '"').replace(/&lt;/g, "<")
            .replace(/&gt;/g, ">").replace(/&amp;/g, "&")))]));
    const addresses = await page.evaluate(
        () => bookIndex.entries.map(addressOf));
    const lost = addresses.filter(address => {
        const [name, id] = address.split("#");
        return !ids[name] || id && !ids[name].has(id);
    });
    row(lost.length === 0 && addresses.length > 0,
        `all ${addresses.length} addresses are there (catches an anchor that ` +
        "page and index derive in two ways)", lost);

    // the box itself
    found = await ask("warp");
    const bad = [];
    for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        bad.push(...await page.evaluate(weakText));
        if (!axe) continue;
        await page.evaluate(axe.default.source);
        const { violations } = await page.evaluate(runOnly => window.axe.run(
            ".finder", { runOnly, resultTypes: ["violations"] }), WCAG);
        bad.push(...violations.map(v => `${v.id}: ` +
                 v.nodes.map(n => n.target.join(" ")).join(", ")));
    }
    await page.setViewportSize({ width: 360, height: 640 });
    bad.push(...await page.evaluate(wide));
    const box = await page.locator(".finder").boundingBox();
    if (box.x < 0 || box.x + box.width > 360 || box.y + box.height > 640)
        bad.push(`the box is at ${JSON.stringify(box)}`);
    row(bad.length === 0 && found.length > 0, "contrast, roles and names, and " +
        "room at 360 px (catches a list without its options)", bad);

    // keys
    await page.setViewportSize({ width: 1200, height: 800 });
    await page.keyboard.press("Escape");
    const closed = !await page.locator(".finder").isVisible();
    await page.locator(".seek").click({ timeout: 2000 }).catch(() => {});
    await page.keyboard.type("n/p");
    const typed = await page.locator(".finder input[role=combobox]")
        .inputValue();
    const stays = page.url().includes("preface.html");
    await page.keyboard.press("Escape");
    const back = await page.evaluate(
        () => document.activeElement.className === "seek");
    row(closed && back && stays && typed === "n/p",
        "Escape closes it, the focus returns, letters typed in it are no keys " +
        "(catches keys that ignore where they are typed)",
        `${closed} ${back} ${stays} ${typed}`);

    const turned = async key => {
        await page.keyboard.press(key);
        await page.waitForTimeout(400);
        await page.waitForLoadState();
        return page.url().replace(/.*\//, "");
    };
    await page.goto(url("memory-wall.html"));
    const [next, again] = [await turned("n"), await turned("p")];
    await page.evaluate(() => localStorage.setItem("keys", "off"));
    await page.reload();
    const off = await turned("n");
    row(text("memory-wall.html").includes(`rel="next" href="${next}"`) &&
        again === "memory-wall.html" && off === again,
        "n and p turn to the next and the previous chapter until keys are " +
        "off (catches a switch that only looks switched)",
        `${next}, ${again}, ${off}`);
    await page.close();
}
if (existsSync(`${folder}/search-index.js`)) await search();
else console.log(`ok ${++count} - search # SKIP woven without search: ` +
                 "npm install brings minisearch");

// ---- reading aids -------------------------------------------------------------
// On the shortest chapter that has sections and a use.
async function aids(name) {
    const row = (good, what, detail) => report(good, `aids: ${what}`, detail);
    const opened = async (init, size = { width: 1200, height: 300 }) => {
        const context = await browser.newContext({ viewport: size });
        await context.grantPermissions(["clipboard-read", "clipboard-write"]);
        const page = await context.newPage(), noise = [];
        page.on("pageerror", e => noise.push(String(e)));
        if (init) await page.addInitScript(init);
        await page.goto(url(name));
        return { context, page, noise };
    };
    const ticks = page => page.evaluate(() => ({
        all: document.querySelectorAll(".contents a").length,
        read: document.querySelectorAll(".contents li .read").length,
        jumped: document.querySelectorAll(
            ".contents li:nth-last-child(2) .read").length,
        said: document.querySelector(".contents summary").innerText }));
    const scroll = (page, to) => page.evaluate(async to => {
        const seen = () => new Promise(done => requestAnimationFrame(
            () => requestAnimationFrame(() => setTimeout(done, 20))));
        const heads = [...document.querySelectorAll("h1[id], h2[id]")];
        await seen();
        for (const head of to === "all" ? heads : [heads.at(to)]) {
            head.scrollIntoView();
            await seen();
        }
        if (to === "all") scrollTo(0, 1e7);
        await seen();
    }, to);
    // copies the first chunk with a use, by the keyboard, what is unfolded
    // in it too; says what the status says and what is pasted
    const copied = page => page.evaluate(() => {
        const chunk = document.querySelector(".chunk:has(.uses)");
        chunk.querySelector(".unfold").click();
        chunk.querySelector(".copy").focus();
        return document.activeElement.className;
    }).then(() => page.keyboard.press("Enter")).then(async () => ({
        status: await page.waitForFunction(() => document.querySelector(
            "p[role=status].aid").textContent).then(h => h.jsonValue()),
        text: await page.evaluate(() => navigator.clipboard?.readText()) }));
    const written = text(name).match(
        /<pre><code>((?:(?!<\/pre>)[^])*class="uses"[^]*?)<\/code><\/pre>/)[1]
        .replace(/<[^>]*>/g, "").replace(/⟨/g, "<<").replace(/⟩/g, ">>")
        .replace(/&quot;/g, '"').replace(/&lt;/g, "<").replace(/&gt;/g, ">")
        .replace(/&amp;/g, "&") + "\n";

    let { context, page, noise } = await opened();
    const { status, text: pasted } = await copied(page);
    row(pasted === written && /^Copied: ./.test(status),
        "a chunk is copied by the keyboard, as it was written, and the status " +
        "says so (catches what is unfolded, and signs of the page)",
        [status, ...String(pasted).split("\n")]);

    await scroll(page, -1);
    const jumped = await ticks(page);
    await scroll(page, "all");
    const through = await ticks(page);
    row(jumped.jumped === 0 && through.read === through.all &&
        /(\d+) of \1 read/.test(through.said),
        "a section is read when its beginning and its end were seen (catches " +
        "a jump that counts)", JSON.stringify([jumped, through]));

    await scroll(page, 1);
    await page.waitForTimeout(400);
    const [place, last] = await page.evaluate(() => ["h2", "h2:last-of-type"]
        .map(h => document.querySelector(h).id));
    await page.goto("about:blank");
    await page.goto(`${url(name)}#${last}`);    // a glance
    await page.waitForTimeout(400);
    await page.goto(url("index.html"));
    const way = page.locator(".go-on a");
    const ticked = await page.locator(
        `li:has(> a[href="${name}"], > p > a[href="${name}"]) .read`).innerText();
    const [leads, offered] = [await way.getAttribute("href"),
                              await way.innerText()];
    await page.locator(".go-on button").press("Enter");
    const left = await page.evaluate(() => [localStorage.length,
        document.querySelectorAll(".read, .go-on").length,
        document.activeElement.tagName].join());
    row(leads === `${name}#${place}` && /✓/.test(ticked) && left === "0,0,H1" &&
        noise.length === 0, "the contents have the tick and the way back, and " +
        "forget both (catches a place that is kept by a glance, and a focus " +
        "that is lost)", [leads, offered, ticked, left, ...noise]);
    await context.close();

    ({ context, page, noise } = await opened(() => {
        Object.defineProperty(window, "localStorage", {
            get() { throw new DOMException("no", "SecurityError"); } });
        Object.defineProperty(navigator, "clipboard", { value: undefined });
    }));
    await scroll(page, "all");
    const none = await ticks(page), old = await copied(page);
    await page.evaluate(() => {
        document.body.prepend(document.createElement("textarea"));
        document.querySelector("textarea").focus();
    });
    await page.keyboard.press("Control+v");
    const value = await page.locator("textarea").inputValue();
    row(none.read === 0 && noise.length === 0 && value === written &&
        /^Copied/.test(old.status), "without storage no ticks and no error; " +
        "without a clipboard a chunk is copied nevertheless (catches both " +
        "taken for granted)", [JSON.stringify(none), value, ...noise]);

    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    const paper = await page.evaluate(() => {
        document.documentElement.dataset.theme = "dark";
        const seen = [...document.querySelectorAll(
            "button, nav, footer, .permalink, .aid, .skip, input, label")]
            .filter(e => e.checkVisibility()).map(e => e.outerHTML.slice(0, 60));
        const { color, backgroundColor } = getComputedStyle(document.body);
        const after = [...document.querySelectorAll("main a")].filter(a =>
            getComputedStyle(a, "::after").content !== "none");
        return [color, backgroundColor, after.length, ...seen];
    });
    row(paper.join("; ") === "rgb(0, 0, 0); rgb(255, 255, 255); 0",
        "on paper: black on white, no buttons, no navigation, no addresses " +
        "(catches the dark page on paper)", paper);
    await context.close();
}
{
    const chapter = pages.filter(name => (text(name).match(/data-chapter=/g)
        || []).length === 1 && (text(name).match(/<h2 id/g) || []).length > 1 &&
        text(name).includes('class="uses"'))
        .sort((a, b) => text(a).length - text(b).length)[0];
    if (chapter) await aids(chapter);
    else console.log(`ok ${++count} - aids # SKIP no chapter with a use here`);
}

// ---- stars of exercises --------------------------------------------------------
// In a copy of the tree, in which somebody has begun.
async function stars(name) {
    const tree = mkdtempSync(`${tmpdir()}/stars-`);
    cpSync(folder, `${tree}/build/book/html`, { recursive: true,
        filter: from => !from.endsWith(".html") ||
                        [name, "syllabus.html"].some(f => from.endsWith(f)) });
    mkdirSync(`${tree}/exercises`);
    const script = `${tree}/exercises/progress.js`;
    writeFileSync(script, `showStars([
["throughput-machine/add", "a <b>first</b> kernel", 1, 3],
["throughput-machine/mirror", "a grid", 1, 0],
["warps/sum", "a sum", 1, 4]]);\n`);
    const page = await browser.newPage({ viewport: { width: 360, height: 640 } });
    const noise = [], bad = [];
    page.on("pageerror", e => noise.push(String(e)));
    const seen = async file => {
        await page.goto(pathToFileURL(`${tree}/build/book/html/${file}`).href);
        return page.evaluate(() => [...document.querySelectorAll("main .stars")]
            .map(e => (e.previousElementSibling?.textContent || "") + " " +
                      e.textContent + " " + e.getAttribute("aria-label")));
    };
    const beside = await seen(name);
    report(beside.join("; ") ===
           "make exercise NAME=throughput-machine/add ★★★☆ 3 of 4 stars; " +
           "throughput-machine/mirror ☆☆☆☆ 0 of 4 stars" && !noise.length,
           "stars: beside the names of exercises (catches stars of names that " +
           "the script does not have)", [...beside, ...noise]);
    await seen("syllabus.html");
    const all = await page.locator(".stars-of-all").innerText();
    for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        bad.push(...await page.evaluate(weakText));
    }
    bad.push(...await page.evaluate(wide));
    report(/^6 of 9 stars/.test(all) && all.includes("a <b>first</b> kernel") &&
           !bad.length, "stars: the course, with contrast and room at 360 px " +
           "(catches markup in a title, and a fourth star in the sum)",
           [all, ...bad]);
    rmSync(script);
    const none = await seen(name), [, text] = [await seen("syllabus.html"),
        await page.locator(".stars-of-all").innerText()];
    report(none.length === 0 && /No exercise has been begun/.test(text) &&
           !noise.length, "stars: none before an exercise is begun (catches a " +
           "page that waits for the script)", [...none, text, ...noise]);
    await page.close();
    rmSync(tree, { recursive: true });
}
if (["throughput-machine.html", "syllabus.html"].every(f => pages.includes(f)))
    await stars("throughput-machine.html");

// ---- the glossary ------------------------------------------------------------
if (pages.includes("glossary.html")) {
    const bad = [], used = new Map();
    for (const name of pages) {
        const body = text(name);
        const links = [...body.matchAll(
            /href="glossary.html#(term-[^"]*)" class="gloss"/g)].map(m => m[1]);
        if (new Set(links).size !== links.length)
            bad.push(`${name}: a term is linked twice`);
        if (/<h[1-4][^>]*>(?:(?!<\/h).)*class="gloss"/.test(body) ||
            /<pre(?:(?!<\/pre)[^])*class="gloss"/.test(body))
            bad.push(`${name}: a link in a heading or in code`);
        for (const id of links) used.set(id, name);
    }
    for (const [id, name] of used)
        if (!text("glossary.html").includes(`id="${id}"`))
            bad.push(`${name}: no ${id} in the glossary`);
    report(bad.length === 0 && used.size > 0, "first uses lead to the " +
           `glossary (${used.size} terms; catches every use as a link, and ` +
           "links in headings)", bad);
}

// ---- size --------------------------------------------------------------------
{
    const heavy = pages.map(name => [statSync(`${folder}/${name}`).size, name])
        .filter(([size]) => size > 1e6).map(([size, name]) =>
            `${name}: ${size} bytes`);
    report(heavy.length === 0, "no page is over 1 MB (catches an index on " +
           "one page)", heavy);
}

// ---- the button for light and dark ------------------------------------------------
{
    const page = await browser.newPage({ colorScheme: "light" });
    await page.goto(url("index.html"));
    const paper = () => page.evaluate(
        () => getComputedStyle(document.body).backgroundColor);
    const before = await paper();
    await page.click(".theme");
    const after = await paper();
    await page.reload();
    report(before !== after && await paper() === after,
           "the button changes light to dark, and the choice stays",
           `${before}, ${after}, ${await paper()}`);
    await page.close();
}

// ---- without scripts ------------------------------------------------------------------
// What stands in every page's file; and a page of each kind as a browser shows it.
{
    const bad = [];
    let uses = 0;
    for (const name of pages) {
        const body = text(name);
        const links = body.match(/<[^>]*class="use"[^>]*>/g) || [];
        uses += links.length;
        if (links.some(use => !/^<a .*href="[^"]+/.test(use)))
            bad.push(`${name}: a use that is no link`);
        if (!body.match(/<main[^>]*>([^]*)<\/main>/)?.[1]
                 .replace(/<[^>]*>/g, "").trim())
            bad.push(`${name}: no text`);
    }
    const noted = looked.find(name => text(name).includes('class="note"'));
    const names = [...new Set([...sample, noted])].filter(name => name);
    await visit({ javaScriptEnabled: false }, names, async (page, name) => {
        await page.goto(url(name));
        if (!(await page.locator("main").innerText()).trim())
            bad.push(`${name}: no text to be seen`);
        if (await page.locator("button").filter({ visible: true }).count())
            bad.push(`${name}: a button that does nothing`);
        const note = page.locator(".note label").first();
        if (await note.count()) {
            await page.setViewportSize({ width: 500, height: 800 });
            await note.click();
            if (!await page.locator(".side").first().isVisible())
                bad.push(`${name}: a side note that does not open`);
            await page.setViewportSize({ width: 1200, height: 800 });
            if (!await page.locator(".side").first().isVisible())
                bad.push(`${name}: no side note in the margin`);
        }
    });
    report(bad.length === 0 && uses > 0,
           "with scripts off: text, links, side notes", bad);
}

// ---- pages that have moved ----------------------------------------------------------------
{
    const target = name => text(name).match(/url=([^"]+)"/)?.[1];
    const bad = moved.filter(name => !pages.includes(target(name)))
        .map(name => `${name} leads to ${target(name)}`);
    const page = await browser.newPage();
    for (const name of moved.slice(0, 1)) {
        await page.goto(`${url(name)}#here`, { waitUntil: "commit" });
        await page.waitForURL(`${url(target(name))}#here`)
            .catch(e => bad.push(`${name}: ${e}`));
    }
    report(bad.length === 0, `${moved.length} pages have moved and lead on`,
           bad);
}

await browser.close();
process.exit(failed ? 1 : 0);
