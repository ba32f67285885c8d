#!/bin/bash
# The program of the chapter on collectives prints what the chapter prints,
# and refuses what it cannot do.
. tests/lib/run.sh
collectives=build/bin/collectives
$collectives --trace > "$dir/trace" 2>&1
check "the ring of four ranks is the chapter's" \
    cmp "$dir/trace" figures/data/collectives-trace.txt
for over in shared sockets; do
    $collectives --ranks 5 --count 1003 --algorithm halving --over $over \
        > "$dir/out" 2>&1
    check "halving over $over carries what the formula says" \
        grep -q "  0 -> 3 " "$dir/out"
done
refuses() {     # WHAT, WORDS, then the options
    local what=$1 words=$2
    shift 2
    $collectives "$@" > "$dir/out" 2>&1
    check "$what" test "$?" = 2 -a "$(grep -c -- "$words" "$dir/out")" = 1
}
refuses "an algorithm that a collective has not" "there is no such pair" \
    --collective broadcast --algorithm ring
refuses "a trace that is too wide" "at most 16 floats" --trace --count 17
refuses "no ranks" "--ranks" --ranks 0
finish
