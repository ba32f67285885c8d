#!/bin/bash
# A project of the reader's own: the worked example is right and within the
# budget that was derived for it, its first version is not, and what
# `make exercise NAME=project/own` puts down compiles, runs and can be judged.
. tests/lib/run.sh
budget=$PWD/$BIN/simt-budget own=code/course/own
page=chapters/course/project-solutions.nw
if ! [ -x "$budget" ] || ! command -v "${CLANG:-clang}" > /dev/null; then
    skip "a project of your own" "no $budget, or no clang"
    finish
fi
SIMTCC_CACHE=${SIMTCC_CACHE:-$PWD/build/headers}
export SIMTCC_CACHE
unset GITHUB_ACTIONS SIMT_CHECK
cp $own/* "$dir"

# shown STATUS WORD...: simt-budget ends so, and says what the page prints
# after these words, to the letter
shown() {
    local want=$1
    shift
    (cd "$dir" && "$budget" "$@") > "$dir/said" 2>&1
    [ $? = "$want" ] || { cat "$dir/said"; return 1; }
    awk -v head="\$ simt-budget $*" '
        $0 == head { on = 1; next }
        /^```/ { on = 0 }
        on' "$page" > "$dir/page"
    [ -s "$dir/page" ] && diff "$dir/page" "$dir/said"
}
check "the first running maximum is over, as the page says" \
    shown 1 -DFIRST running_max.cu running_max.yaml
check "the repaired one is within, as the page says" \
    shown 0 running_max.cu running_max.yaml

odd() {             # it is over, by these counts
    (cd "$dir" && "$budget" running_max.cu running_max.yaml -- 64 511) > "$dir/said" 2>&1
    for pattern in 'gld req 1024, budget 256 \(4[.]00' 'sectors read [0-9]*, budget 4096 \(4[.]'; do
        grep -qE "$pattern" "$dir/said" || { cat "$dir/said"; return 1; }
    done
}
check "rows of 511: four times the requests and sectors, as the page says" odd

# The budget is arithmetic: compute it again from the sizes.
derived() {         # COUNT NUMBER
    grep -qx "    $1: $2" "$own/running_max.yaml" || { grep "$1" "$own/running_max.yaml"; return 1; }
}
check "sectors read: 64 rows of 512 floats, once" derived sectors_read $((64 * 512 * 4 / 32))
check "sectors written: as many" derived sectors_written $((64 * 512 * 4 / 32))
check "requests: 512 bytes each" derived gld_req $((64 * 512 * 4 / (32 * 16)))

sizes() {           # PROGRAM: right for odd sizes, and the sanitizer is silent
    local size
    for size in "3 1" "3 5" "3 127" "3 257" "1 512" "5 1028"; do
        # shellcheck disable=SC2086     # rows and columns
        if ! SIMT_CHECK=memory,init,race,sync,leak "$1" $size > "$dir/said" 2>&1 ||
                [ -s "$dir/said" ]; then
            echo "$size:"; cat "$dir/said"; return 1
        fi
    done
}
"$BIN/simtcc" -w $linker "$dir/running_max.cu" -o "$dir/running_max" 2> "$dir/log"
check "the running maximum of odd sizes, with NaN" sizes "$dir/running_max"
refuses "half of the arguments" 2 '^usage: running_max' "$dir/running_max" 3

# wrong WHAT PATTERN SED-SCRIPT: so changed, the example says PATTERN
wrong() {
    sed "$3" "$dir/running_max.cu" > "$dir/wrong.cu"
    seen() {
        ! cmp -s "$dir/wrong.cu" "$dir/running_max.cu" || return 1
        (cd "$dir" && "$budget" wrong.cu running_max.yaml) > "$dir/said" 2>&1
        grep -E "$1" "$dir/said" || { cat "$dir/said"; return 1; }
    }
    check "wrong: $1 is seen" seen "$2"
}
wrong "a maximum that drops a NaN" ', expected nan$' 's/return a > b || a != a ? a : b;/return fmaxf(a, b);/'
wrong "a scan within 128 numbers only" '^row 0, number 12[89]: .*expected' '/^ *before = larger(before, /d'

# ---- what the reader begins with -------------------------------------------
exercise() { MAKEFLAGS='' make -s exercise NAME=project/own EXERCISES="$dir/mine"; }
begun() {           # PATTERN...: it says each of them
    local pattern
    exercise > "$dir/said" 2>&1
    for pattern; do
        grep -qE "$pattern" "$dir/said" || { echo "no /$pattern/:"; cat "$dir/said"; return 1; }
    done
}
mine=$dir/mine/project/own
check "project/own begins, runs, and is over a budget that nobody has derived" \
    begun 'own.cu: write your kernel' 'own.yaml: derive' 'over: sectors read 512, budget 0' '^1 kernel, 5 over$'
sed -i.old 's/^\(    sectors_[a-z]*\): 0/\1: 512/; s/^\(    g.._req\): 0/\1: 128/; s/^    flop: 0/    flop: 4096/' "$mine.yaml"
check "with 4096 floats derived by hand it is within" begun '^1 kernel, all within budget$'
sed -i.old 's/y\[i\] = 2 \* x/y[i] = 3 * x/' "$mine.cu"
check "the reader's files are kept, and a wrong kernel is told where" \
    begun '^y\[0\] is -1500, expected -1000$' 'nothing is compared'
finish
