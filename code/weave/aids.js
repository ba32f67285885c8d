/* Tangled from chapters/workshop/reading-aids.nw, "Aids on the page".  Edit it there. */

/* storage, if the browser has one for us */
const storage = (() => {
    try {
        localStorage.setItem("probe", "");
        localStorage.removeItem("probe");
        return localStorage;
    } catch (e) {
        return null;
    }
})();

function recall(key) {
    try { return JSON.parse(storage.getItem(key)) || {}; }
    catch (e) { return {}; }
}

function keep(key, value) {
    try { storage.setItem(key, JSON.stringify(value)); }
    catch (e) { }
}

/* say something to a screen reader */
const status = document.createElement("p");
status.className = "hidden aid";
status.setAttribute("role", "status");
document.body.append(status);

function say(text) { status.textContent = text; }

/* copy the code of a chunk */
function sourceOf(code) {
    const copy = asWoven(code);
    for (const use of copy.querySelectorAll(".use"))
        use.textContent = `<<${use.textContent.slice(1, -1)}>>`;
    return copy.textContent + "\n";
}

function copySelected(text) {
    const field = document.createElement("textarea");
    const before = document.activeElement;
    field.className = "hidden";
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    before.focus();
    return done;
}

async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch (e) {
        return copySelected(text);
    }
}

function addCopyButton(chunk) {
    const button = document.createElement("button");
    const name = chunk.querySelector(".name a").textContent;
    button.type = "button";
    button.className = "copy aid";
    button.innerHTML = 'Copy<span class="hidden"></span>';
    button.lastChild.textContent = ` ${name}`;
    button.addEventListener("click", async () => {
        const done = await copyText(
            sourceOf(chunk.querySelector("pre > code")));
        button.firstChild.data = done ? "Copied" : "Not copied";
        say(`${button.firstChild.data}: ${name}`);
        setTimeout(() => { button.firstChild.data = "Copy"; }, 2000);
    });
    chunk.querySelector(".head").append(button);
}

/* sections that have been read */
const chapters = [...document.querySelectorAll("[data-chapter]")];

function headsOf(chapter) {
    const level = Number(chapter.querySelector("h1, h2").tagName[1]);
    return [...chapter.querySelectorAll(
        `h${level}[id], h${level + 1}[id]`)];
}

function watch(chapter) {
    const heads = headsOf(chapter), end = document.createElement("div");
    const observer = new IntersectionObserver(seen => {
        for (const { target, isIntersecting } of seen) {
            const before = target === end ? heads.length - 1
                                          : heads.indexOf(target) - 1;
            if (isIntersecting)
                remember(chapter, heads, target.id, heads[before]?.id);
        }
    });
    chapter.append(end);
    for (const mark of [...heads, end]) observer.observe(mark);
}

function remember(chapter, heads, begun, ended) {
    const all = recall("read"), ids = heads.map(head => head.id);
    const slug = chapter.dataset.chapter;
    const old = { begun: [], read: [], ...all[slug] };
    const add = (list, id, good) =>
        [...new Set(good ? [...list, id] : list)]
            .filter(known => ids.includes(known));
    const now = { title: ids[0], of: ids.length,
                  begun: add(old.begun, begun, begun),
                  read: add(old.read, ended, old.begun.includes(ended)) };
    if (JSON.stringify(now) === JSON.stringify(all[slug])) return;
    keep("read", { ...all, [slug]: now });
    showRead();
}

/* the place where reading stopped */
const landmarks = ":is(h1, h2, h3, h4, .chunk, figure, .table, " +
                  ".equation, .exercise)[id]";
let opened = null;                      // how far down, when it opened

function textOf(head) {
    const copy = head.cloneNode(true);
    for (const e of copy.querySelectorAll(
        ".permalink, .volume, annotation")) e.remove();
    return copy.textContent.trim().replace(/\s+/g, " ");
}

function keepPlace() {
    if (opened === null || Math.abs(scrollY - opened) < 100) return;
    for (const chapter of [...chapters].reverse()) {
        const passed = e => e.getBoundingClientRect().top < 60;
        const here = [...chapter.querySelectorAll(landmarks)]
            .filter(passed);
        if (here.length === 0) continue;
        const heads = headsOf(chapter).filter(passed);
        const names = [heads[0], ...heads.slice(1).slice(-1)].map(textOf);
        keep("place", { slug: chapter.dataset.chapter, id: here.pop().id,
                        name: names.join(", ") });
        return;
    }
}

/* show what has been read */
function mark(link, text) {
    const note = document.createElement("span");
    note.className = "read aid";
    if (text) note.textContent = text;
    else note.innerHTML = '<span aria-hidden="true">\u2713</span>' +
                          '<span class="hidden">read</span>';
    (link.parentNode.querySelector(":scope > .minutes") || link)
        .after(" ", note);
}

function showRead() {
    for (const note of document.querySelectorAll(".read")) note.remove();
    const links = new Map([...document.querySelectorAll(
        ".contents a, .chapters a")].map(a => [a.getAttribute("href"), a]));
    for (const [slug, { title, of, read }] of
         Object.entries(recall("read"))) {
        const whole = links.get(`${slug}.html`) || links.get(`#${title}`);
        for (const id of read)
            if (id !== title && links.has(`#${id}`))
                mark(links.get(`#${id}`));
        if (whole && read.length > 0)
            mark(whole, read.length < of && `${read.length} of ${of} read`);
    }
    showHere();
}

function showHere() {
    const summary = document.querySelector(".contents summary");
    if (!summary || chapters.length !== 1) return;
    const { of, read = [] } = recall("read")[chapters[0].dataset.chapter]
                              || {};
    if (read.length > 0)
        mark(summary.lastChild, `· ${read.length} of ${of} read`);
}

/* the way back, on the page of the contents */
function offerWayBack() {
    const title = document.querySelector(".title");
    document.querySelector(".go-on")?.remove();
    const { slug, id, name } = recall("place");
    if (!title || !slug && Object.keys(recall("read")).length === 0) return;
    const box = document.createElement("p");
    const link = document.createElement("a");
    box.className = "go-on aid";
    if (slug) {
        link.href = chapters.length > 0 ? `#${id}` : `${slug}.html#${id}`;
        link.textContent = `Go on where you stopped: ${name}`;
        box.append(link, " ");
    }
    box.append(forgetButton());
    title.append(box);
}

function forgetButton() {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Forget what I have read";
    button.addEventListener("click", () => {
        storage.removeItem("read");
        storage.removeItem("place");
        showRead();
        offerWayBack();
        const title = document.querySelector(".title h1");
        title.tabIndex = -1;
        title.focus();
        say("Forgotten");
    });
    return button;
}

/* show the stars of exercises */
const inTree = /^(file:.*\/)build\/book\/html\/[^/]*$/;
const exerciseName = /^(?:make exercise NAME=)?([a-z0-9-]+\/[a-z0-9-]+)$/;

function loadStars() {
    const tree = location.href.replace(/[?#].*/, "").match(inTree);
    const named = [...document.querySelectorAll("main code")].some(
        code => exerciseName.test(code.textContent));
    if (!tree || !(named || document.querySelector(".stars-of-all")))
        return;
    const script = document.createElement("script");
    script.src = tree[1] + "exercises/progress.js";
    document.head.append(script);
}

function starsOf(stars) {
    const mark = document.createElement("span");
    mark.className = "stars aid";
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", `${stars} of 4 stars`);
    mark.textContent = "★".repeat(stars) + "☆".repeat(4 - stars);
    return mark;
}

window.showStars = list => {
    const known = new Map(list.map(([name, , , stars]) => [name, stars]));
    for (const code of document.querySelectorAll("main code")) {
        const name = code.textContent.match(exerciseName)?.[1];
        if (known.has(name) && !code.closest("pre, a"))
            code.after(" ", starsOf(known.get(name)));
    }
    document.querySelectorAll(".stars-of-all").forEach(
        div => showCourse(div, list));
};

function element(tag, ...content) {
    const e = document.createElement(tag);
    e.append(...content);
    return e;
}

function showCourse(div, list) {
    const sum = list.reduce(
        (n, [, , , stars]) => n + Math.min(stars, 3), 0);
    const rows = new Map();
    for (const [name, title, , stars] of list) {
        const [chapter, word] = name.split("/");
        if (!rows.has(chapter)) rows.set(chapter, element("ul"));
        rows.get(chapter).append(element("li", starsOf(stars), " ",
            element("code", word), " ", title));
    }
    const parts = [...rows].flatMap(([chapter, exercises]) =>
        [element("h3", chapter), exercises]);
    div.replaceChildren(
        element("p", `${sum} of ${3 * list.length} stars.`), ...parts);
}

/* start the aids */
loadStars();
for (const chunk of document.querySelectorAll(".chunk"))
    addCopyButton(chunk);
if (storage) {
    let rest = 0;
    chapters.forEach(watch);
    addEventListener("pageshow", () => { showRead(); offerWayBack(); });
    addEventListener("pagehide", keepPlace);
    addEventListener("load", () => setTimeout(
        () => { opened = scrollY; }));
    addEventListener("scroll", () => {
        clearTimeout(rest);
        rest = setTimeout(keepPlace, 300);
    }, { passive: true });
}
