#!/bin/bash
# The ladders of the chapter on fusion, on the software GPU: results, the
# words that the chapter prints, and known mistakes.
. tests/lib/ladder.sh
needs_simtcc "fusion"
build() {           # ladder's .cu, program
    "$simtcc" -g -std=c++17 $linker -Icode "$1" "$dir/main.o" "$host" -o "$2" \
        > "$dir/stdout" 2> "$dir/stderr"
}
"$simtcc" -g -std=c++17 $linker -Icode -c tests/data/simt/fusion.cu \
    -o "$dir/main.o" 2> "$dir/errors"
results code/ladder/fusion.cu "$dir/fusion" 92

# ---- counts: words for each number, asked for and different; instructions -------
counts "$dir/fusion"
awk -F, '
    FILENAME == ARGV[1] { split($1, a, " "); name[FNR] = a[1]
                          n[a[1]] = a[2]; launches = FNR; next }
    FNR > 1 { c[$(NF - 2), $(NF - 1)] = $NF }
    END { for (i = 1; i <= launches; i++) {
            v = name[i]
            if (!kernels[v]++) order[++m] = v
            asked[v] += c[i, "gld_bytes"] + c[i, "gst_bytes"]
            words[v] += 8 * (c[i, "unique_read"] + c[i, "unique_written"])
            inst[v] += c[i, "inst"] }
        for (i = 1; i <= m; i++) {
            v = order[i]
            p = "fusion.count." v
            printf "%s.kernels,%d,\n", p, kernels[v]
            printf "%s.asked,%.5g,\n", p, asked[v] / 4 / n[v]
            printf "%s.words,%.5g,\n", p, words[v] / n[v]
            printf "%s.inst,%d,\n", p, inst[v] } }
    ' "$dir/names" "$dir/counts.csv" > "$dir/found"
facts_are figures/data/fusion-counts.csv "$dir/found"
# By hand: what each version must move, and at most a hundredth more for rows,
# biases and targets.  layernorm.v3 reads again what it has written.
while read -r name want; do
    check "$name moves $want words for a number" awk -F, -v w="$want" \
        -v n="fusion.count.$name.words" '
        $1 == n { found = $2 >= w && $2 <= 1.01 * w } END { exit !found }' \
        "$dir/found"
done <<END
waves.v1 11
waves.v2 7
waves.v3 2
waves.v4 2
gelu.v1 4.015
gelu.v2 2.015
layernorm.v1 9
layernorm.v2 5
layernorm.v3 5
layernorm.v4 4
loss.v1 8
loss.v2 4
loss.v3 2
loss.v4 2
END

mistakes fusion
finish
