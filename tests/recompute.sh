#!/bin/bash
# The chapter on recomputation: its ladder on the software GPU, with results,
# words and known mistakes; and what the planner of checkpoints prints.
. tests/lib/ladder.sh

# ---- checkpoint-plan --------------------------------------------------------------
plan=figures/data/checkpoint-plan.txt
{ echo "\$ build/bin/checkpoint-plan"; "$BIN/checkpoint-plan"; } > "$dir/plan"
[ -z "${UPDATE_FACTS:-}" ] || cp "$dir/plan" "$plan"
check "$plan is what the program prints" diff "$plan" "$dir/plan"
refuses "a limit that no plan fits" 1 "no plan fits 1.00 GB" \
    "$BIN/checkpoint-plan" --limit 1
refuses "a model that does not exist" 2 "no model is called 'gpt3'" \
    "$BIN/checkpoint-plan" --model gpt3
check "a plan names every layer" sh -c "'$BIN/checkpoint-plan' --limit 12 |
    grep -c '^layer' | grep -qx 12"

needs_simtcc "recomputation"
build() {           # ladder's .cu, program
    "$simtcc" -g -std=c++17 $linker -Icode "$1" "$dir/main.o" "$host" -o "$2" \
        > "$dir/stdout" 2> "$dir/stderr"
}
"$simtcc" -g -std=c++17 $linker -Icode -c tests/data/simt/recompute.cu \
    -o "$dir/main.o" 2> "$dir/errors"
results code/ladder/recompute.cu "$dir/recompute" 44

# ---- counts: words for each number, in either pass and both ----------------------
counts "$dir/recompute"
awk -F, '
    FILENAME == ARGV[1] { split($1, a, " "); name[FNR] = a[1]
                          pass[FNR] = a[2]; launches = FNR; next }
    FNR > 1 { c[$(NF - 2), $(NF - 1)] = $NF }
    END { for (i = 1; i <= launches; i++) {
            v = name[i]
            if (!kernels[v]++) order[++m] = v
            w = (c[i, "gld_bytes"] + c[i, "gst_bytes"]) / 4 / 65536
            words[v] += w
            words[v, pass[i]] += w
            special[v] += c[i, "special"] / 65536 }
        for (i = 1; i <= m; i++) {
            v = order[i]
            p = "recompute.count." v
            printf "%s.kernels,%d,\n", p, kernels[v]
            printf "%s.forward,%.5g,\n", p, words[v, "forward"]
            printf "%s.backward,%.5g,\n", p, words[v, "backward"]
            printf "%s.words,%.5g,\n", p, words[v]
            printf "%s.special,%.5g,\n", p, special[v] } }
    ' "$dir/names" "$dir/counts.csv" > "$dir/found"
facts_are figures/data/recompute-counts.csv "$dir/found"
# By hand: fifteen, nine, eight, six, five; two special functions a sigmoid.
while read -r name words special; do
    check "$name moves $words words and needs $special special functions" \
        test "$(grep -cx -e "recompute.count.$name.words,$words," \
            -e "recompute.count.$name.special,$special," "$dir/found")" = 2
done <<END
v1 15 6
v2 9 6
v3 8 8
v4 6 10
v5 5 12
END

mistakes recompute
finish
