#!/usr/bin/env bash
# Every program of tests/data/simt/idioms shows a correct idiom of warps,
# locks, flags and fences.  It must print "NAME ok", end with status 0, and
# the sanitizer must have nothing to say; then once more without sanitizer.
# The level of optimisation depends on the name, so that all four occur.
#
# tests/idioms.sh [PATTERN...]: only those, e.g. 'lock-*'
. tests/lib/run.sh
folder=tests/data/simt/idioms
# These are compiled by every other clang as well.
handful="shfl-broadcast shfl-halves lock-spin lookback-packed"
# a linker that is faster than the usual one
linker=
command -v ld.lld > /dev/null && linker=-fuse-ld=lld

if ! command -v "${CLANG:-clang}" > /dev/null; then
    skip "idioms" "no clang: apt install clang"
    finish
fi

# one row: "ok - ..." or "not ok - ... : why"
one() {             # NAME COMPILER
    local name=$1 level text out=$dir/$1-$2 check status
    level=-O$(($(echo "$name" | cksum | cut -d' ' -f1) % 4))
    text="$name $level"
    [ "$2" = default ] || { text="$name $level, $2"; export CLANG=$2; }
    if grep -q mbarrier "$folder/$name.cu"; then
        echo "ok - $text # SKIP the software GPU has no mbarrier"
        return
    fi
    # C++14, whose <cmath> is a third as long: less to wait for
    if ! "$BIN/simtcc" -std=c++14 -w $linker $level -o "$out" \
            "$folder/$name.cu" > "$out.log" 2>&1; then
        echo "not ok - $text: $(grep -m 1 error "$out.log")"
        return
    fi
    for check in on off; do
        SIMT_CHECK=$check timeout -k 5 60 "$out" > "$out.out" 2> "$out.err"
        status=$?
        if [ $status -eq 124 ] || [ $status -eq 137 ]; then
            echo "not ok - $text: hangs, SIMT_CHECK=$check"
            return
        elif [ $status -ne 0 ] || [ -s "$out.err" ] ||
                [ "$(cat "$out.out")" != "$name ok" ]; then
            echo "not ok - $text: status $status, SIMT_CHECK=$check:" \
                "$(cat "$out.out" "$out.err" | head -6 | tr -s '\n ' ' ')"
            return
        fi
    done
    rm -f "$out"
    echo "ok - $text"
}

if [ "$1" = --one ]; then
    trap - EXIT
    rm -rf "$dir"
    dir=$2
    one "$3" "$4"
    exit
fi

# every program with the default clang, the handful with the others
pairs() {
    local p f c
    for p in "${@:-*}"; do
        for f in "$folder"/$p.cu; do
            [ ! -e "$f" ] || echo "$(basename "$f" .cu) default"
        done
    done
    [ $# -eq 0 ] || return
    for c in clang-15 clang-16 clang-17 clang-18 clang-19; do
        command -v $c > /dev/null || continue
        for p in $handful; do
            [ ! -e "$folder/$p.cu" ] || echo "$p $c"
        done
    done
}

results=$(pairs "$@" | xargs -P "${JOBS:-$(getconf _NPROCESSORS_ONLN)}" -L 1 \
    "$0" --one "$dir" | sort -k3)
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
