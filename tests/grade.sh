#!/bin/bash
# The grader: every solution has full stars, every starting file compiles and
# is not done, and every wrong kernel of tests/wrong/grade is refused for the
# reason that its first line gives.
. tests/lib/run.sh
grade=$BIN/grade start=code/course/start solution=code/course/solution
if ! [ -x "$grade" ] || ! command -v "${CLANG:-clang}" > /dev/null; then
    skip "the grader" "no $grade, or no clang"
    finish
fi
SIMTCC_CACHE=${SIMTCC_CACHE:-$PWD/build/headers}
export SIMTCC_CACHE

# A compiler takes ten times as long to start as it takes for a kernel, so
# all files of an exercise are one, each in a namespace: join FILE...
join() {
    local file
    for file; do
        printf 'namespace %s {\n#line 1 "%s"\n' "$(space_of "$file")" "$file"
        cat "$file"
        echo "}"
    done
}
space_of() {        # start/races/reverse.cu, reverse.copy-2.cu -> start, copy_2
    local word=${1##*/}
    case $1 in
    */start/*)    word=start ;;
    */solution/*) word=solution ;;
    *)            word=${word%.cu} word=${word#*.} ;;
    esac
    echo "its_${word//-/_}"
}
# grade_in FILE: what was compiled from it with others; -> $status, the text
# in $dir/said
grade_in() {
    "$grade" --in "$dir/mine" --seed 7 --namespace "$(space_of "$1")" \
        "$dir/$name.ptx" > "$dir/said" 2>&1
    status=$?
}
# grade_alone NAME FILE: the same as the reader does it
grade_alone() {
    mkdir -p "$dir/mine/${1%/*}"
    cp "$2" "$dir/mine/$1.cu"
    "$grade" --in "$dir/mine" --seed 7 "$1" > "$dir/said" 2>&1
    status=$?
}
said() {            # STATUS PATTERN: it ended so, and said so
    [ "$status" = "$1" ] && grep -qE -e "$2" "$dir/said" && return
    echo "status $status, expected $1 and /$2/, found:"
    cat "$dir/said"
    return 1
}
refused() {         # FILE: for the reason in its first line
    local reason word=${1#tests/wrong/grade/}
    read -r reason < "$1"
    reason=${reason#// says: }
    check "${word%.cu} is refused: $reason" said 1 "$reason"
}
try_exercise() {    # NAME
    local wrong files=("$solution/$1.cu" "$start/$1.cu") tried=0
    mkdir -p "$dir/${1%/*}"
    for wrong in tests/wrong/grade/"$1".*.cu; do
        [ -e "$wrong" ] && files+=("$wrong")
    done
    join "${files[@]}" > "$dir/$1.cu"
    check "$1: all files compile" \
        "$BIN/simtcc" --ptx "$dir/$1.cu" -o "$dir/$1.ptx"
    grade_in "$solution/$1.cu"
    check "$1: the solution is as good as the book" said 0 '★★★☆'
    grade_in "$start/$1.cu"
    check "$1: the starting file is not done" said 1 'seed 7'
    for wrong in "${files[@]:2}"; do
        tried=$((tried + 1))
        grade_in "$wrong"
        refused "$wrong"
    done
    check "$1: at least four wrong kernels are tried" test "$tried" -ge 4
}
for name in $("$grade" --in "$dir/none" --list | awk '
        /^[a-z]/ && NF == 1 { chapter = $1 }
        /^  [^ ]/ && NF > 2 { print chapter "/" $2 }'); do
    try_exercise "$name"
done

# ---- what a chapter has -----------------------------------------------------
# each_has_four LIST: every main chapter has four exercises or more, slow code
# and broken code among them; says which has not
each_has_four() {
    local chapter list
    while read -r chapter; do
        list=$(awk -v want="$chapter" '
            /^[a-z]/ && NF == 1 { chapter = $1 }
            /^  [^ ]/ && chapter == want' "$1")
        [ "$(grep -c . <<< "$list")" -ge 4 ] && grep -q ' slow: ' <<< "$list" &&
            grep -q ' broken: ' <<< "$list" && continue
        printf '%s has no four exercises with slow and broken code:\n%s\n' \
            "$chapter" "$list"
        return 1
    done < <(sed -nE 's,^      - (machine|tricks|gpt2)/,,p' book.yaml)
}
lacks() {           # SED: the list changed like this is noticed
    sed "$1" "$dir/course" > "$dir/changed"
    ! each_has_four "$dir/changed" > /dev/null
}
"$grade" --in "$dir/none" --list > "$dir/course"
check "every main chapter has four exercises, one slow and one broken" \
    each_has_four "$dir/course"
check "a chapter without slow code would be noticed" \
    lacks '/^warps/,/^$/ s/slow: //'
check "a chapter without broken code would be noticed" \
    lacks '/^fusion/,/^$/ s/broken: //'
check "a chapter with three exercises would be noticed" \
    lacks '/^warps/,/^$/ { /negative/d; }'
check "a chapter without exercises would be noticed" \
    lacks '/^attention-backward$/,/^$/d'

# ---- what the book says of them ----------------------------------------------
# named LIST FILE: names of exercises in the file, of which the list has none;
# project/own is begun by make and judged by simt-budget (tests/own.sh)
named() {
    grep -oE '`[a-z0-9-]+/[a-z0-9-]+`|NAME=[a-z0-9-]+/[a-z0-9-]+' "$2" |
        tr -d '`' | sed 's,NAME=,,' | sort -u |
        grep -vx project/own | comm -23 - "$1"
}
# unnamed LIST: exercises that the text of their chapter does not name
unnamed() {
    local name chapter
    while read -r name; do
        chapter=${name%/*}
        [ "$chapter" != project ] || chapter=${name#*/}     # of its subject
        case $name in project/gpt2) chapter=operators-on-the-gpu ;; esac
        grep -qE "[\`=]$name\`" chapters/*/"$chapter.nw" || echo "$name"
    done < "$1"
}
nothing() { local out; out=$("$@"); [ -z "$out" ] || { echo "$out"; return 1; }; }
awk '/^[a-z]/ && NF == 1 { chapter = $1 }
     /^  [^ ]/ { print chapter "/" $2 }' "$dir/course" | sort > "$dir/names"
check "the syllabus names exercises that there are" \
    nothing named "$dir/names" chapters/course/syllabus.nw
check "every exercise is named in its chapter" nothing unnamed "$dir/names"
finds() { "$@" | grep -q .; }
grep -v '^races/last' "$dir/names" > "$dir/fewer"
check "an exercise of the syllabus that is gone would be noticed" \
    finds named "$dir/fewer" chapters/course/syllabus.nw
sed 's,^races/last,races/lost,' "$dir/names" > "$dir/other"
check "an exercise that its chapter forgets would be noticed" \
    finds unnamed "$dir/other"

# ---- what a reader does ----------------------------------------------------
name=throughput-machine/add
said_of() { "$grade" --in "$dir/new" --seed 7 "$@" > "$dir/said" 2>&1; status=$?; }
said_of $name
check "the first time, the starting file is put there" \
    said 1 "The starting file is $dir/new/$name.cu"
check "it says how to grade, as it was called" said 1 "grade it:  $grade $name"
check "and the file does not name the page of the solution" \
    nothing grep -n Tangled "$dir/new/$name.cu"
said_of $name
check "the second time, it is graded" said 1 '☆☆☆☆'
cp $solution/$name.cu "$dir/new/$name.cu"
said_of $name
check "the solution in its place is graded" said 0 '★★★☆'
said_of --hint $name
check "a hint" said 0 '^1\. The number of a thread'
check "and for the pages of the book" \
    grep -qxF "[\"$name\", \"a first kernel\", 1, 3]," "$dir/new/progress.js"
said_of --list
check "stars and hints are kept" diff - "$dir/new/progress.txt" <<< "$name 3 1"
check "the course shows the stars" said 0 '★★★☆  add .*kernel'
said_of "$dir/none/$name.ptx"
check "PTX that is not there" said 1 'none/throughput-machine/add.ptx'

# What a verdict says besides, of files that were compiled above.
name=throughput-machine/mirror
grade_in $start/$name.cu
check "a case is named by its integers" \
    said 1 '^  width = [0-9]+, height = [0-9]+: the sanitizer reports'
check "and an array by the name of the parameter" said 1 'is byte [0-9]+ of y \('
name=counting/fields
grade_in $start/$name.cu
check "a count over its budget names two lines" \
    said 1 'source:18 has 3072 of them, line 16 has 1024$'
check "and the case that was counted" said 1 'in the last case: n = 2048$'
name=low-precision/amax
grade_in $start/$name.cu
check "reports of one kind do not hide the next" \
    said 1 'The blocks of a launch run in any order'
name=profiling/clip
grade_in $start/$name.cu
check "a sum of many threads is not to be repaired by a barrier" \
    said 1 'use an atomic operation, or'
name=throughput-machine/add

# A hint would be written to the reader's progress, if that could be read.
mkdir -p "$dir/spoilt"
printf 'reduction/sum 3 1\nreduction/sum\n' > "$dir/spoilt/progress.txt"
cp "$dir/spoilt/progress.txt" "$dir/before"
refuses "progress that is cut short" 1 \
    "spoilt/progress.txt, line 2: '' is not a number of stars" \
    "$grade" --in "$dir/spoilt" --hint $name
check "and it stays as it was" cmp "$dir/before" "$dir/spoilt/progress.txt"

# ---- a class ---------------------------------------------------------------
class=$dir/class
mkdir -p "$class"/{ada,bob,eve}/{warps,reduction}
for student in ada bob; do
    cp $solution/warps/sum.cu "$class/$student/warps/"
    cp $start/reduction/sum.cu "$class/$student/reduction/"
done
echo "// of my own" >> "$class/bob/warps/sum.cu"
echo "no kernel" > "$class/eve/warps/sum.cu"
hash_of() { sha256sum < "$1" | cut -d' ' -f1; }
lines=$(echo "warps/sum 3 $(hash_of $solution/warps/sum.cu)"
        echo "reduction/sum 1 $(hash_of $start/reduction/sum.cu)")
"$grade" --in "$class/ada" --report > "$class/ada/report.txt"
check "a report has stars and hashes" diff "$class/ada/report.txt" - << .
$lines
$(echo "$lines" | sha256sum | cut -d' ' -f1)
.
sed 's/ 3 / 4 /' "$class/ada/report.txt" > "$class/bob/report.txt"
"$grade" --class "$class" > "$dir/class.csv" 2> "$dir/said"
check "a class is graded" diff "$dir/class.csv" - << .
student,exercise,stars,verdict,reported,same as
ada,warps/sum,3,as the book,yes,
ada,reduction/sum,1,over its budget,yes,
bob,warps/sum,3,as the book,no,
bob,reduction/sum,1,over its budget,yes,ada
eve,warps/sum,0,does not compile,,
.
refuses "a class that is not there" 1 'none: expected 1 to 1000 folders' \
    "$grade" --class "$dir/none"
mkdir "$class/a,b"
refuses "a name that the table cannot hold" 1 'a,b: the name of a folder' \
    "$grade" --class "$class"
refuses "a report of one exercise" 2 'stand alone' "$grade" --report warps/sum

# ---- installed -------------------------------------------------------------
# in a folder with a space, and found through the links
root="$dir/a root" there="$dir/a root/opt/bin"
quiet() { "$@" > "$dir/said" 2>&1 || { cat "$dir/said"; return 1; }; }
check "make install" quiet make -s install DESTDIR="$root" PREFIX=/opt
printf '%s\n' '#include <cstdio>' \
    '__device__ int x; __global__ void k() { x = 7; }' \
    'int main() { int y = 0; k<<<1, 1>>>();' \
    'cudaMemcpyFromSymbol(&y, x, 4); printf("%d\n", y); }' > "$dir/seven.cu"
away() { (cd "$dir" && SIMTCC_CACHE='' quiet "$@"); }
check "simtcc works where it was installed" away "$there/simtcc" seven.cu -o seven
check "and what it compiled runs" diff - <("$dir/seven") <<< 7
(cd "$dir" && "$there/grade" warps/sum > said 2>&1)
check "grade has its starting files there" \
    grep -q 'The starting file is exercises/warps/sum.cu' "$dir/said"
cp $solution/warps/sum.cu "$dir/exercises/warps/"
check "and compiles" away "$there/grade" --seed 7 warps/sum
from=$dir/exercises/warps               # not a second folder `exercises` in it
(cd "$from" && "$there/grade" reduction/sum) > "$dir/said"
check "a reader may stand in the folder of the exercises" \
    test -e "$dir/exercises/reduction/sum.cu" -a ! -e "$from/exercises"
(cd "$from" && SIMTCC_CACHE='' "$there/grade" --seed 7 sum.cu) > "$dir/said" 2>&1
status=$?
check "and grade a file there" said 0 'warps/sum: '
check "make uninstall" quiet make -s uninstall DESTDIR="$root" PREFIX=/opt
check "leaves nothing" diff - <(find "$root" ! -type d) < /dev/null

# A red team against a first kernel: each attempt is refused.
cp $solution/$name.cu "$dir/outside.h"
for wrong in tests/wrong/grade/deceive/*.cu; do
    grade_alone $name "$wrong"
    refused "$wrong"
done
finish
