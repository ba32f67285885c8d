#!/bin/bash
# The program that prints the table of chapter 6, as the chapter shows it.
. tests/lib/run.sh
out=figures/data/roofline-table.txt
run() { echo "\$ build/bin/roofline --batch 64 --seq 1024"
        "$BIN/roofline" --batch 64 --seq 1024; }
if [ -n "$UPDATE_FACTS" ]; then
    run > $out
fi
check "the printed run of roofline" diff <(run) $out
"$BIN/roofline" --precision fp32 --matrix 1000 --plain 50 --memory 2 \
    > "$dir/float"
check "in float32 the products are under the roof of the float32 units" \
    grep -q '^fc.y .* compute *6184.8$' "$dir/float"
check "a residual is under the roof of memory, and takes its time" \
    grep -q '^residual .* memory *302.0$' "$dir/float"
refuses "roofline of an unknown model" 2 'gpt2' "$BIN/roofline" --model gpt3
refuses "roofline without bandwidth" 2 'memory' "$BIN/roofline" --memory 0
# What it measures depends on the machine; that it measures does not.
"$BIN/bench-roofs" --runs 9 --mib 64 --out "$dir/roofs.csv" > "$dir/roofs"
check "bench-roofs writes what it prints" awk -F, '
    NR > 1 && $1 ~ /^cpuroof[.]/ && $2 > 0 { n++ } NR > 1 { m++ }
    END { exit !(n == m && n >= 4) }' "$dir/roofs.csv"
check "reading from a cache is faster than from memory" awk -F, '
    $1 == "cpuroof.l1.1" { l1 = $2 } $1 == "cpuroof.memory.1" { m = $2 }
    END { exit !(l1 > m) }' "$dir/roofs.csv"
finish
