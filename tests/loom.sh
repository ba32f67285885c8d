#!/bin/bash
# The loom: tangle, weave, indexes and links, on a small book and on ours.
# UPDATE=1 tests/loom.sh rewrites the golden files after a change that was meant.
set -u
cd "$(dirname "$0")/.." || exit 1
top=$PWD loom=$PWD/code/weave
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
n=0

ok() { n=$((n + 1)); echo "ok $n - $1"; }
not_ok() { n=$((n + 1)); echo "not ok $n - $1"; sed 's/^/# /' "$work/log" | head -20; }
check() { local what=$1; shift; if "$@" > "$work/log" 2>&1; then ok "$what"; else not_ok "$what"; fi; }
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }

fresh() { rm -rf "$work/book"; cp -r tests/data/loom "$work/book"; cd "$work/book" || exit 1; }
back() { cd "$top" || exit 1; }
sums() { find "$1" -type f -print0 | sort -z | xargs -0 ls -l --time-style=full-iso; find "$1" -type f -print0 | sort -z | xargs -0 cksum; }
golden() {   # golden NAME FILE: FILE is what tests/data/loom/golden/NAME says
    if [ "${UPDATE:-}" = 1 ]; then cp "$2" "$top/tests/data/loom/golden/$1"; fi
    diff -u "$top/tests/data/loom/golden/$1" "$2"
}

for tool in markup mnt nt; do
    [ -x "${NOWEB_LIB:-/usr/lib/noweb}/$tool" ] || { skip "the loom" "noweb is not installed"; exit 0; }
done

# ---- tangle -----------------------------------------------------------------
fresh
check "a small book tangles" "$loom/tangle"
(cd code && for f in $(find . -type f | sort); do echo "=== $f"; cat "$f"; done) > "$work/tangled"
check "tangled files are the golden ones: names, sections, banners, macros, launches" golden tangled "$work/tangled"
check "a makefile keeps its tabs" grep -q "$(printf '^\techo done\|^\t\techo done')" code/Makefile
check "no other file gets a tab" sh -c '! grep -rn "$(printf "\t")" --exclude=Makefile code'
check "an empty line has no blanks, however deep its chunk is used" sh -c '! grep -rnE "[[:blank:]]$" code'
check "a script can be run" sh -c '[ "$(code/run)" = "it runs" ]'
if command -v gcc > /dev/null; then
    check "a chunk inside a macro compiles" gcc -Wall -Werror -x c -fsyntax-only - <<'C'
#include "code/macro.h"
void f(int *x, int *y);
void f(int *x, int *y) { SWAP(*x, *y); }
C
fi
sums code > "$work/before"; sleep 0.02
check "tangling again touches nothing" sh -c "'$loom/tangle'"
sums code > "$work/after"
check "byte for byte and minute for minute" cmp "$work/before" "$work/after"

# breaks NAME PATTERN: after the chapters were broken, tangle must fail with a
# message that matches, and leave code/ alone
breaks() {
    if "$loom/tangle" > "$work/log" 2>&1; then echo "# it succeeded" >> "$work/log"; not_ok "$1"; return; fi
    sums code > "$work/after"
    if grep -qE "$2" "$work/log" && cmp -s "$work/before" "$work/after"; then ok "$1"; else not_ok "$1"; fi
    cp "$top"/tests/data/loom/chapters/*.nw chapters/
}
sed -i 's/<<add x to sum>>$/<<add x to sun>>/' chapters/02-more.nw
breaks "an undefined chunk: file, line and the name that was meant, code/ untouched" \
    '^chapters/02-more.nw:17: <<add x to sun>> is used but nowhere defined; is <<add x to sum>> meant\?'
sed -i 's/add@<<</add<<</' chapters/02-more.nw
breaks "a kernel launch without its escape" '^chapters/02-more.nw:22: .*kernel@<<<grid'
sed -i 's/^    <<add x to sum>>/    if (n) <<add x to sum>>/' chapters/01-sums.nw
breaks "a use that is not alone on its line" '^chapters/01-sums.nw:25: .*alone'
printf '\n<<add x to sum>>=\n<<add x to sum>>\n@\n' >> chapters/a-end.nw
breaks "a chunk that uses itself" 'uses itself'
printf '\nprose with <<angles\n' >> chapters/a-end.nw
breaks "angle brackets in prose" 'a-end.nw:.*unescaped <<'
sums code > "$work/before"
if chmod a-w code 2>/dev/null && ! touch code/probe 2>/dev/null; then
    echo 'int x;' >> chapters/a-end.nw
    chmod u+w code
fi
echo 'mine' > code/mine.txt
sed -i '/^<<code\/run>>=$/,/^@$/d' chapters/02-more.nw
"$loom/tangle" > "$work/said" 2>&1
check "a root that is gone is removed" test ! -e code/run
check "a file made by hand is left alone and named" sh -c "[ -f code/mine.txt ] && grep -q mine.txt '$work/said'"
rm code/mine.txt; cp "$top"/tests/data/loom/chapters/*.nw chapters/

sed -i 's/^    int sum = 0;/    int sum = nonsense;/' chapters/01-sums.nw
line=$(grep -n nonsense chapters/01-sums.nw | cut -d: -f1)
check "LINES: a second tree with line directives" "$loom/tangle" --lines
gcc -Ibuild/lined/code -fsyntax-only build/lined/code/sums.c > "$work/said" 2>&1
check "LINES: the compiler names the line of the chapter" grep -q "^chapters/01-sums.nw:$line:" "$work/said"
check "LINES: code/ itself is untouched" sh -c '! grep -rq nonsense code'
cp "$top"/tests/data/loom/chapters/*.nw chapters/
back

rm -rf "$work/ours"; mkdir "$work/ours"; cp -r chapters code book.yaml "$work/ours"; cd "$work/ours" || exit 1
# Work is counted in instructions of Lua, since a clock depends on what else
# the machine does: nine million for 88,000 lines; a scan of all lines for each
# chunk would be a thousand million.
cat > "$work/count.lua" <<'END'
local hundred_thousands = 0
debug.sethook(function() hundred_thousands = hundred_thousands + 1 end, "", 100000)
COUNT_AT_EXIT = setmetatable({}, { __gc = function()
    local out = assert(io.open(os.getenv "COUNT", "a"))
    out:write(hundred_thousands, "\n"); out:close()
end })
END
tangle_counted() { COUNT="$work/count" LUA_INIT="@$work/count.lua" code/weave/tangle; }
check "our own book tangles" tangle_counted
count=$(awk '{ n += $1 } END { print NR ? n / 10 : "no" }' "$work/count")
check "with less than 20 million instructions of Lua ($count)" \
    awk -v n="$count" 'BEGIN { exit !(n > 1 && n < 20) }'
check "and code/ is what the chapters say" diff -r "$top/code" code
back

# ---- weave ------------------------------------------------------------------
if ! command -v pandoc > /dev/null; then skip "the pages" "pandoc is not installed"; exit 0; fi
fresh
pages() { for p in "$@"; do "$loom/page" "$p" || return 1; done; }
letters="a-b c d-f g-l m-o p-r s t-z"
all="01-sums 02-more a-end index chunks identifiers figures bibliography errata $(for l in $letters; do echo "chunks-$l identifiers-$l"; done)"
check "a small book is woven" "$loom/weave"
# shellcheck disable=SC2086
check "into pages" pages $all
for p in 01-sums 02-more identifiers identifiers-m-o identifiers-s chunks chunks-a-b index figures errata; do
    sed -n '/<main/,$p' build/book/html/$p.html > "$work/page"
    check "the page $p is the golden one" golden $p.html "$work/page"
done
cp "$loom/book.css" build/book/html; cat "$loom/book.js" "$loom/aids.js" > build/book/html/book.js
check "every link and anchor of it resolves" lua5.4 "$top/tests/links.lua" build/book/html
turns() { grep -q 'rel="prev" href="01-sums.html"' build/book/html/02-more.html && ! grep -q 'rel="next"' build/book/html/02-more.html &&
    ! grep -q 'rel="prev"' build/book/html/a-end.html; }
check "pages turn inside a volume and not out of it" turns
needs() { grep -q 'Read first: <a href="01-sums.html">' build/book/html/02-more.html && ! grep -q 'not-written' build/book/html/02-more.html &&
    grep -q 'class="volume">The tools<' build/book/html/a-end.html && ! grep -q 'class="volume"' build/book/html/02-more.html; }
check "a page says what to read first, and that it is in the second volume" needs
rounds() { lua5.4 -e 'package.path = arg[1] .. "/?.lua"; local d = require "data"
    for _, r in ipairs { { 9.996, 3, "10.0" }, { 99.96, 3, "100" }, { 0.4996, 3, "0.500" }, { 99960, 3, "100000" }, { 1234567, 3, "1230000" } } do
        assert(d.round(r[1], r[2]) == r[3], r[1] .. " -> " .. d.round(r[1], r[2])) end' - "$loom"; }
check "a value that rounds up to a power of ten keeps its number of digits" rounds
check "its erratum has the form that the proof reader asks for" sh -c "! lua5.4 $loom/lint.lua --root . | grep ^ERRATA"
# Ten words and three lines: no answer, attribute, address, empty line or sign counts.
cat > "$work/chapter.md" <<'END'
# Two words {#sec:x}

One [two](https://example.org/a/b) *three* -- four, [five]{.term} six.

```sh
make a  # one

make b
```

::: {.exercise .quiz #ex:y}
Seven?

Eight.
: Right. A reason is folded.
:::

::: {.answer of="ex:y"}
Not read.

::: {.note}
```
nor this
```
:::

Nor this.
:::

~~~~
three ``` ~~~
~~~~
END
counts() { lua5.4 -e 'package.path = arg[1] .. "/?.lua"; local m = require "minutes"
    local words, lines = m.count(io.open(arg[2]):read("a"))
    print(words, lines); assert(words == 10 and lines == 3)
    assert(m.minutes(200, 0) == 1 and m.minutes(201, 0) == 2 and m.minutes(200, 12) == 2 and m.minutes(0, 25) == 3)
    assert(m.in_words(59) == "59\u{202F}min" and m.in_words(60) == "1\u{202F}h" and m.in_words(125) == "2\u{202F}h 5\u{202F}min")' - "$1" "$work/chapter.md"; }
check "the minutes of a chapter come from its words and lines" counts "$loom"
while read -r what change; do
    mkdir -p "$work/wrong"; sed "$change" "$loom/minutes.lua" > "$work/wrong/minutes.lua"
    missed() { ! cmp -s "$work/wrong/minutes.lua" "$loom/minutes.lua" && ! counts "$work/wrong"; }
    check "wrong: minutes that count ${what//-/ } are seen" missed
done <<'END'
answers          s/answer = answer or depth end/end/
half-an-answer   s/depth < answer/depth <= answer/
reasons          s/line:find("^:%s")/false/
attributes       s/line:gsub("%b{}", "")/line/
addresses        s/:gsub("%]%b()", "]")//
empty-lines      s/line:find("%S") and 1/1/
signs            s/if word:find.* then n/n/;s/n = n + 1 end$/n = n + 1/
no-fence's-end   s/#ticks >= #fence/#ticks > 9/
code-as-words    s/elseif fence then/elseif false then/
only-words       s|[+] lines / M.lines_a_minute|+ 0|
downwards        s/math.ceil/math.floor/
END
in_browser() { (cd "$top" && node tests/pages.mjs "$work/book/build/book/html"); }
if ! command -v node > /dev/null || [ ! -d "$top/node_modules/playwright-core" ]; then
    skip "its pages in a browser" "playwright-core is not installed; npm install brings it"
else
    check "its pages in a browser" in_browser
    # two labels in one place, and one in a grey that is too light
    crowd='<text x="1" y="9">one<\/text><text x="1" y="9" fill="#b0b0b0">two<\/text>'
    sed -i "s/<svg role=\"img\".*>/&$crowd/" build/book/html/01-sums.html
    seen() { ! in_browser > "$work/said" 2>&1 && grep -q 'fig:sums-line: [0-9.]* two' "$work/said" &&
        grep -q 'fig:sums-line: one under two' "$work/said"; }
    check "labels of a figure that are pale, and that cover each other, are seen" seen
fi
kinds() { grep -q "<code>$1</code></a> <span class=\"kind\">$2<" build/book/html/identifiers-*.html; }
while read -r name kind; do check "the index knows $name as $kind" kinds "$name" "$kind"; done <<'END'
add kernel
sum_all function
Sum struct
Mode enum
MODE_TWO constant
Sums type
COUNT macro
used variable
Pack struct
Eight type
Less type
first_of function
END
unknown() { ! grep -E "<code>(Item|W|may_alias|right|QUIET|number|what|free)</code></a> <span class=\"kind\">[^m]" build/book/html/identifiers-*.html; }
check "and takes no parameter of a template, attribute or macro for a definition" unknown
check "a member of a struct is no function of that name" grep -q "struct.* first_of, free" build/book/html/a-end.html
sums build/weave > "$work/before"; sleep 0.02
echo 'One more sentence.' >> chapters/a-end.nw
"$loom/weave"
sums build/weave > "$work/after"
check "a new sentence touches the input of its own page only" sh -c \
    "diff '$work/before' '$work/after' | grep '^>' | grep -v '[0-9]$' | sed 's/.* //' | grep -Ev '/(a-end.md|lengths.lua)$' > '$work/other'; ! [ -s '$work/other' ]"
cp "$top"/tests/data/loom/chapters/*.nw chapters/
"$loom/weave"; sums build > "$work/before"

# wrong NAME SED-EXPRESSION PATTERN: weave must say PATTERN and write nothing
wrong() {
    sed -i "$2" chapters/01-sums.nw
    if "$loom/weave" > "$work/log" 2>&1; then echo "# it succeeded" >> "$work/log"; not_ok "$1"
    else
        rm -f build/weave/stream.tmp; sums build > "$work/after"
        if grep -qE "$3" "$work/log" && cmp -s "$work/before" "$work/after"; then ok "$1"; else not_ok "$1"; fi
    fi
    cp "$top"/tests/data/loom/chapters/*.nw chapters/
}
wrong "an unknown number"      's/@num:sum.time/@num:sum.tme/'   '^chapters/01-sums.nw:3: @num:sum.tme: no row.*is sum.time meant'
wrong "an unknown reference"   's/@sec:sums-loop/@sec:sums-lop/' '^chapters/01-sums.nw:4: @sec:sums-lop: no such label; is sec:sums-loop meant'
wrong "an unknown citation"    's/@kernighan1978/@kernigan1978/' '^chapters/01-sums.nw:5: @kernigan1978: not in the bibl.*is kernighan1978 meant'
wrong "an unknown identifier"  's/\[\[sum_all\]\]/[[sum_al]]/'   '^chapters/01-sums.nw:3: \[\[sum_al\]\]: no code.*is sum_all meant'
wrong "an unknown chunk"       's/\[add x to sum\]/[add x to su]/' '^chapters/01-sums.nw:[0-9]*: .*no such chunk; is add x to sum meant'
wrong "a missing drawing"      's/line.svg/lime.svg/'            '^chapters/01-sums.nw:9: no file figures/lime.svg'
wrong "a missing output file"  's/out.txt/oot.txt/'              '^chapters/01-sums.nw:43: no file figures/data/oot.txt'
wrong "a figure without alt"   's/ alt="a rising line"//'        '^chapters/01-sums.nw:9: a figure needs'
wrong "a label used twice"     's/#tbl:sums/#tbl:sums} {#fig:sums-line/; s/^: Two/![x](figures\/line.svg){#fig:sums-line alt="y"}\n\n: Two/' 'fig:sums-line is also in'
wrong "arithmetic on no number" 's|sum.time / sum.count|sum.time / |' '\{.calc\}: no value'
# page_stops WHAT SED-EXPRESSION PATTERN: the page must say PATTERN
page_stops() {
    sed -i "$2" chapters/01-sums.nw
    says() {
        "$loom/weave"
        if "$loom/page" 01-sums > "$work/said" 2>&1; then echo "it succeeded"; return 1; fi
        grep -qE "^chapters/01-sums.nw:[0-9]+: $1" "$work/said" || { cat "$work/said"; return 1; }
    }
    check "$1" says "$3"
    cp "$top"/tests/data/loom/chapters/*.nw chapters/
}
page_stops "a quiz with no right choice" 's/^: Right\./: No./' 'the quiz ex:sums-which has 0 right choices'
page_stops "a quiz with two right choices" 's/^: No\./: Right./' 'the quiz ex:sums-which has 2 right choices'
page_stops "a choice without a verdict" 's/^: No\. /: /' 'the quiz ex:sums-which has a choice whose reason begins neither'
page_stops "a quiz with one choice" '/^\*Some/,/^: No/d' 'the quiz ex:sums-which does not end with a list'
page_stops "a wanted number that is a word" 's/\[500\]{.wanted/[many]{.wanted/' '.many.{.wanted} is not a number'
sed -i 's/@num:sum.time/$t = @num:sum.time$/' chapters/01-sums.nw
formula() { "$loom/weave"; ! "$loom/page" 01-sums > "$work/said" 2>&1 &&
    grep -q '^chapters/01-sums.nw:3: @num:sum.time.* in a formula' "$work/said"; }
check "a measured number in a formula" formula
cp "$top"/tests/data/loom/chapters/*.nw chapters/; "$loom/weave"; sums build > "$work/before"
sed -i 's/^sum.count,1000/sum.count,1000,7/' figures/data/sums.csv
wrong "a row with too many fields" '' '^.*figures/data/sums.csv:3: a row has 7 fields'
cp "$top"/tests/data/loom/figures/data/sums.csv figures/data
printf 'item,claim,verdict,evidence,sections\n0.001,Sums.,right,Proved.,sums-lop\n' > chapters/claims.csv
wrong "a claim whose section is nowhere" '' '^chapters/claims.csv:2: no section sums-lop; is sec:sums-loop meant'
printf 'item,claim,verdict,evidence,sections\n0.001,Sums.,right,Proved.,sums-loop\n0.001,Again.,wrong,No.,\n' > chapters/claims.csv
wrong "an item that is there twice" '' '^chapters/claims.csv:3: 0.001 is there twice'
sed -i 's/0.001,Again/0.002,Again/' chapters/claims.csv
printf 'subject,sections\nsum,sums-loop\n' > chapters/subjects.csv
wrong "an index without a column" '' '^chapters/subjects.csv:1: the first line is not subject,entry,sections'
printf 'subject,entry,sections\nsum,,sums-loop\nsum,of two,sums-loop sums\n' > chapters/subjects.csv
printf 'subject,entry,sections\nSums,Is it odd?,sums-loop ex:sums-od\n' > chapters/questions.csv
wrong "a question whose exercise is nowhere" '' '^chapters/questions.csv:2: no exercise ex:sums-od; is ex:sums-odd meant'
printf 'subject,entry,sections\nSums,Is it odd?,sums-loop sums/even\n' > chapters/questions.csv
wrong "a question whose kernel is nowhere" '' '^chapters/questions.csv:2: no exercise sums/even in code/course/start'
mkdir -p code/course/start/sums; touch code/course/start/sums/even.cu
sed -i 's,sums/even,ex:sums-odd sums/even,' chapters/questions.csv
printf '\n::: {.questions file="x"}\n:::\n' >> chapters/01-sums.nw
asks() { "$loom/weave" && "$loom/page" 01-sums && local page=build/book/html/01-sums.html &&
    grep -q 'Is it odd? <a class="ref".*; <a class="ref" href="#ex:sums-odd">.*, <code>sums/even</code>' "$page" &&
    [ "$(grep -c 'class="asked">interview question<' "$page")" = 1 ]; }
check "a question is followed by its exercises, and the exercise says so" asks
rm -r chapters/questions.csv code/course
cp "$top"/tests/data/loom/chapters/*.nw chapters/
printf '\n[[add]] is in a file of ours, [[SWAP]] in a header, [[deep]] alone.\n' >> chapters/01-sums.nw
printf '\n[[used]] is static elsewhere.\n' >> chapters/02-more.nw
leads() { "$loom/weave" && "$loom/page" 01-sums && "$loom/page" 02-more && cat build/book/html/0[12]-*.html > "$work/said" &&
    grep -q 'href="02-more.html#def-add-cu-add">add<' "$work/said" && grep -q 'href="a-end.html#def-SWAP">SWAP<' "$work/said" &&
    grep -q 'href="a-end.html#def-deep">deep<' "$work/said" && grep -q '<code>used</code> is static' "$work/said"; }
check "a name in prose leads to its own files and to what is public (catches a link to any static one)" leads
cp "$top"/tests/data/loom/chapters/*.nw chapters/
printf '\n::: {.counts file="x"}\n:::\n\n::: {.claims source="0"}\n:::\n\n::: {.claims source="1"}\n:::\n\n::: {.subjects file="x"}\n:::\n' >> chapters/01-sums.nw
fills() { "$loom/weave" && "$loom/page" 01-sums && local page=build/book/html/01-sums.html &&
    grep -A3 '>all<' "$page" | tr -d '\n' | grep -q '>2<.*>1<.*>1<' && [ "$(grep -c 'id="claim-' "$page")" = 2 ] &&
    [ "$(grep -c 'class="subject"' "$page")" = 1 ] && grep -q 'class="under">of two' "$page"; }
check "claims of one source, their counts and subjects fill their blocks (catches a source that is ignored)" fills
cp "$top"/tests/data/loom/chapters/*.nw chapters/; rm chapters/claims.csv chapters/subjects.csv
"$loom/weave"; sums build > "$work/before"
sed -i 's/\[01-sums, /[/' book.yaml
wrong "a chapter that book.yaml forgets" '' '^chapters/01-sums.nw:1: add 01-sums'
cp "$top"/tests/data/loom/book.yaml .
back

# ---- our own pages, if they have been made ----------------------------------
if [ -f build/book/html/index.html ]; then
    check "every link and anchor of the book resolves" lua5.4 tests/links.lua build/book/html
else
    skip "links of the book" "no pages here; run make book first"
fi
