#!/bin/bash
# The sums, scans, compactions and histograms of the chapter on reduction, on
# the software GPU: results, the counts that the chapter prints, and known
# mistakes.
. tests/lib/ladder.sh
needs_simtcc "reductions"
compile() {         # source, object, options
    "$simtcc" -g -std=c++17 $linker -Icode "${@:3}" -c "$1" -o "$2"
}
build() {           # one of the three ladders, or a changed one; program
    local name others=()
    name=$(basename "$1" .cu)
    for other in reduce scan histogram; do
        [ "$other" = "$name" ] || others+=("$dir/$other.o")
    done
    compile "$1" "$dir/new.o" > "$dir/stdout" 2> "$dir/stderr" &&
        "$simtcc" $linker "$dir/new.o" "${others[@]}" "$dir/main.o" "$host" \
            -o "$2" > "$dir/stdout" 2> "$dir/stderr"
}
for name in reduce scan histogram; do
    compile code/ladder/$name.cu "$dir/$name.o" 2>> "$dir/errors"
done
compile tests/data/simt/reduction.cu "$dir/main.o" 2>> "$dir/errors"
results code/ladder/reduce.cu "$dir/reduction" 249

# ---- version 7 of the scan with mbarriers and bulk copies ---------------------
bulk() {
    compile "code/ladder/scan.cu" "$dir/bulk.o" -DBULK_COPY=1 &&
        "$simtcc" ${linker:+"$linker"} "$dir/bulk.o" "$dir/reduce.o" \
            "$dir/histogram.o" "$dir/main.o" "$host" -o "$dir/bulk"
}
check "scan v7 with bulk copies compiles" bulk
report_rows "$dir/bulk" check v7
check "its rows were checked, and the program ended well" \
    test "$status $(grep -c '^ok - scan' "$dir/rows")" = "0 13"

# ---- counts: warp instructions, requests and wavefronts of shared memory --------
counts "$dir/reduction"
awk -F, '
    FILENAME == ARGV[1] { name[FNR] = $1; next }
    $2 + 0 { c[$2, $3] = $4; n = $2 }
    END { for (i = 1; i <= n; i++) {
        p = "reduction.count." name[i]
        printf "%s.inst,%d,\n", p, c[i, "inst"]
        printf "%s.divergent,%d,\n", p, c[i, "branch_div"]
        printf "%s.shared,%d,\n", p, c[i, "sld_req"] + c[i, "sst_req"] \
               + c[i, "satom_req"]
        printf "%s.wavefronts,%d,\n", p, c[i, "sld_wave"] + c[i, "sst_wave"] \
               + c[i, "satom_wave"]
        printf "%s.barriers,%d,\n", p, c[i, "barriers"]
        printf "%s.read,%d,\n", p, 32 * c[i, "gld_sec"] } }
    ' "$dir/names" "$dir/counts.csv" > "$dir/found"
facts_are figures/data/reduction-counts.csv "$dir/found"

for name in reduce scan histogram; do
    mistakes $name
done
finish
