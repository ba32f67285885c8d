#!/bin/sh
# The press: a small book becomes a PDF that is read back with pdftotext,
# and a book with three defects stops the press with three messages.
top=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d) || exit 1
[ -n "$KEEP" ] || trap 'rm -rf "$tmp"' EXIT
n=0

result() {     # status text
    n=$((n + 1))
    if [ "$1" -eq 0 ]; then echo "ok $n - press: $2"
    else echo "not ok $n - press: $2"; fi
}

for tool in lualatex pdftotext pandoc rsvg-convert lua5.4 gnuplot; do
    command -v $tool > /dev/null || {
        echo "ok 1 - press # SKIP $tool is not installed (make setup-pdf)"
        exit 0
    }
done
for file in texgyrepagella-math.otf memoir.cls; do
    kpsewhich $file > /dev/null || {
        echo "ok 1 - press # SKIP $file is not installed (make setup-pdf)"
        exit 0
    }
done

print_book() {     # in $tmp/$1: chapters -> build/pdf/book.pdf
    cd "$tmp/$1" || exit 1
    "$top/code/weave/weave" > weave.log 2>&1 || { cat weave.log; return 2; }
    mkdir -p build/pdf/figures
    for plot in figures/*.gp; do
        "$top/code/weave/plot" "$plot" \
            "build/figures/$(basename "$plot" .gp).svg" || return 2
    done
    for drawing in figures/*.svg build/figures/*.svg; do
        rsvg-convert --format=pdf "$drawing" \
            --stylesheet="$top/code/weave/figure.css" --output \
            "build/pdf/figures/$(basename "$drawing" .svg).pdf" || return 2
    done
    for chapter in chapters/*.nw; do
        "$top/code/weave/page-tex" "$(basename "$chapter" .nw)" || return 2
    done
    "$top/code/weave/page-tex" bibliography || return 2
    lua5.4 "$top/code/weave/book-tex.lua" build/weave/book.lua build/pdf ||
        return 2
    "$top/code/weave/press" build/pdf > press.log 2>&1
}

# ---- a good book --------------------------------------------------------
cp -r "$top/tests/data/press" "$tmp/good"
print_book good
status=$?
result $status "a small book is printed without a complaint"
if [ $status -ne 0 ]; then
    sed 's/^/# /' "$tmp/good/press.log"
    echo "1..$n"
    exit 1
fi
cd "$tmp/good" || exit 1
pages=$(pdfinfo build/pdf/book.pdf | sed -n 's/^Pages: *//p')
i=1
while [ $i -le "$pages" ]; do
    pdftotext -layout -f $i -l $i build/pdf/book.pdf page.$i
    i=$((i + 1))
done
first=$(grep -l '^ *Sums$' page.* | head -n 1 | sed 's/page\.//')
page_with() {     # printed number of the first page that matches, after $2
    for i in $(seq "$first" "$pages"); do
        if grep -q "$1" "page.$i"; then echo $((i - first + 1)); return; fi
    done
}

use=$(page_with 'float total = 0')
body=$(page_with 'total += x\[i\];')
[ -n "$use" ] && [ -n "$body" ] && [ "$use" -ne "$body" ]
result $? "the use ($use) and the definition ($body) are on two pages"
grep -q "sum the row $body" "page.$((use + first - 1))"
result $? "the use names the page of the definition"
grep -q "used on page $use and in the tools, in code/small/sum.c and 1 more" \
     "page.$((body + first - 1))"
result $? "the definition names the page of the use, and the other volume"
part=$(page_with 'read the numbers. +=')
grep -q "read the numbers. =.*$part *▸" page.*
result $? "a part names the page of the next part"
grep -q "read the numbers. +=.*◂ *$(page_with 'size_t n = 0;')" page.*
result $? "a part names the page of the part before"

header=$(page_with 'define ROW_MAX')
scan=$(page_with 'while (n < ROW_MAX')
cat page.* | grep -q "ROW_MAX $header, $use" ||
    cat page.* | grep -q "ROW_MAX $header, $scan"
result $? "the index of identifiers: definition, then occurrences"
cat page.* | grep -q "sum the row. $body; used $use and in the tools"
result $? "the index of chunks: parts, then uses"
cat page.* | grep -q "tion 2.1 *\[$body\]"
result $? "a reference to a section names its page"
cat page.* | grep -q "A row is a run of bytes  *$(page_with '^ *Figure 1.1 *A row')"
result $? "the list of figures has the claim and the page"
in_line() {        # in the book $1: two sections in one line of the contents
    pdftotext -layout "$1" - |
        grep -q "1.1 The outline *[0-9]* *· *1.2 Exercises *[0-9]*"
}
in_line build/pdf/book.pdf
result $? "in the contents the sections of a chapter follow each other"
pdftotext -layout build/pdf/book.pdf - |
    grep -q "^ *1 *What a sum costs *[0-9]*.\{1,3\}min  *[0-9]*$" &&
    pdftohtml -xml -stdout -i build/pdf/book.pdf |
        grep -q '<item page="[0-9]*">1 *What a sum costs</item>'
result $? "the minutes follow a title in the contents, not in the bookmarks"
[ "$(cat page.* | grep -c 'Table 1.1')" -ge 2 ]
result $? "a table without a caption takes no number"
answer=$(page_with 'addition of floats is not assoc')
cat page.* | grep -q "answer on page $answer"
result $? "an exercise names the page of its answer"
cat page.* | grep -q '1.1 *interview question *Sum the row from both ends'
result $? "an exercise says that it is an interview question"
reason=$(page_with 'Right. Each rounding depends')
choice=$(page_with '(b) *Only if the order')
[ -n "$reason" ] && [ -n "$choice" ] && [ "$reason" -gt "$choice" ] &&
    ! grep -q 'Each rounding' "page.$((choice + first - 1))" &&
    cat page.* | grep -q '1.2 *interview question *Eight threads sum'
result $? "the choices of a quiz are in their chapter, the reasons are answers"
cat page.* | grep -q '12.5.\{0,3\}GB/s, about 3.9 percent'
result $? "numbers come from their rows"
cat page.* | grep -q 'printf("%g\\n", sum_row(x, n) \* (1 << 3) >> 3);'
result $? "a line of code arrives whole"
cat page.* | grep -q 'café, α ≤ β → γ × 2'
result $? "signs that the faces lack come from others"
# Words that are links, as "page: word", on the printed page $2 of the book $1.
links() {
    pdftohtml -xml -stdout -i -f $(($2 + first - 1)) -l $(($2 + first - 1)) \
        "$1" | grep -o '<a href="[^"]*#[0-9]*">[^<]*</a>' |
        sed 's/.*#\([0-9]*\)">\(.*\)<.a>/\1: \2/'
}
page_of_link() { links "$1" "$2" | sed -n "s/^\([0-9]*\): .*$3.*/\1/p"; }
header_sheet=$((header + first - 1))
[ "$(page_of_link build/pdf/book.pdf "$scan" ROW_MAX | sort -u)" = $header_sheet ]
result $? "an identifier in code is a link to its definition"
prose=$(page_with 'sum_row is the whole of it')
page_of_link build/pdf/book.pdf "$prose" 'sum.row' |
    grep -q "^$((use + first - 1))$"
result $? "an identifier in a sentence is a link to its definition"
[ "$(pdffonts build/pdf/book.pdf | awk 'NR > 2' |
     grep -c -v ' yes ')" -eq 0 ]
result $? "all fonts are embedded"

# ---- the other volume -----------------------------------------------------
"$top/code/weave/press" build/pdf tools > press.log 2>&1
result $? "the second volume is printed without a complaint"
pdftotext -layout build/pdf/tools.pdf tools.txt
told=$(cat page.* | tr -s ' \n' ' ')
echo "$told" | grep -q 'On to Appendix A \[Tools, in the tools\], whose .sum again. \[in the tools\] calls sum_again, and once more to Appendix A \[in the tools\]'
result $? "a reference to the other volume names its chapter once, and no page"
grep -q 'sum the row in volume 1' tools.txt && ! grep -q 'sum the row. [0-9]' tools.txt
result $? "a chunk of the other volume is used from there, and not in the index"
grep -q 'Chapter 2 \[Rows, in volume 1\]' tools.txt &&
    ! grep -q 'The outline\|A row is a run' tools.txt
result $? "the second volume has its own contents, and refers to the first"
cat page.* | grep -q 'Read first: 1 What a sum costs\.' && grep -q 'Read first: 2 Rows\.' tools.txt
result $? "a chapter says what to read first"
lua5.4 "$top/code/weave/lengths.lua" build/weave build/pdf/book.places |
    grep -q "^2 Rows  *1  *30  *4  *2  *0 "
result $? "pages, words, lines, chunks and figures of a chapter are counted"
mkdir "$tmp/weave" && cp "$top"/code/weave/* "$tmp/weave"
sed -i 's/to.volume ~= here/false/' "$tmp/weave/latex.lua"
cp -r "$tmp/good" "$tmp/mixed" && cd "$tmp/mixed" || exit 1
"$tmp/weave/page-tex" 02-rows &&
    ! "$top/code/weave/press" build/pdf > press.log 2>&1 &&
    grep -q 'no place called sec:tools' press.log
result $? "wrong: a writer that takes both volumes for one stops the press"
cd "$tmp/good" || exit 1

# ---- more appendices than letters ------------------------------------------
# How AB is set in type, the press of the whole book shows.
cp -r "$top/tests/data/press" "$tmp/many" && cd "$tmp/many" || exit 1
names=$(for i in $(seq 27); do
    printf '# Tool %d {#sec:tool%d}\n\nOne.\n' "$i" "$i" > "chapters/tool$i.nw"
    printf ', tool%d' "$i"
done)
sed -i "s/\[a-tools\]/[a-tools$names]/" book.yaml
letters_of_last() {    # by the scripts in $1
    mkdir -p build/pdf && "$1/weave" > weave.log 2>&1 &&
        lua5.4 "$1/book-tex.lua" build/weave/book.lua build/pdf &&
        sed -n 's/.*{\([A-Z]*\)}{tool27}.*/\1/p' build/pdf/*.tex
}
[ "$(letters_of_last "$top/code/weave")" = AB ]
result $? "the appendix behind AA is AB"
cp "$top"/code/weave/* "$tmp/weave"
sed -i 's/return in_letters((n - 1) .. 26) .. /return /' "$tmp/weave/contents.lua"
[ "$(letters_of_last "$tmp/weave")" = B ]
result $? "wrong: an appendix AB that is called B is seen"
cd "$tmp/good" || exit 1

# ---- a press that forgets ------------------------------------------------
# The rows above see a listing without links, and the press itself misses the
# ends of links.
press_with() {     # in $tmp/$1: the good book, with a change of its style
    cp -r "$tmp/good" "$tmp/$1" && cd "$tmp/$1" || exit 1
    sed -i "s/.usepackage{press}/&\\\\renewcommand$2/" build/pdf/book.tex
    "$top/code/weave/press" build/pdf > press.log 2>&1
}
press_with unlinked '\\lxI[2]{#2}\\renewcommand\\contentsrunin{}' &&
    ! page_of_link build/pdf/book.pdf "$scan" ROW_MAX | grep -q .
result $? "wrong: code without links is seen"
! in_line build/pdf/book.pdf
result $? "wrong: a section in each line of the contents is seen"
! press_with endless '\\lxD[2]{#2}' && grep -q 'def-ROW_MAX' press.log
result $? "wrong: links that end nowhere stop the press"

cp -r "$tmp/good" "$tmp/bad"            # for later: its pages hardly move

# ---- a press that is killed ----------------------------------------------
# A TeX that is stopped while it writes book.aux, and the press with it.
mkdir "$tmp/killed"
cat > "$tmp/killed/lualatex" <<'END'
#!/bin/sh
cp book.aux whole.aux
head -n -1 whole.aux > book.aux && printf '%s' '\newlabel{sec:half}{{1}{2' >> book.aux
kill -KILL $PPID
END
chmod +x "$tmp/killed/lualatex"
cd "$tmp/good" || exit 1
killed() {
    { PATH=$tmp/killed:$PATH "$top/code/weave/press" build/pdf; } \
        > press.log 2>&1
    [ $? -gt 128 ]
}
killed && "$top/code/weave/press" build/pdf > press.log 2>&1
result $? "a press that was killed prints again"
killed
touch build/pdf/book.whole
! "$top/code/weave/press" build/pdf > press.log 2>&1
result $? "wrong: to go on from what a killed press has left fails"

# ---- a bad one ----------------------------------------------------------
cat >> "$tmp/bad/chapters/02-rows.nw" <<'END'

A sign that nobody has cut: 𒀀. And `\mbref{sec:none}{Section 9}`{=latex}.
One more place with a name that is taken: `\hypertarget{sec:rows}{}`{=latex}.

@<<code/small/wide.c>>=
int a_line = 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 + 14 + 15;
@
END
sed -i 's/^@<</<</' "$tmp/bad/chapters/02-rows.nw"
sed -i 's/14 + 15/14 + 15 + 16/' "$tmp/bad/chapters/02-rows.nw"
print_book bad
[ $? -eq 1 ]
result $? "a book with defects stops the press"
log=$tmp/bad/press.log
grep -q '^02-rows.tex: Missing character: .*U+12000' "$log"
result $? "a missing glyph is reported"
grep -q '^02-rows.tex: .* pt too wide.*int a_line' "$log"
result $? "a line that is too wide is reported"
grep -q 'no place called sec:none' "$log"
result $? "a reference into nothing is reported"
grep -q "duplicate destination .*'sec:rows'" "$log"
result $? "a name for two places is reported"
cd "$tmp/bad" && rm -f build/pdf/book.whole
! PRESS_RUNS=1 "$top/code/weave/press" build/pdf > one.log 2>&1
result $? "a single run from nothing stops for them, too"
grep '\.tex: ' "$log" > some && grep '\.tex: ' one.log | diff some -
result $? "and for nothing else"
cd "$top" || exit 1
echo "1..$n"
