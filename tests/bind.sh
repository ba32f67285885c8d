#!/bin/bash
# A volume in one document: the small book of the loom as EPUB and as one page.
# Each row at the end changes the loom in one place and must be seen.
set -u
cd "$(dirname "$0")/.." || exit 1
loom=$PWD/code/weave
work=$(mktemp -d) || exit 1
[ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
n=0

ok() { n=$((n + 1)); echo "ok $n - $1"; }
not_ok() { n=$((n + 1)); echo "not ok $n - $1"; sed 's/^/# /' "$work/log" | head -20; }
check() { local what=$1; shift; if "$@" > "$work/log" 2>&1; then ok "$what"; else not_ok "$what"; fi; }
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }

for tool in pandoc lua5.4 rsvg-convert "${NOWEB_LIB:-/usr/lib/noweb}/markup"; do
    command -v "$tool" > /dev/null || { skip "a volume in one document" "$tool is not installed; make setup-pdf brings it"; exit 0; }
done

# bound NAME LOOM: in $work/NAME the small book, bound by the loom in LOOM
bound() {
    rm -rf "${work:?}/$1"; cp -r tests/data/loom "$work/$1"; mkdir "$work/$1/page"
    ( cd "$work/$1" && "$2/weave" &&
      for p in 01-sums 02-more a-end; do "$2/page-whole" $p || exit 1; done &&
      "$2/bind" book book.epub && "$2/bind" tools tools.epub &&
      "$2/bind" book page/index.html )
}
check "a small book is bound: an EPUB of each volume, and a page" bound good "$loom"

# ---- the EPUB ---------------------------------------------------------------
clean() { "$loom/check-epub" "$work/good/$1.epub"; }
"$loom/check-epub" "$work/none" > "$work/log" 2>&1; checker=$?
# It takes seconds, so of one volume; make epub asks it about both real ones.
if [ $checker = 127 ]; then skip "epubcheck has nothing to say of the EPUB" "epubcheck is not installed; make setup-pdf brings it"
else check "epubcheck has nothing to say of the EPUB" clean book; fi
inside() { perl -MIO::Uncompress::Unzip=unzip -e 'unzip $ARGV[0] => "-", Name => "EPUB/$ARGV[1]" or exit 1' "$work/$1" "$2"; }
says() { inside "$1" "$2" > "$work/log" && grep -qE "$3" "$work/log"; }
in_order() { inside good/book.epub nav.xhtml | tr '\n' ' ' | grep -qE 'ch001\.xhtml.*One.*ch002\.xhtml#sec:sums.*Sums.*#sec:sums-loop.*The.loop.*ch003\.xhtml#sec:more.*More.*Bibliography'; }
if ! perl -MIO::Uncompress::Unzip -e 1 2> /dev/null; then skip "what the EPUB says" "perl has no IO::Uncompress"
else
    check "its contents have the part, its chapters in order, and their sections" in_order
    check "its catalogue entry: title, author, language, an identifier that stays, a cover" sh -c "
        perl -MIO::Uncompress::Unzip=unzip -e 'unzip \$ARGV[0] => \"-\", Name => \"EPUB/content.opf\"' '$work/good/book.epub' > '$work/opf' &&
        grep -q '<dc:title[^>]*>A Small Book</dc:title>' '$work/opf' && grep -q '<dc:creator[^>]*>Nobody<' '$work/opf' &&
        grep -q '<dc:language>en-GB<' '$work/opf' && grep -q '<dc:identifier[^>]*>https://example.org/small#book<' '$work/opf' &&
        grep -q 'cover-image' '$work/opf'"
    while IFS='|' read -r what book file pattern; do
        check "$what" says "good/$book.epub" "text/$file" "$pattern"
    done <<'END'
a figure is a drawing in the text, with its alt text|book|ch002.xhtml|<svg role="img" aria-label="a rising line"
a formula is MathML|book|ch002.xhtml|<math display="block" xmlns="http://www.w3.org/1998/Math/MathML">
code is coloured, and a name leads to its definition in another file|book|ch002.xhtml|<span class="k">for</span>.*|<a class="i" href="ch003.xhtml#def-COUNT">COUNT</a>
a use leads to its chunk|book|ch002.xhtml|<a class="use" href="ch002.xhtml#chunk-add-x-to-sum">
a measured number is its text, without a card|book|ch002.xhtml|needs <span class="num">12,500.ns</span>|needs 12,500.ns
a note is one of the reading system's|book|ch002.xhtml|epub:type="footnote"
what leads into the other volume says so, and is no link|tools|ch002.xhtml|Read first: <span><span class="number">1
END
fi
# ---- one page ------------------------------------------------------------------
check "every link and anchor of the page resolves in it" lua5.4 tests/links.lua "$work/good/page"
alone() { [ -s "$work/good/page/index.html" ] && ! grep -oE '<(link|script|img|iframe|use)[^>]* (src|href)="[^"]*"|@import|url\([^#)][^)]*\)' "$work/good/page/index.html" | grep -v 'href="data:'; }
check "and it asks for no other file" alone
holds() { grep -qE "$1" "$work/good/page/index.html"; }
while IFS='|' read -r what pattern; do check "$what" holds "$pattern"; done <<'END'
it has the style and the script|^:root \{
it has the contents, with the title of the part|<a href="#part-01-sums"[^>]*>One</a>
a measured number has its card|aria-describedby="card-1">12,500.*id="card-1"
a note stands in the margin|<input type="checkbox" id="note-1".*class="side"
END

if ! command -v node > /dev/null || [ ! -d node_modules/playwright-core ]; then
    skip "the page in a browser" "playwright-core is not installed; npm install brings it"
else
    check "the page in a browser" node tests/pages.mjs "$work/good/page"
fi

# ---- wrong on purpose --------------------------------------------------------------
# FILE|CHANGE|CHAPTER TO WEAVE AGAIN|VOLUME|WHAT|ROW THAT SEES IT.  For one of them
# the row is epubcheck's, which takes seconds.
unfinished() { for f in ch002 ch003; do inside "$1" text/$f.xhtml; done | grep -q 'href="to:'; }
closed() { ! unfinished good/book.epub && ! unfinished good/tools.epub; }
check "no address of either EPUB is left open" closed
forgets()   { "$loom/check-epub" "$work/wrong/book.epub" 2>&1 | grep -q 'RSC-012.*ch002.xhtml'; }
left_open() { unfinished wrong/book.epub; }
goes_out()  { unfinished wrong/tools.epub; }
twice()     { inside wrong/book.epub text/ch002.xhtml | grep -q 'type="checkbox"'; }
mkdir "$work/loom"; cp -r "$work/good" "$work/wrong"
while IFS='|' read -r file change chapter volume what row; do
    if [ "$row" = forgets ] && [ $checker = 127 ]; then skip "wrong: $what" "epubcheck is not installed; make setup-pdf brings it"; continue; fi
    cp -r code/weave/. "$work/loom"; sed -i "$change" "$work/loom/$file"
    caught() {
        ! cmp -s "$work/loom/$file" "$loom/$file" && ( cd "$work/wrong" &&
        if [ -n "$chapter" ]; then "$work/loom/page-whole" "$chapter"; fi &&
        "$work/loom/bind" "$volume" "$volume.epub" ) && $row
    }
    check "wrong: $what is seen" caught
done <<'END'
bind.lua|s/^ \{16\}count = count + 1/_ = count/||book|a count of files that forgets the parts|forgets
bind.lua|s/RawInline = Raw, //||book|an address in the text that nobody made final|left_open
whole.lua|s/if to and to.volume == here then/if to then/|a-end|tools|a link into the other volume|goes_out
bind.lua|s/Note = not epub and html.note or nil/Note = html.note/||book|a note in the form of the pages|twice
END
