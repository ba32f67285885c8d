#!/bin/bash
# A red team against `grade --report` and `grade --class`: whatever students
# hand in, the table has a row for each of them, with the stars that their own
# files are worth, and it ends in time.
. tests/lib/run.sh
grade=$BIN/grade solution=code/course/solution start=code/course/start
if ! [ -x "$grade" ] || ! command -v "${CLANG:-clang}" > /dev/null; then
    skip "attempts to deceive a class's grader" "no $grade, or no clang"
    finish
fi
class=$dir/class outside=$dir/outside
hash_of() { sha256sum < "$1" | cut -d' ' -f1; }
good=$solution/warps/sum.cu
hash=$(hash_of $good)
# student NAME [FILE]: a folder, with this as the answer to warps/sum
student() {
    mkdir -p "$class/$1/warps"
    [ -z "${2-}" ] || cp "$2" "$class/$1/warps/sum.cu"
}
reports() { printf '%s\n' "${@:2}" > "$class/$1/report.txt"; }

# honest, first, and with a report that is right
student aa $good
"$grade" --in "$class/aa" --report > "$class/aa/report.txt"

# ---- reports ---------------------------------------------------------------
student edited $start/warps/sum.cu
reports edited "warps/sum 3 $(hash_of $start/warps/sum.cu)"
student every $good
reports every "warps/sum 1 $hash" "warps/sum 3 $hash" "warps/sum 4 $hash"
student other $good
reports other "warps/largest 3 $hash"
student prefix $good
reports prefix "my warps/sum 3 $hash"
student cut $good
printf 'warps/sum 3 %s' "${hash%?}" > "$class/cut/report.txt"
student of-aa "$start/warps/sum.cu"
cp "$class/aa/report.txt" "$class/of-aa/report.txt"
student pipe $good
mkfifo "$class/pipe/report.txt"
student sparse $good
truncate -s 1T "$class/sparse/report.txt"
student stolen $good
ln -s /etc/passwd "$class/stolen/report.txt"

# ---- files -----------------------------------------------------------------
student renamed
sed 's/\bsum\b/total/g' $good > "$class/renamed/warps/sum.cu"
student linked
ln -s ../../aa/warps/sum.cu "$class/linked/warps/sum.cu"
student included
echo '#include "../../aa/warps/sum.cu"' > "$class/included/warps/sum.cu"
student fifo
mkfifo "$class/fifo/warps/sum.cu"
student huge
truncate -s 1T "$class/huge/warps/sum.cu"
student zero
ln -s /dev/zero "$class/zero/warps/sum.cu"
student loop
ln -s sum.cu "$class/loop/warps/sum.cu"
student folder
mkdir "$class/folder/warps/sum.cu"
student slow
printf '%s\n' 'template <int n> struct S { static const long v = S<n - 1>::v' \
    '+ S<n - 2>::v; };' '#define A a,a,a,a,a,a,a,a' 'int x[] = {' \
    > "$class/slow/warps/sum.cu"
cat tests/wrong/grade/deceive/bomb.cu >> "$class/slow/warps/sum.cu"
student echo
sed '1i // warps/sum 4 '"$hash" $start/warps/sum.cu > "$class/echo/warps/sum.cu"
student half $good
mkfifo "$class/half/report.txt"
mkdir -p "$class/half/reduction"
mkfifo "$class/half/reduction/sum.cu"
mkdir "$class/nothing"
mkdir -p "$class/traversal/warps"
mkdir -p "$outside/warps"
cp $good "$outside/warps/sum.cu"
ln -s "$outside" "$class/traversal/outside"
ln -s "$class/aa" "$class/twin"
echo "a table of last week" > "$class/class.csv"

seconds=$SECONDS
timeout 100 "$grade" --class "$class" --seed 7 > "$dir/csv" 2> "$dir/said"
check "a class of deceivers is graded to the end" test $? = 0
check "within a minute and a half" test $((SECONDS - seconds)) -lt 90
row() {             # TEXT LINE: the table has this line for that name
    grep -qxF -e "$2" "$dir/csv" ||
        { echo "expected $2, found:"; grep "^${2%%,*}," "$dir/csv"; return 1; }
}
attempt() { check "$1" row "$1" "$2"; }
attempt "an honest report is confirmed" "aa,warps/sum,3,as the book,yes,"
attempt "stars edited in a report" "edited,warps/sum,1,over its budget,no,"
attempt "a report with every number of stars" \
    "every,warps/sum,3,as the book,no,aa"
attempt "a report of another exercise" "other,warps/sum,3,as the book,no,aa"
attempt "a line that only ends like the right one" \
    "prefix,warps/sum,3,as the book,no,aa"
attempt "a report that is cut short" "cut,warps/sum,3,as the book,no,aa"
attempt "another student's report" "of-aa,warps/sum,1,over its budget,no,edited"
attempt "a report that is a pipe" "pipe,warps/sum,3,as the book,,aa"
attempt "a report of a terabyte" "sparse,warps/sum,3,as the book,,aa"
attempt "a report that is a link to a system file" \
    "stolen,warps/sum,3,as the book,no,aa"
attempt "other names for the variables are allowed" \
    "renamed,warps/sum,3,as the book,,"
attempt "a link to another's file" "linked,warps/sum,0,does not compile,,aa"
attempt "another's file, included" "included,warps/sum,0,does not compile,,"
attempt "a source that is a pipe" "fifo,warps/sum,0,not a file,,"
attempt "a source of a terabyte" "huge,warps/sum,0,too large,,"
attempt "a source that is a device" "zero,warps/sum,0,not a file,,"
attempt "a link to itself" "loop,warps/sum,0,not readable,,"
attempt "a source that is a folder" "folder,warps/sum,0,not a file,,"
attempt "a compiler that does not end" "slow,warps/sum,0,does not compile,,"
attempt "the wanted line as a comment" \
    "echo,warps/sum,1,over its budget,,"
attempt "one bad file does not spoil the others" \
    "half,warps/sum,3,as the book,,aa"
attempt "and is told" "half,reduction/sum,0,not a file,,"
attempt "a folder without anything" "nothing,,0,no exercise found,,"
attempt "files elsewhere do not count" "traversal,,0,no exercise found,,"
attempt "a link to another's folder" "twin,warps/sum,3,as the book,yes,aa"
check "a file among the folders is no student" \
    awk -F, '$1 == "class.csv" { exit 1 }' "$dir/csv"
check "each folder has a row" diff <(cut -d, -f1 "$dir/csv" | sed 1d | sort -u) \
    <(cd "$class" && find . -mindepth 1 -maxdepth 1 ! -name class.csv |
          sed 's,./,,' | sort)

# ---- names -----------------------------------------------------------------
named() {           # TEXT NAME: a folder of this name is refused
    local odd=$dir/odd
    mkdir -p "$odd/$2"
    refuses "a folder named with $1" 1 'the name of a folder has' \
        "$grade" --class "$odd"
    rm -rf "$odd"
}
named "a line break" $'eve\nada,warps/sum,3,as the book,yes,'
named "a terminal escape" $'\e[2Jeve'
named "a comma" 'eve,warps/sum,3'
named "a quote" 'eve"'
named "a formula" '=HYPERLINK(1)'
check "an escape does not reach the terminal" sh -c \
    "! grep -q \$(printf '\\033') '$dir/stderr'"

# ---- a report of one's own --------------------------------------------------
"$grade" --in "$class/half" --seed 7 --report > "$dir/half" 2> /dev/null
check "a report names what cannot be read, and is finished" \
    grep -qx 'reduction/sum 0 -' "$dir/half"
check "its last line is the hash of the others" diff \
    <(tail -1 "$dir/half") <(sed '$d' "$dir/half" | sha256sum | cut -d' ' -f1)
refuses "a class in a file" 1 'expected 1 to 1000 folders' \
    "$grade" --class "$class/class.csv"
refuses "a report and a class" 2 'stand alone' \
    "$grade" --report --class "$class"
finish
