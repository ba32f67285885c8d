#!/bin/bash
# Softmax and attention of chapter 12 on the software GPU: results, the counts
# that the chapter prints (UPDATE_FACTS=DATE writes them), and the known
# mistakes of the softmax ladder, tests/wrong/softmax-NAME.cu-wrong.
. tests/lib/ladder.sh
options="-std=c++14 -ffp-contract=off"
needs_simtcc "attention"
for f in tests/data/simt/attention code/ladder/attention; do
    "$simtcc" -g -std=c++14 $linker -ffp-contract=off -Icode -c "$f.cu" \
        -o "$dir/$(echo $f | tr / -).o" 2>> "$dir/errors"
done
# The operators as they were built for the software GPU, all of them: which
# calls which is their affair.
ar qcs "$dir/ops.a" "${BIN%/bin}"/simt/code/{ops/*,backend}/*.o
build() {           # ladder's .cu, program
    "$simtcc" -g -std=c++14 $linker -ffp-contract=off -Icode "$1" "$dir"/*-*.o "$dir/ops.a" \
        "$host" "$dir/ops.a" "$host" -lgomp -o "$2" > "$dir/stdout" 2> "$dir/stderr"
}
results code/ladder/softmax.cu "$dir/attention" 82

# ---- the counts that the chapter prints ----------------------------------------
# A kernel of a template has commas in its name: count fields from the end.
counts "$dir/attention"
awk -F, -v OFS=, '
    FILENAME == ARGV[1] { name[FNR] = $1; n = FNR; next }
    FNR > 1 { c[$(NF - 2), $(NF - 1)] = $NF }
    function row(what, value, unit) {
        print "attention.count." name[i] "." what, value, unit
    }
    END {
        for (i = 1; i <= n; i++) {
            row("asked", c[i, "gld_bytes"] + c[i, "gst_bytes"] + \
                         c[i, "async_cg_bytes"], "bytes")
            row("distinct", 32 * (c[i, "unique_read"] + \
                                  c[i, "unique_written"]), "bytes")
            if (c[i, "sld_req"])
                row("shared", 128 * c[i, "sld_wave"], "bytes")
            if (c[i, "tensor_flop"]) {
                row("tensor", c[i, "tensor_flop"], "FLOP")
                row("fragments", 128 * c[i, "ldsm_wave"], "bytes")
                row("waves", c[i, "ldsm_wave"] / c[i, "ldsm_req"], "")
            } else
                row("flop", c[i, "flop"], "FLOP")
        }
    }' "$dir/names" "$dir/counts.csv" > "$dir/found"
# What rounding costs, of the bodies that a machine without a GPU has.
FACTS=1 ROWS="attention_bf16_fwd B=1 T=257 NH=1 HS=64
attention_bf16_bwd B=1 T=257 NH=1 HS=64" "${BIN%/bin}/tests-simt/gpu_attention" \
    2> "$dir/stderr" | sed -n '/^attention.*lse\|dbias-k\.[srw]/!s/^\(attention.*\)$/\1,/p' \
    >> "$dir/found"
facts_are figures/data/attention-counts.csv "$dir/found"
# By hand: passes over 262,144 bytes; the part of the square that two heads of
# 256 by 256 cost in parts of 32 by 32, and of 32 keys by 16 queries; matrices
# of ldmatrix, never in conflict.
while read -r name what want; do
    got=$(awk -F, -v n="attention.count.$name.$what" '$1 == n { print $2 }' \
          "$dir/found")
    check "$name: $want $what" test "$got" = "$want"
done <<END
softmax.v1 asked $((4 * 262144))
softmax.v2 asked $((3 * 262144))
softmax.v3 asked $((2 * 262144))
softmax.v4 asked $((2 * 262144))
square.softmax asked $((8 * 2 * 256 * 256))
mma.fwd tensor $((2 * 36 * 32 * 32 * 64 * 4))
mma.dq tensor $((2 * 36 * 32 * 32 * 64 * 6))
mma.dkv tensor $((2 * 72 * 32 * 16 * 64 * 8))
mma.fwd waves 4
mma.dkv waves 4
mma.dq waves 4
END

mistakes softmax
finish
