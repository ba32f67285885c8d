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
# grade_as NAME FILE: the file as the reader's of exercise NAME
grade_as() {
    mkdir -p "$dir/mine/${1%/*}"
    cp "$2" "$dir/mine/$1.cu"
    "$grade" --in "$dir/mine" --seed 7 "$1" > "$dir/said" 2>&1
}
# refused NAME FILE...: wrong kernels, each for its own reason; -> $tried
refused() {
    local name=$1 wrong says status
    shift
    tried=0
    for wrong; do
        [ -e "$wrong" ] || continue
        tried=$((tried + 1))
        says=$(sed -n '1s,^// says: ,,p' "$wrong")
        grade_as "$name" "$wrong"; status=$?
        wrong=${wrong#tests/wrong/grade/}
        check "${wrong%.cu} is refused: $says" \
            sh -c "[ $status = 1 ] && grep -qE \"\$1\" $dir/said" - "$says"
    done
}
names=$("$grade" --in "$dir/none" --list | awk '
    /^[a-z]/ && NF == 1 { chapter = $1 }
    /^  [^ ]/ && NF > 2 { print chapter "/" $2 }')
for name in $names; do
    grade_as "$name" "$solution/$name.cu"; status=$?
    check "$name: the solution is as good as the book" \
        sh -c "[ $status = 0 ] && grep -q '★★★☆' $dir/said"
    grade_as "$name" "$start/$name.cu"; status=$?
    check "$name: the starting file compiles and is not done" \
        sh -c "[ $status = 1 ] && grep -q 'seed 7' $dir/said"
    refused "$name" tests/wrong/grade/"$name".*.cu
    check "$name: at least four wrong kernels are tried" test "$tried" -ge 4
done
# A hint would be written to the reader's progress, if that could be read.
mkdir -p "$dir/spoilt"
printf 'reduction/sum 3 1\nreduction/sum\n' > "$dir/spoilt/progress.txt"
cp "$dir/spoilt/progress.txt" "$dir/before"
refuses "progress that is cut short" 1 \
    "spoilt/progress.txt, line 2: '' is not a number of stars" \
    "$grade" --in "$dir/spoilt" --hint throughput-machine/add
check "and it stays as it was" cmp "$dir/before" "$dir/spoilt/progress.txt"
# A red team against a first kernel: each attempt is refused.
cp $solution/throughput-machine/add.cu "$dir/outside.h"
refused throughput-machine/add tests/wrong/grade/deceive/*.cu
finish
