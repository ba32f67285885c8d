#!/bin/bash
# What the operators' kernels ask of memory, counted by the software GPU: the
# rows of figures/data/gpu-counts.csv must be these (UPDATE_FACTS=DATE writes
# them), and requests, sectors and wavefronts those that ncu read off an H200.
. tests/lib/run.sh
B=${B:-build}
csv=figures/data/gpu-counts.csv chip=figures/data/gpu-ncu.csv

check "every operator runs once" env SIMT_REPORT=csv \
    SIMT_REPORT_FILE="$dir/report" "$B/tests-simt/count_ops"
awk -F, '
    BEGIN {
        split("embedding-fwd embedding-link embedding-wte embedding-wpe " \
              "layernorm-fwd layernorm-dx layernorm-pieces layernorm-sum " \
              "residual gelu-fwd gelu-bwd gemm gemm-tb gemm-ta gemm-dw " \
              "bias-pieces bias-sum attention-fwd attention-delta " \
              "attention-dq attention-dkv crossentropy-fwd " \
              "crossentropy-bwd adamw norm", name, " ")
    }
    NR > 1 { v[$2, $3] = $4; last = $2 }
    function row(i, what, value, unit) {
        printf "gpu.count.%s.%s,%.10g,%s\n", name[i], what, value, unit
    }
    END {
        for (i = 1; i <= last; i++) {
            row(i, "asked", v[i, "gld_bytes"] + v[i, "gst_bytes"], "bytes")
            touched = v[i, "unique_read"] + v[i, "unique_written"]
            row(i, "distinct", 32 * touched, "bytes")
            row(i, "sectors", v[i, "gld_sec"] / v[i, "gld_req"], "")
            if (v[i, "sld_req"] && name[i] != "norm")
                row(i, "waves", v[i, "sld_wave"] / v[i, "sld_req"], "")
            if (name[i] ~ /gemm/)
                row(i, "shared", v[i, "sld_req"], "")
            if (v[i, "flop"])
                row(i, "flop", v[i, "flop"], "FLOP")
        }
    }' "$dir/report" > "$dir/counts"
facts_are $csv "$dir/counts"

# The chapter tells of the two exceptions: in one nvcc reads several words of
# shared memory at once, the other is a wavefront in each block.
check "requests, sectors and wavefronts are those of an H200" awk -F, '
    FNR == NR { if (FNR > 1) v[$2, $3] = $4; next }
    /^[0-9]/ {
        n++
        off = $3 - v[$1, "gld_req"] || $4 - v[$1, "gld_sec"] || \
              $5 - v[$1, "gst_req"] || $6 - v[$1, "gst_sec"] || \
              $8 - v[$1, "sst_wave"]
        excused = $2 ~ /^(attention_fwd|crossentropy_fwd)_kernel/
        if (off || (!excused && $7 - v[$1, "sld_wave"])) {
            print "launch " $1 ", " $2 ": differs"; bad = 1 }
    }
    END { exit bad || n != 25 }' "$dir/report" $chip
finish
