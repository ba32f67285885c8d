#!/bin/bash
# What the operators of a step on the CPU move and compute: the columns that
# bench-ops prints are the rows of figures/data/operators-moved.csv
# (UPDATE_FACTS=DATE writes them).  And what `rounding` prints of differences
# and of variances is what chapter 15 prints.
. tests/lib/run.sh
check "bench-ops runs" "$BIN/bench-ops" --repeat 1
check "bench-ops stays within its memory" \
    "${BIN%/bin}/bin-asan/bench-ops" --batch 1 --seq 8 --repeat 1
"$BIN/bench-ops" --repeat 1 | awk -F'  +' '
    / calls / {
        name = tolower($1); sub(/ +[0-9]+ calls/, "", name)
        gsub(/ /, "-", name)
        if (name ~ /^copy/) next
        for (i = 2; i <= NF; i++) {
            split($i, field, " ")
            if (field[2] == "MB") MB = field[1]
            if (field[2] == "MFLOP") flop = field[1]
        }
        print "moved.cpu." name ".bytes," MB ",MB"
        print "moved.cpu." name ".flop," flop ",MFLOP"
        all += MB; all_flop += flop
    }
    END {
        printf "moved.cpu.all.bytes,%.1f,MB\n", all
        printf "moved.cpu.all.flop,%.1f,MFLOP\n", all_flop
    }' > "$dir/found"
facts_are figures/data/operators-moved.csv "$dir/found"
check "errors of differences are those of the figure" diff \
    <(grep -v '^#' figures/data/ops-differences.csv) <("$BIN/rounding")
row() { awk -F, -v n="ops.layernorm.$1.1000" '$1 == n { print $2 + 0 }' \
    figures/data/operators.csv; }
check "variances of numbers near 1,000 are those of the chapter" test \
    "$("$BIN/rounding" --variance | awk -F, '$1 == 1000 {
        print $2 + 0, $3 + 0 }')" = "$(row onepass) $(row twopass)"
finish
