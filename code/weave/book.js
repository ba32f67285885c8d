/* Tangled from chapters/workshop/loom.nw, "The script".  Edit it there. */

"use strict";

/* change between light and dark */
const button = document.querySelector(".theme");
const dark = matchMedia("(prefers-color-scheme: dark)");

button.hidden = false;
button.addEventListener("click", () => {
    const data = document.documentElement.dataset;
    const now = data.theme || (dark.matches ? "dark" : "light");
    data.theme = now === "dark" ? "light" : "dark";
    try { localStorage.setItem("theme", data.theme); } catch (e) { }
});

/* open the contents in a wide window */
const contents = document.querySelector(".contents details");
const roomy = matchMedia("(min-width: 1340px)");

function fitContents() {
    if (contents) contents.open = roomy.matches;
}
roomy.addEventListener("change", fitContents);
fitContents();

/* find the code of a chunk */
function asWoven(code) {
    const copy = code.cloneNode(true);
    for (const e of copy.querySelectorAll(".unfolded, .unfold"))
        e.remove();
    return copy;
}

function codeOf(anchor) {
    const box = document.createDocumentFragment();
    const away = document.querySelector(
        `template[data-chunk="${CSS.escape(anchor)}"]`);
    const found = [];
    if (away) {
        found.push(...away.content.querySelectorAll("pre > code"));
    } else {
        for (let n = 1; ; n++) {
            const part = document.getElementById(
                n === 1 ? anchor : `${anchor}.${n}`);
            if (!part) break;
            found.push(part.querySelector("pre > code"));
        }
    }
    for (const code of found) {
        const copy = asWoven(code);
        for (const e of copy.querySelectorAll("[id]"))
            e.removeAttribute("id");
        box.append(...copy.childNodes, "\n");
    }
    return found.length > 0 ? box : null;
}

/* unfold and fold */
function toggle(button, line, link) {
    const open = line.nextElementSibling;
    if (open && open.classList.contains("unfolded")) {
        open.remove();
        button.setAttribute("aria-expanded", "false");
        button.textContent = "+";
        return;
    }
    const code = codeOf(link.hash.slice(1));
    if (!code) return;
    const box = document.createElement("span");
    box.className = "unfolded";
    box.style.marginLeft = `${line.textContent.search(/\S/)}ch`;
    box.append(code);
    decorate(box);
    line.after(box);
    button.setAttribute("aria-expanded", "true");
    button.textContent = "\u2212";
}

/* put a button at every use */
function decorate(root) {
    for (const line of root.querySelectorAll(".uses")) {
        const link = line.querySelector(".use");
        const button = document.createElement("button");
        button.type = "button";
        button.className = "unfold";
        button.textContent = "+";
        button.setAttribute("aria-expanded", "false");
        button.setAttribute("aria-label", `Unfold ${link.textContent}`);
        button.addEventListener("click",
                                () => toggle(button, line, link));
        link.after(button);
    }
    for (const pre of root.querySelectorAll("pre"))
        if (pre.scrollWidth > pre.clientWidth) pre.tabIndex = 0;
}

/* judge a number */
function numberIn(text) {
    const plain = text.replace(/[\s,\u202f]/g, "").replace("\u2212", "-");
    return plain === "" ? NaN : Number(plain);
}

function judge(given, wanted) {
    const { value, within } = wanted.dataset;
    const far = (given - value) / Math.abs(value) * 100;
    if (Number.isNaN(given)) return "A number, please, such as 1.5e3.";
    if (Math.abs(far) <= within) return "Right.";
    return far > 0 ? "No, that is too much." : "No, that is too little.";
}

function ask(wanted) {
    const { part, unit } = wanted.dataset;
    const form = document.createElement("form");
    const label = document.createElement("label");
    const field = document.createElement("input");
    const button = document.createElement("button");
    const verdict = document.createElement("output");
    form.className = "attempt";
    field.inputMode = "decimal";
    label.append(part ? `(${part}) ` : "Your answer: ", field, ` ${unit}`);
    button.textContent = "Check";
    form.append(label, button, verdict);
    form.addEventListener("submit", event => {
        event.preventDefault();
        verdict.textContent = judge(numberIn(field.value), wanted);
    });
    return form;
}

for (const answer of document.querySelectorAll(".answer"))
    for (const wanted of answer.querySelectorAll(".wanted"))
        answer.before(ask(wanted));

decorate(document);
