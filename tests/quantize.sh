#!/bin/bash
# The casts to 8 bits of the chapter on low precision, on the software GPU:
# results, the counts that the chapter prints, and known mistakes.
. tests/lib/ladder.sh
needs_simtcc "casts"
compile() {         # source, object, options
    "$simtcc" -g -std=c++17 $linker ${3+"$3"} -Icode -c "$1" -o "$2"
}
build() {           # the casts, changed or not, or a changed header; program
    local source=$1
    case $1 in *.cuh)
        mkdir -p "$dir/changed/ops/kernels"
        cp "$1" "$dir/changed/ops/kernels"
        source=code/ladder/quantize.cu ;;
    esac
    compile "$source" "$dir/new.o" -I"$dir/changed" \
            > "$dir/stdout" 2> "$dir/stderr" &&
        "$simtcc" $linker "$dir/new.o" "$dir/main.o" "$host" -o "$2" \
            > "$dir/stdout" 2> "$dir/stderr"
}
compile tests/data/simt/quantize.cu "$dir/main.o" 2>> "$dir/errors"
results code/ladder/quantize.cu "$dir/quantize" 87

# ---- counts: warp instructions, bytes of L2 cache, wavefronts --------------------
counts "$dir/quantize"
awk -F, '
    FILENAME == ARGV[1] { name[FNR] = $1; next }
    $2 + 0 { c[$2, $3] = $4; n = $2 }
    END { for (i = 1; i <= n; i++) {
        p = "quantize.count." name[i]
        printf "%s.inst,%d,\n", p, c[i, "inst"]
        printf "%s.read,%d,\n", p, 32 * c[i, "gld_sec"]
        printf "%s.written,%d,\n", p, 32 * c[i, "gst_sec"]
        printf "%s.shared,%d,\n", p, c[i, "sld_req"] + c[i, "sst_req"]
        printf "%s.wavefronts,%d,\n", p, c[i, "sld_wave"] + c[i, "sst_wave"] } }
    ' "$dir/names" "$dir/counts.csv" > "$dir/found"
facts_are figures/data/quantize-counts.csv "$dir/found"

mistakes quantize
mistakes fp8 code/ops/kernels/fp8.cuh
finish
