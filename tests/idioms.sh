#!/usr/bin/env bash
# Every program of tests/data/simt/idioms shows a correct idiom of warps,
# locks, flags and fences.  It must print "NAME ok", end with status 0, and
# the sanitizer must have nothing to say; then once more without sanitizer.
# The level of optimisation depends on the name, so that all four occur; those
# of a level are compiled as one program.
#
# tests/idioms.sh [PATTERN...]: only those, e.g. 'lock-*'
. tests/lib/run.sh
. tests/lib/many.sh
folder=tests/data/simt/idioms
# These are compiled by every other clang as well.
handful="shfl-broadcast shfl-halves lock-spin lookback-packed"

if ! command -v "${CLANG:-clang}" > /dev/null; then
    skip "idioms" "no clang: apt install clang"
    finish
fi

# batch COMPILER LEVEL NAME...: a row for each, "ok - ..." or
# "not ok - ... : why"
batch() {
    local compiler=$1 level=$2 name batch=$dir/$1$2
    [ "$compiler" = default ] || export CLANG=$compiler
    shift 2
    many $folder "$@" > "$batch.cu"
    # C++14, whose <cmath> is a third as long: less to wait for
    "$BIN/simtcc" -std=c++14 -w $linker "$level" -I$folder -o "$batch" \
        "$batch.cu" > "$batch.log" 2>&1
    for name; do
        text="$name $level"
        [ "$compiler" = default ] || text="$text, $compiler"
        one "$name"
    done
    rm -f "$batch"
}

one() {             # NAME
    local out=$dir/$1 check status
    if ! [ -x "$batch" ]; then
        echo "not ok - $text: $(grep -m 1 error "$batch.log")"
        return
    fi
    for check in on off; do
        SIMT_CHECK=$check timeout -k 5 60 "$batch" "$1" > "$out.out" 2> "$out.err"
        status=$?
        if [ $status -eq 124 ] || [ $status -eq 137 ]; then
            echo "not ok - $text: hangs, SIMT_CHECK=$check"
            return
        elif [ $status -ne 0 ] || [ -s "$out.err" ] ||
                [ "$(cat "$out.out")" != "$1 ok" ]; then
            echo "not ok - $text: status $status, SIMT_CHECK=$check:" \
                "$(cat "$out.out" "$out.err" | head -6 | tr -s '\n ' ' ')"
            return
        fi
    done
    echo "ok - $text"
}

if [ "$1" = --batch ]; then
    trap - EXIT
    rm -rf "$dir"
    dir=$2
    batch "${@:3}"
    exit
fi

# Every program with the default clang, the handful with the others: lines
# "COMPILER LEVEL NAME...".  mbarrier is not one of the software GPU's.
batches() {
    local p f c
    for p in "${@:-*}"; do
        for f in "$folder"/$p.cu; do
            grep -q mbarrier "$f" ||
                echo "default $(level_of "$(basename "$f" .cu)")"
        done
    done
    [ $# -eq 0 ] || return
    for c in clang-15 clang-16 clang-17 clang-18 clang-19; do
        command -v $c > /dev/null || continue
        for p in $handful; do
            echo "$c $(level_of "$p")"
        done
    done
}
level_of() {        # NAME: its level, and the name
    echo "-O$(($(echo "$1" | cksum | cut -d' ' -f1) % 4)) $1"
}
together='{ key = $1 " " $2; names[key] = names[key] " " $3 }
    END { for (key in names) print key names[key] }'

for f in "$folder"/*.cu; do
    [ $# -gt 0 ] || ! grep -q mbarrier "$f" ||
        skip "$(basename "$f" .cu)" "the software GPU has no mbarrier"
done
results=$(batches "$@" | awk "$together" |
    xargs -P "${JOBS:-$(getconf _NPROCESSORS_ONLN)}" -L 1 "$0" --batch "$dir" |
    sort -k3)
while read -r line; do
    case $line in
    ok*) ok "${line#ok - }" ;;
    *)   line=${line#not ok - }
         not_ok "${line%%: *}" "${line#*: }" ;;
    esac
done <<END
$results
END
finish
