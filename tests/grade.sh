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
    mkdir -p "$dir/work/${1%/*}"
    cp "$2" "$dir/work/$1.cu"
    "$grade" --in "$dir/work" --seed 7 "$1" > "$dir/said" 2>&1
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
    tried=0
    for wrong in tests/wrong/grade/"$name".*.cu; do
        [ -e "$wrong" ] || continue
        tried=$((tried + 1))
        says=$(sed -n '1s,^// says: ,,p' "$wrong")
        grade_as "$name" "$wrong"; status=$?
        check "$(basename "$wrong" .cu) is refused: $says" \
            sh -c "[ $status = 1 ] && grep -qE \"\$1\" $dir/said" - "$says"
    done
    check "$name: at least four wrong kernels are tried" test "$tried" -ge 4
done
# A red team against a first kernel: each attempt is refused.
mkdir -p "$dir/work"
cp $solution/throughput-machine/add.cu "$dir/outside.h"
for wrong in tests/wrong/grade/deceive/*.cu; do
    says=$(sed -n '1s,^// says: ,,p' "$wrong")
    grade_as throughput-machine/add "$wrong"; status=$?
    check "deceive: $(basename "$wrong" .cu) is refused: $says" \
        sh -c "[ $status = 1 ] && grep -qE \"\$1\" $dir/said" - "$says"
done
finish
