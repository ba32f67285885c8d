#!/bin/bash
# The sparse products of the chapter on sparsity on the software GPU: results,
# the counts that the chapter prints, and known mistakes.
. tests/lib/ladder.sh
options="-std=c++14 -Itests/data/simt"
needs_simtcc "sparse products"
compile() {         # source, object
    "$simtcc" -g -std=c++14 $linker -Icode -Itests/data/simt -c "$1" -o "$2"
}
build() {           # one of the two ladders, or a changed one; program
    local name other=spmv
    name=$(basename "$1" .cu)
    [ "$name" = spmv ] && other=two_four
    compile "$1" "$dir/new.o" > "$dir/stdout" 2> "$dir/stderr" &&
        "$simtcc" $linker "$dir/new.o" "$dir/$other.o" "$dir/main.o" "$host" \
            -o "$2" > "$dir/stdout" 2> "$dir/stderr"
}
for name in spmv two_four; do
    compile code/ladder/$name.cu "$dir/$name.o" 2>> "$dir/errors"
done
compile tests/data/simt/spmv.cu "$dir/main.o" 2>> "$dir/errors"
results code/ladder/spmv.cu "$dir/spmv" 168

# ---- counts: sectors of a load, and bytes asked for and touched ------------------
# The tail of a hybrid is its second launch, and one with it.
counts "$dir/spmv"
awk -F, '
    FILENAME == ARGV[1] { name[FNR] = $1; next }
    $2 + 0 { c[$2, $3] = $4; n = $2 }
    function read(i) { return 32 * c[i, "gld_sec"] }
    function touched(i) {
        return 32 * (c[i, "unique_read"] + c[i, "unique_written"])
    }
    END { for (i = 1; i <= n; i++) {
        p = "spmv.count." name[i]
        if (name[i] ~ /^two-four/) {
            sub(/two-four/, "two-four.count", name[i])
            printf "%s.distinct,%d,\n", name[i], touched(i)
            printf "%s.flop,%d,\n", name[i], c[i, "tensor_flop"]
            continue
        }
        if (name[i] ~ /\./) {
            kind = name[i]
            sub(/\..*/, "", kind)
            nonzeros = c[i, "ffma"] + c[i, "fmul"]
            if (name[i] ~ /vector$/) {
                per = nonzeros
                printf "spmv.count.%s.nonzeros,%d,\n", kind, per
            }
            if (name[i] ~ /tail$/)
                continue
            more = name[i + 1] ~ /tail$/ ? touched(i + 1) : 0
            printf "%s.distinct,%.4g,\n", p, (touched(i) + more) / per
            if (name[i] ~ /vector$/)
                printf "%s.loads,%.4g,\n", p, read(i) / per
            continue
        }
        printf "%s.sectors,%.4g,\n", p, c[i, "gld_sec"] / c[i, "gld_req"]
        printf "%s.instructions,%d,\n", p, c[i, "inst"]
        printf "%s.distinct,%d,\n", p, touched(i)
        printf "%s.flop,%d,\n", p, 2 * c[i, "ffma"] + c[i, "fmul"] } }
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
# 256 x 512 of two of four: 9/8 of its elements in bytes, x and y.
check "two of four: FLOP and bytes by hand" test \
    "$(grep -c -e "two-four.count.sparse.distinct,$((256 * 512 * 9 / 8 + 16384))" \
        -e "two-four.count.dense.distinct,$((256 * 512 * 2 + 16384))" \
        -e "two-four.count.sparse.flop,$((256 * 512 * 8))" \
        "$dir/found")" = 3

mistakes spmv
mistakes two-four code/ladder/two_four.cu
finish
