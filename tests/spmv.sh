#!/bin/bash
# The sparse products of chapter 6 on the software GPU: results, the counts
# that the chapter prints, and known mistakes.
. tests/lib/ladder.sh
needs_simtcc "sparse products"
build() {           # ladder's .cu, program
    "$simtcc" -g -std=c++14 $linker -Icode "$1" "$dir/main.o" "$host" -o "$2" \
        > "$dir/stdout" 2> "$dir/stderr"
}
"$simtcc" -g -std=c++14 $linker -Icode -c tests/data/simt/spmv.cu -o "$dir/main.o" \
    2> "$dir/errors"
results code/ladder/spmv.cu "$dir/spmv" 28

# ---- counts: sectors of a load, and bytes asked for and touched ------------------
counts "$dir/spmv"
awk -F, '
    FILENAME == ARGV[1] { name[FNR] = $1; next }
    $2 + 0 { c[$2, $3] = $4; n = $2 }
    END { for (i = 1; i <= n; i++) {
        printf "spmv.count.%s.sectors,%.4g,\n", name[i],
               c[i, "gld_sec"] / c[i, "gld_req"]
        printf "spmv.count.%s.instructions,%d,\n", name[i], c[i, "inst"]
        printf "spmv.count.%s.distinct,%d,\n", name[i],
               32 * (c[i, "unique_read"] + c[i, "unique_written"])
        printf "spmv.count.%s.flop,%d,\n", name[i],
               2 * c[i, "ffma"] + c[i, "fmul"] } }
    ' "$dir/names" "$dir/counts.csv" > "$dir/found"
facts_are figures/data/spmv-counts.csv "$dir/found"
# By hand: 1,024 rows of 32 are 65,536 FLOP (the tree of the lanes' sums has
# additions alone) and 8 x 32,768 + 12 x 1,024 + 4 bytes, the last in a
# sector of its own.
for v in scalar lanes4 lanes8 vector; do
    check "$v: FLOP and bytes by hand" test \
        "$(grep -c -e "count.$v.flop,65536" -e "count.$v.distinct,274464" \
           "$dir/found")" = 2
done

mistakes spmv
finish
