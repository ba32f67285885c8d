#!/bin/bash
# The transposes of chapter 5 on the software GPU: results at odd sizes, the
# counts that the chapter prints, and the ladder's known mistakes.
. tests/lib/run.sh
. tests/lib/wrong.sh
simtcc=$BIN/simtcc
if ! [ -x "$simtcc" ] || ! command -v "${CLANG:-clang}" > /dev/null; then
    skip "transposes on the software GPU" "no $simtcc, or no clang"
    finish
fi
host=${BIN%/bin}/libmb-host.a csv=figures/data/hierarchy-counts.csv
build() {           # ladder's .cu, program
    "$simtcc" -g -Icode "$1" "$dir/main.o" "$dir/access.o" "$host" \
        -o "$2" > "$dir/stdout" 2> "$dir/stderr"
}
for f in tests/data/simt/hierarchy.cu code/lab/access.cu; do
    o=$dir/$(basename "$f" .cu).o
    "$simtcc" -g -Icode -c "$f" -o "${o/hierarchy/main}" 2>> "$dir/errors"
done
if ! build code/ladder/transpose.cu "$dir/hierarchy"; then
    not_ok "the chapter's kernels compile" \
        "$(cat "$dir/errors" "$dir/stderr")"
    finish
fi

# ---- results -----------------------------------------------------------------
report_rows "$dir/hierarchy" check
check "51 transposes were checked, and the program ended well" \
    test "$status $(wc -l < "$dir/rows")" = "0 51"

# ---- the counts that the chapter prints, per request -----------------------------
SIMT_REPORT=csv SIMT_REPORT_FILE=$dir/counts.csv "$dir/hierarchy" counts \
    > "$dir/names" 2> "$dir/stderr"
awk -F, -v OFS=, '
    FILENAME == ARGV[1] { name[FNR] = $1; next }
    $2 + 0 { c[$2, $3] = $4; n = $2 }
    END {
        split("gld sec gst sec sld wave sst wave", m, " ")
        for (i = 1; i <= n; i++)
            for (k = 1; k < 9; k += 2)
                if (c[i, m[k] "_req"])
                    print "count." name[i] "." m[k],
                          c[i, m[k] "_" m[k + 1]] / c[i, m[k] "_req"]
    }' "$dir/names" "$dir/counts.csv" > "$dir/found"
if [ -n "$UPDATE_FACTS" ]; then
    { echo name,value,unit,machine,command,commit,date
      sed "s/\$/,,none,tests\/hierarchy.sh,,$UPDATE_FACTS/" "$dir/found"
    } > "$csv"
fi
check "$csv is what the software GPU counts" \
    diff <(tail -n +2 "$csv" | cut -d, -f1,2) "$dir/found"
# The same by hand, so that a wrong count is not only kept: sectors of a load,
# of a store, wavefronts of a load, of a store, each per request.
while read -r name want; do
    got=$(for k in gld gst sld sst; do
        awk -F, -v n="count.$name.$k" '$1 == n { print $2 }' "$dir/found"
    done | tr '\n' ' ')
    check "$name: $want" test "$got" = "$want "
done <<END
stride.1 4 4
stride.2 8 4
stride.8 32 4
stride.32 32 4
offset.1 5 4
width.1 1 1
width.16 16 16
transpose.v1 4 32
transpose.v2 32 4
transpose.v3 4 4 32 1
transpose.v4 4 4 1 1
transpose.v5 4 4 1 1
transpose.v6 16 16
transpose.v7 16 16 4 4
END

# ---- known mistakes ------------------------------------------------------------
# tests/wrong/transpose-NAME.cu-wrong: caught-by names rows that must not come
# out `ok`; or `count:` and a launch that must have conflicts.
caught() {          # file: every row named fails
    sed -n 's/^caught-by: //p' "$1" | while read -r row; do
        case $row in
        count:*)  SIMT_CHECK=off SIMT_REPORT=csv \
                      SIMT_REPORT_FILE=$dir/c.csv "$dir/wrong" counts > "$dir/n"
                  i=$(grep -nx "${row#count: }" "$dir/n" | cut -d: -f1)
                  awk -F, -v i="$i" '$2 == i && $3 ~ /^s(ld|st)_conf$/ &&
                      $4 > 0 { f = 1 } END { exit !f }' "$dir/c.csv" ||
                      echo "$row" ;;
        *)        grep -qx "ok - $row" "$dir/rows" && echo "$row" ;;
        esac
    done
}
for w in tests/wrong/transpose-*.cu-wrong; do
    name=$(basename "$w" .cu-wrong) why=$(sed -n 's/^why: //p' "$w")
    if ! make_wrong "$w" code/ladder/transpose.cu \
            > "$dir/transpose.cu" 2> "$dir/stderr"; then
        not_ok "$name" "$(cat "$dir/stderr")"
    elif ! build "$dir/transpose.cu" "$dir/wrong"; then
        not_ok "$name" "$(cat "$dir/stderr")"
    else
        "$dir/wrong" check > "$dir/rows" 2> "$dir/stderr"
        missed=$(caught "$w")
        if [ -z "$missed" ]; then
            ok "$name: caught ($why)"
        else
            not_ok "$name: caught ($why)" "not caught by $missed"
        fi
    fi
done
finish
