/* Tangled from chapters/workshop/finding.nw, "The index".  Edit it there. */

// index.mjs ENTRIES.json FOLDER: writes FOLDER/minisearch.js, the library
// with its licence, and FOLDER/search-index.js.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { runInThisContext } from "node:vm";

const [source, folder] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const library = "../../node_modules/minisearch/";
const read = path => readFileSync(new URL(path, import.meta.url), "utf8");
const words = read("words.js");

/* write a file in one step */
function write(name, text) {
    writeFileSync(`${folder}/${name}.new`, text);
    renameSync(`${folder}/${name}.new`, `${folder}/${name}`);
}

/* copy the library with its licence */
const { version } = JSON.parse(read(library + "package.json"));
write("minisearch.js",
      `/* MiniSearch ${version}\n\n${read(library + "LICENSE.txt")}*/\n` +
      read(library + "dist/umd/index.js")
          .replace(/^\/\/# sourceMappingURL=.*$/m, ""));

/* build the index */
const { pages, entries } = JSON.parse(readFileSync(source, "utf8"));
const MiniSearch = require(library + "dist/cjs/index.cjs");
const options = runInThisContext(words + "; indexOptions");
const index = new MiniSearch(options);
index.addAll(entries.map(([, , name, , , more], id) =>
    ({ id, name, more })));
const data = JSON.stringify({ pages, entries, index })
    .replace(/[\\']/g, "\\$&");
write("search-index.js",
      words + `\nconst bookIndex = JSON.parse('${data}');\n`);
