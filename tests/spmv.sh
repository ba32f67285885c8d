#!/bin/bash
# The sparse products of chapter 6 on the software GPU: results, the counts
# that the chapter prints, and known mistakes.
. tests/lib/run.sh
. tests/lib/wrong.sh
simtcc=$BIN/simtcc
if ! [ -x "$simtcc" ] || ! command -v "${CLANG:-clang}" > /dev/null; then
    skip "sparse products on the software GPU" "no $simtcc, or no clang"
    finish
fi
host=${BIN%/bin}/libmb-host.a csv=figures/data/spmv-counts.csv
build() {           # ladder's .cu, program
    "$simtcc" -g -Icode "$1" "$dir/main.o" "$host" -o "$2" \
        > "$dir/stdout" 2> "$dir/stderr"
}
"$simtcc" -g -Icode -c tests/data/simt/spmv.cu -o "$dir/main.o" \
    2> "$dir/errors"
if ! build code/ladder/spmv.cu "$dir/spmv"; then
    not_ok "the chapter's kernels compile" \
        "$(cat "$dir/errors" "$dir/stderr")"
    finish
fi
report_rows "$dir/spmv" check
check "28 products were checked, and the program ended well" \
    test "$status $(grep -c '^ok' "$dir/rows")" = "0 28"

# ---- counts: sectors of a load, and bytes asked for and touched ------------------
SIMT_REPORT=csv SIMT_REPORT_FILE=$dir/counts.csv "$dir/spmv" counts \
    > "$dir/names" 2> "$dir/stderr"
awk -F, '
    FILENAME == ARGV[1] { name[FNR] = $1; next }
    $2 + 0 { c[$2, $3] = $4; n = $2 }
    END { for (i = 1; i <= n; i++) {
        printf "spmv.count.%s.sectors,%.4g\n", name[i],
               c[i, "gld_sec"] / c[i, "gld_req"]
        printf "spmv.count.%s.instructions,%d\n", name[i], c[i, "inst"]
        printf "spmv.count.%s.distinct,%d\n", name[i],
               32 * (c[i, "unique_read"] + c[i, "unique_written"])
        printf "spmv.count.%s.flop,%d\n", name[i],
               2 * c[i, "ffma"] + c[i, "fmul"] } }
    ' "$dir/names" "$dir/counts.csv" > "$dir/found"
if [ -n "$UPDATE_FACTS" ]; then
    { echo name,value,unit,machine,command,commit,date
      sed "s/\$/,,none,tests\/spmv.sh,,$UPDATE_FACTS/" "$dir/found"
    } > "$csv"
fi
check "$csv is what the software GPU counts" \
    diff <(tail -n +2 "$csv" | cut -d, -f1,2) "$dir/found"
# By hand: 1,024 rows of 32 are 65,536 FLOP (the tree of the lanes' sums has
# additions alone) and 8 x 32,768 + 12 x 1,024 + 4 bytes, the last in a
# sector of its own.
for v in scalar lanes4 lanes8 vector; do
    check "$v: FLOP and bytes by hand" test \
        "$(grep -c -e "count.$v.flop,65536" -e "count.$v.distinct,274464" \
           "$dir/found")" = 2
done

# ---- known mistakes ------------------------------------------------------------
for w in tests/wrong/spmv-*.cu-wrong; do
    name=$(basename "$w" .cu-wrong) why=$(sed -n 's/^why: //p' "$w")
    if ! make_wrong "$w" code/ladder/spmv.cu > "$dir/spmv.cu" \
            2> "$dir/stderr" || ! build "$dir/spmv.cu" "$dir/wrong"; then
        not_ok "$name" "$(cat "$dir/stderr")"
        continue
    fi
    "$dir/wrong" check > "$dir/rows" 2> "$dir/stderr"
    missed=$(sed -n 's/^caught-by: //p' "$w" | while read -r row; do
        grep -qx "ok - $row" "$dir/rows" && echo "$row"; done)
    if [ -z "$missed" ]; then
        ok "$name: caught ($why)"
    else
        not_ok "$name: caught ($why)" "not caught by $missed"
    fi
done
finish
