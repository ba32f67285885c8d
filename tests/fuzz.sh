#!/bin/sh
# Run every fuzzer on its kept corpus and then for FUZZ_S seconds more.
# tests/data/corpus/NAME holds one file per path that mattered.
n=0
for c in tests/fuzz_*.c; do
    [ -e "$c" ] || break
    n=$((n + 1))
    name=$(basename "$c" .c)
    f=build/fuzz/$name
    seeds=tests/data/corpus/${name#fuzz_}
    work=build/fuzz/corpus-$name
    mkdir -p "$work"
    if [ ! -x "$f" ]; then
        echo "not ok $n - $name: $f is not built"
    elif OMP_NUM_THREADS=1 "$f" -max_total_time="${FUZZ_S:-10}" \
            -rss_limit_mb=2048 -timeout=10 \
            -artifact_prefix="build/fuzz/" -print_final_stats=1 \
            "$work" "$seeds" > "build/fuzz/$name.log" 2>&1; then
        runs=$(sed -n 's/.*number_of_executed_units: *//p' \
               "build/fuzz/$name.log")
        echo "ok $n - $name: $runs inputs, no crash, no leak"
    else
        echo "not ok $n - $name: see build/fuzz/$name.log"
        tail -n 30 "build/fuzz/$name.log"
    fi
done
[ "$n" -gt 0 ] || echo "ok 1 - fuzzers # SKIP there are none"
echo "1..$n"
