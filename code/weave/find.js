/* Tangled from chapters/workshop/finding.nw, "The field and the list".  Edit it there. */

/* build the dialog of the search */
const finder = document.createElement("dialog");
finder.className = "finder";
finder.setAttribute("aria-label", "Search the book");
finder.innerHTML = `
<input type="search" role="combobox" aria-label="Search the book"
 aria-controls="found" aria-expanded="false" aria-autocomplete="list"
 autocomplete="off" autocapitalize="none" spellcheck="false"
 enterkeyhint="go"
 placeholder="heading, term, identifier or chunk">
<button type="button" class="close" aria-label="Close the search">×</button>
<p class="state" role="status"></p>
<div id="found" role="listbox" aria-label="Results"></div>
<p class="keys"><label><input type="checkbox"> keys:</label>
<kbd>/</kbd> search, <kbd>n</kbd> next chapter, <kbd>p</kbd> previous</p>`;
const field = finder.querySelector("[role=combobox]");
const list = finder.querySelector("[role=listbox]");
const state = finder.querySelector(".state");
document.body.append(finder);

const seek = document.createElement("button");
seek.type = "button";
seek.className = "seek";
seek.textContent = "Search";
seek.setAttribute("aria-haspopup", "dialog");
button.before(seek);

/* load the index when it is first needed */
let engine = null, loading = null;

function addScript(name) {
    return new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = name;
        script.onload = resolve;
        script.onerror = () => reject(new Error(`no file ${name}`));
        document.head.append(script);
    });
}

async function load() {
    await addScript("minisearch.js");
    await addScript("search-index.js");
    engine = await MiniSearch.loadJSAsync(bookIndex.index, indexOptions);
}

async function ready() {
    state.textContent = "Loading the index …";
    loading ||= load();
    await loading.then(show, error => { state.textContent = error; });
}

/* address and place of an entry */
const usualAnchor = {
    chunk: name => "chunk-" + name.toLowerCase()
        .replace(/[^a-z0-9\u0080-\uffff]+/g, "-").replace(/^-|-$/g, ""),
    chapter: () => "",
};
usualAnchor.file = usualAnchor.chunk;

function addressOf([kind, page, name, anchor]) {
    const usual = usualAnchor[kind] || (() => `def-${name}`);
    const id = anchor || usual(name);
    return `${bookIndex.pages[page][0]}.html` + (id && `#${id}`);
}

function placeOf([kind, page, , , section, more]) {
    const title = kind === "chapter" ? "" : bookIndex.pages[page][1];
    return [section, title, more].filter(text => text).join(" · ");
}

/* show the results */
const MOST = 40;

function optionFor(id, n) {
    const entry = bookIndex.entries[id];
    const option = document.createElement("a");
    option.id = `found-${n}`;
    option.tabIndex = -1;
    option.href = addressOf(entry);
    option.setAttribute("role", "option");
    option.dataset.kind = entry[0];
    for (const [name, text] of [["what", entry[2]], ["kind", entry[0]],
                                ["at", placeOf(entry)]]) {
        const part = document.createElement("span");
        part.className = name;
        part.textContent = text;
        option.append(part, " ");
    }
    return option;
}

function resultsOf(question) {
    const options = questionOptions(question, bookIndex.entries);
    const exact = engine.search(question, options);
    return exact.length > 0 ? exact : engine.search(question,
        { ...options, fuzzy: word => word.length > 4 ? 0.2 : false });
}

function show() {
    if (!engine) return;
    const question = field.value.trim();
    const results = question ? resultsOf(question) : [];
    list.replaceChildren(...results.slice(0, MOST).map(
        ({ id }, n) => optionFor(id, n)));
    list.scrollTop = 0;
    field.setAttribute("aria-expanded", String(results.length > 0));
    activate(list.firstElementChild);
    const many = results.length > MOST ? `, the first ${MOST}` : "";
    state.textContent = !question ? "" : results.length === 0
        ? "Nothing of that name." : results.length === 1
        ? "1 result" : `${results.length} results${many}`;
}
field.addEventListener("input", show);

/* move among the results */
function activate(option) {
    for (const e of list.querySelectorAll("[aria-selected]"))
        e.removeAttribute("aria-selected");
    field.removeAttribute("aria-activedescendant");
    if (!option) return;
    option.setAttribute("aria-selected", "true");
    field.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
}

field.addEventListener("keydown", event => {
    const now = list.querySelector("[aria-selected]");
    if (event.isComposing) return;
    if (event.key === "Escape")
        finder.close();
    else if (!now)
        return;
    else if (event.key === "ArrowDown")
        activate(now.nextElementSibling || list.firstElementChild);
    else if (event.key === "ArrowUp")
        activate(now.previousElementSibling || list.lastElementChild);
    else if (event.key === "Enter")
        now.click();
    else return;
    event.preventDefault();
});

/* open and close the search */
function openFinder() {
    if (finder.open) return;
    finder.showModal();
    field.select();
    ready();
}
seek.addEventListener("click", openFinder);
finder.querySelector(".close").addEventListener("click",
                                                () => finder.close());
list.addEventListener("click", event => {
    if (event.target.closest("a") && !event.ctrlKey && !event.metaKey)
        finder.close();
});
finder.addEventListener("click", event => {
    if (event.target === finder) finder.close();
});

/* keys on the page */
const keys = finder.querySelector("[type=checkbox]");
try { keys.checked = localStorage.getItem("keys") !== "off"; }
catch (e) { keys.checked = true; }
keys.addEventListener("change", () => {
    try { localStorage.setItem("keys", keys.checked ? "on" : "off"); }
    catch (e) { }
});

document.addEventListener("keydown", event => {
    if (!keys.checked || finder.open || event.ctrlKey || event.altKey ||
        event.metaKey || event.target.closest("input, textarea, select"))
        return;
    const turn = { n: "next", p: "prev" }[event.key];
    const link = turn && document.querySelector(`link[rel=${turn}]`);
    if (event.key === "/") openFinder();
    else if (link) location.href = link.href;
    else return;
    event.preventDefault();
});
