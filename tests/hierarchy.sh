#!/bin/bash
# The transposes of chapter 5 on the software GPU: results at odd sizes, the
# counts that the chapter prints, and the ladder's known mistakes.
. tests/lib/ladder.sh
needs_simtcc "transposes"
build() {           # ladder's .cu, program
    "$simtcc" -g -std=c++14 $linker -Icode "$1" "$dir/main.o" \
        "$dir/access_kernels.o" "$host" -o "$2" > "$dir/stdout" 2> "$dir/stderr"
}
for f in tests/data/simt/hierarchy.cu code/bench/access_kernels.cu; do
    o=$dir/$(basename "$f" .cu).o
    "$simtcc" -g -std=c++14 $linker -Icode -c "$f" -o "${o/hierarchy/main}" 2>> "$dir/errors"
done
results code/ladder/transpose.cu "$dir/hierarchy" 61

# ---- the counts that the chapter prints, per request -----------------------------
counts "$dir/hierarchy"
awk -F, -v OFS=, '
    FILENAME == ARGV[1] { name[FNR] = $1; next }
    $2 + 0 { c[$2, $3] = $4; n = $2 }
    END {
        split("gld sec gst sec sld wave sst wave", m, " ")
        for (i = 1; i <= n; i++)
            for (k = 1; k < 9; k += 2)
                if (c[i, m[k] "_req"])
                    print "count." name[i] "." m[k],
                          c[i, m[k] "_" m[k + 1]] / c[i, m[k] "_req"], ""
    }' "$dir/names" "$dir/counts.csv" > "$dir/found"
facts_are figures/data/hierarchy-counts.csv "$dir/found"
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

mistakes transpose
finish
