#!/bin/bash
# What the portable matrix product asks of shared memory, with and without its
# exchange of chunks, counted by the software GPU: the rows of
# figures/data/product-counts.csv must be these (UPDATE_FACTS=DATE writes them).
. tests/lib/run.sh
B=${B:-build}
csv=figures/data/product-counts.csv
row="product mma M=128 N=256 K=128 tb=1"
count() {           # program, name -> rows
    ROWS=$row SIMT_CHECK=off SIMT_REPORT=csv SIMT_REPORT_FILE="$dir/report" \
        "$1" > "$dir/stdout" 2>&1
    status=$?
    awk -F, -v name="$2" '
        $NF == "value" { next }
        { v[$(NF - 1)] = $NF }
        END {
            f = "products.count." name ".%s,%.10g,\n"
            printf f, "ldmatrix", v["ldsm_req"]
            printf f, "ldmatrix-waves", v["ldsm_wave"]
            printf f, "mma", v["tensor_inst"]
            printf f, "copies", v["async_cg_req"]
            printf f, "copy-sectors", v["async_cg_sec"]
            printf f, "store-sectors", v["gst_sec"] / v["gst_req"]
            printf f, "finish-reads", v["sld_req"]
            printf f, "finish-waves", v["sld_wave"]
            printf f, "put-conflicts", v["sst_conf"]
        }' "$dir/report"
}
count "$B/tests-simt/gpu_matmul" swizzled > "$dir/counts"
mkdir -p "$dir/ops/kernels"
sed 's/(c ^ r) % 8/c % 8/' code/ops/kernels/swizzle.cuh \
    > "$dir/ops/kernels/swizzle.cuh"
objects=$(find "$B/simt/code" -name '*.o' ! -path '*/lessons/*' |
          grep -v matmul/cuda_mma.o)
# shellcheck disable=SC2086
if "$BIN/simtcc" -ffp-contract=off -w -I"$dir" -Icode -c code/ops/matmul/cuda_mma.cu \
       -o "$dir/mma.o" 2> "$dir/stderr" &&
   ${CC:-cc} -fopenmp "$B/opt/tests/gpu_matmul.o" "$dir/mma.o" $objects \
       "$B/libmb-host.a" "$B/lib/libsimt.a" -lcmocka -lm -lpthread \
       -lstdc++ -o "$dir/plain" 2>> "$dir/stderr"; then
    count "$dir/plain" plain >> "$dir/counts"
    check "without the exchange the product is still right" \
        test "$status" = 0
else
    not_ok "the product without the exchange compiles" "$(cat "$dir/stderr")"
fi
facts_are $csv "$dir/counts"
finish
