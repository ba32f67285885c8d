// The report as a page: what it shows is what was counted, and its pictures
// are of the accesses that were made.   node tests/report.mjs
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync }
    from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const browserPath = process.env.CHROMIUM || "/usr/bin/chromium";
const simtcc = `${process.env.B || "build"}/bin/simtcc`;
let count = 0, failed = 0;

function report(good, what, detail) {
    count++;
    if (!good) failed++;
    console.log(`${good ? "ok" : "not ok"} ${count} - ${what}`);
    if (!good) console.log("# " + String(detail).slice(0, 600));
}
function skip(why) {
    console.log(`ok 1 - the report as a page # SKIP ${why}`);
    process.exit(0);
}

const { chromium } = await import("playwright-core").catch(
    () => skip("playwright-core is not installed; npm install brings it"));
if (!existsSync(browserPath)) skip(`no browser at ${browserPath}`);

const dir = mkdtempSync(join(tmpdir(), "report-"));
process.on("exit", () => rmSync(dir, { recursive: true }));
function compile(source, name) {
    execFileSync(simtcc, [source, "-o", join(dir, name)]);
    return (form, more = {}) => {
        const file = join(dir, `${name}.${form}`);
        const p = spawnSync(join(dir, name), [], { encoding: "utf8", env: {
            ...process.env, SIMT_REPORT: form, SIMT_REPORT_FILE: file,
            ...more } });
        return { file, status: p.status, error: p.stderr };
    };
}

// The sums as a map from "KERNEL 0 METRIC", and of a line of source from
// "KERNEL line LINE METRIC", to a number.
function sums(file) {
    const all = new Map();
    for (const row of readFileSync(file, "utf8").trim().split("\n").slice(1)) {
        const [kernel, file, line, metric, value] = row.split("\t");
        if (file || line === "0")
            all.set(`${kernel} ${file ? "line " : ""}${line} ${metric}`,
                    Number(value));
    }
    return all;
}

const browser = await chromium.launch({
    executablePath: browserPath, args: ["--no-sandbox"] });
const errors = [];
async function open(file, size = { width: 1200, height: 900 }) {
    const page = await browser.newPage({ viewport: size });
    page.on("pageerror", e => errors.push(e.message));
    page.on("request", r => r.url().startsWith("file:") ||
        errors.push(`asks for ${r.url()}`));
    await page.goto(pathToFileURL(file).href);
    return page;
}
const number = text => Number(text.split("was")[0].replace(/,/g, ""));

// ---- the transposes ---------------------------------------------------------
const transpose = compile("tests/data/simt/transpose.cu", "transpose");
const html = transpose("html"), json = transpose("json");
const want = sums(transpose("sums").file);
const data = JSON.parse(readFileSync(json.file, "utf8"));
report(data.kernels.length === 3 && data.kernels.every(k =>
    Object.entries(k.counts).every(([m, v]) => want.get(`${k.name} 0 ${m}`) === v)),
    "json has the counts of the form sums", data.kernels.flatMap(k =>
        Object.entries(k.counts).filter(([m, v]) => want.get(`${k.name} 0 ${m}`) !== v)
        .map(([m, v]) => `${k.name} ${m} ${v} ${want.get(`${k.name} 0 ${m}`)}`)));

const page = await open(html.file);
const rows = await page.$$eval(".kernels tbody tr", all =>
    all.map(r => [...r.cells].map(c => c.innerText)));
report(rows.length === 3 && rows.every(r => number(r[4]) ===
    want.get(`${r[0]} 0 gld_sec`) && number(r[6]) === want.get(`${r[0]} 0 gst_sec`)
    && number(r[8]) === (want.get(`${r[0]} 0 sld_wave`) || 0) +
    (want.get(`${r[0]} 0 sst_wave`) || 0)),
    "the table of kernels has the sectors and wavefronts", JSON.stringify(rows));

const lines = data.kernels.flatMap(k => k.files.flatMap(f => f.lines
    .filter(l => l[2]).map(l => [k.name, ...l])));
const off = lines.filter(([k, n, , c]) =>
    c.inst !== (want.get(`${k} line ${n} inst`) || 0) ||
    c.write[1] !== (want.get(`${k} line ${n} gst_sec`) || 0) ||
    c.shared[1] !== (want.get(`${k} line ${n} sld_wave`) || 0) +
                    (want.get(`${k} line ${n} sst_wave`) || 0));
report(lines.length > 10 && off.length === 0,
    "each line has its instructions, sectors and wavefronts", JSON.stringify(off));

const store = page.locator("#k0 button", { hasText: "out[" });
const picture = page.locator("#k0 .picture").first();
report(!await picture.isVisible(), "pictures are closed at first");
await store.click();
report(await picture.isVisible() &&
    await store.getAttribute("aria-expanded") === "true",
    "a click on a line opens its picture");
const boxes = await picture.locator("rect").count();
report(boxes === 64, "the naive store: 32 lanes and 32 sectors", boxes);

await page.locator("#k1 button", { hasText: "tile[threadIdx.x]" }).click();
await page.locator("#k2 button", { hasText: "tile[threadIdx.x]" }).click();
const banks = k => page.$eval(`#k${k} .picture:not([hidden])`, e => new Set(
    [...e.querySelectorAll("rect")].map(r => r.getAttribute("x"))).size);
report(await banks(1) === 1, "without padding all words are in one bank",
    await banks(1));
const narrow = await open(html.file, { width: 360, height: 700 });
report(await narrow.evaluate(() => document.documentElement.scrollWidth) <= 360,
    "360 pixels are enough");

// ---- two runs ---------------------------------------------------------------
const wrong = readFileSync("tests/data/simt/transpose.cu", "utf8")
    .replace("transpose<33>", "transpose<34>");
writeFileSync(join(dir, "other.cu"), wrong);
const other = compile(join(dir, "other.cu"), "other");
const both = await open(other("html", { SIMT_REPORT_BESIDE: json.file }).file);
report((await both.$$(".was")).length === 0,
    "two runs with the same counts: nothing differs",
    await both.$$eval(".was", e => e.map(x => x.textContent)));
const text = readFileSync(json.file, "utf8");
writeFileSync(join(dir, "less.json"), text.replaceAll('"gst_sec":16384',
    '"gst_sec":2048'));
const less = await open(transpose("html", { SIMT_REPORT_BESIDE:
    join(dir, "less.json") }).file);
report((await less.$$eval(".was", e => e.map(x => x.textContent))).join() ===
    "was 2,048", "a count that has changed stands above the earlier one",
    await less.$$eval(".was", e => e.map(x => x.textContent)));
writeFileSync(join(dir, "cut.json"), text.slice(0, text.length / 2));
const cut = transpose("html", { SIMT_REPORT_BESIDE: join(dir, "cut.json") });
report(cut.status === 2 && cut.error.includes("cut.json"),
    "an earlier report that is cut short is refused by name", cut.error);
writeFileSync(join(dir, "evil.json"), '{"simt_report":1,"x":"</script>"}');
const evil = transpose("html", { SIMT_REPORT_BESIDE: join(dir, "evil.json") });
report(evil.status === 2 && evil.error.includes("evil.json"),
    "one that would end its script is refused", evil.error);
const none = transpose("html", { SIMT_REPORT_BESIDE: join(dir, "none.json") });
report(none.status === 2 && none.error.includes("none.json"),
    "one that is not there is refused by name", none.error);

// ---- names that would leave their place -------------------------------------
writeFileSync(join(dir, "odd.cu"), `#include <cuda_runtime.h>
__global__ void odd(float *x)
{
    x[threadIdx.x] = threadIdx.x % 3 ? 1 : 2;   // </script><b id="out">"\\x
}
int main(void)
{
    float *x;
    cudaMalloc(&x, 4 * 48);
    odd<<<1, 48>>>(x);
    return cudaDeviceSynchronize();
}
`);
const odd = await open(compile(join(dir, "odd.cu"), "odd")("html").file);
report(await odd.$("#out") === null &&
    (await odd.innerText("#k0")).includes('</script><b id="out">"\\x'),
    "a line of source that ends a script is shown as it is");
report(data.kernels.every(k => k.steps.length > 0 && k.steps.every(
    s => s.length === 3 && s[2] > 0)), "a warp is followed over time");

report(errors.length === 0, "no error, and nothing is asked from elsewhere",
    errors.join("; "));
await browser.close();
console.log(`1..${count}`);
process.exit(failed ? 1 : 0);
