#!/bin/bash
# The matrix products of the chapter on CUDA cores, on the software GPU:
# results, the counts that the chapter prints, and known mistakes.
. tests/lib/ladder.sh
needs_simtcc "matrix products"
build() {           # the ladder, or a changed one; program
    "$simtcc" -g -std=c++17 $linker -Icode -c "$1" -o "$dir/new.o" \
            > "$dir/stdout" 2> "$dir/stderr" &&
        "$simtcc" $linker "$dir/new.o" "$dir/main.o" "$host" -o "$2" \
            > "$dir/stdout" 2> "$dir/stderr"
}
"$simtcc" -g -std=c++17 -Icode -c tests/data/simt/matmul.cu \
    -o "$dir/main.o" 2> "$dir/errors"
results code/ladder/matmul.cu "$dir/matmul" 123

# ---- counts: instructions, bytes, requests and wavefronts -----------------------
counts "$dir/matmul"
awk -F, '
    FILENAME == ARGV[1] { name[FNR] = $1; next }
    $2 + 0 { c[$2, $3] = $4; n = $2 }
    END { for (i = 1; i <= n; i++) {
        p = "matmul.count." name[i]
        printf "%s.inst,%d,\n", p, c[i, "inst"]
        printf "%s.read,%d,\n", p, 32 * c[i, "gld_sec"]
        printf "%s.shared,%d,\n", p, c[i, "sld_req"] + c[i, "sst_req"]
        printf "%s.wavefronts,%d,\n", p, c[i, "sld_wave"] + c[i, "sst_wave"]
        printf "%s.conflicts,%d,\n", p, c[i, "sld_conf"] + c[i, "sst_conf"]
        printf "%s.barriers,%d,\n", p, c[i, "barriers"] } }
    ' "$dir/names" "$dir/counts.csv" > "$dir/found"
facts_are figures/data/gpu-matmul-counts.csv "$dir/found"

mistakes matmul
finish
