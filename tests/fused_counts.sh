#!/bin/bash
# What the operators that move bytes ask of memory, counted by the software
# GPU: the rows of figures/data/fused-counts.csv must be these
# (UPDATE_FACTS=DATE writes them).
. tests/lib/run.sh
B=${B:-build}
csv=figures/data/fused-counts.csv

check "every operator runs once" env SIMT_REPORT=csv \
    SIMT_REPORT_FILE="$dir/report" "$B/tests-simt/count_fused"
sed 's/, /;/g' "$dir/report" | awk -F, '
    BEGIN {
        split("layernorm-fwd residual-layernorm layernorm-bwd " \
              "layernorm-sum columns columns-sum gelu-fwd gelu-bwd " \
              "classifier embedding-fwd sort-count sort-move sort-count-2 " \
              "sort-move-2 list-several list embedding-words adamw norm",
              name, " ")
        n = 512 * 768
        split(n " " n " " n " 0 " n " 0 " 4 * n " " 4 * n " " 512 * 5008 \
              " " n " 0 0 0 0 0 0 " n " 1048576 1048576", numbers, " ")
    }
    NR > 1 { v[$2, $3] = $4; last = $2 }
    function row(i, what, value, unit) {
        printf "fused.count.%s.%s,%.10g,%s\n", name[i], what, value, unit
    }
    END {
        for (i = 1; i <= 19; i++) {
            asked = v[i, "gld_bytes"] + v[i, "gst_bytes"] \
                  + v[i, "async_cg_bytes"]
            row(i, "asked", asked / 1e6, "MB")
            row(i, "distinct", 32e-6 * (v[i, "unique_read"] \
                                        + v[i, "unique_written"]), "MB")
            row(i, "load", (v[i, "gld_sec"] + v[i, "async_cg_sec"]) \
                           / (v[i, "gld_req"] + v[i, "async_cg_req"]), "")
            row(i, "store", v[i, "gst_sec"] / v[i, "gst_req"], "")
            row(i, "conflicts", v[i, "sld_conf"] + v[i, "sst_conf"], "")
            if (numbers[i])
                row(i, "inst", v[i, "thread_inst"] / numbers[i], "")
        }
        if (last != 24)
            printf "%d launches, not 24: who is who?\n", last
        row(3, "each", (v[22, "thread_inst"] - v[20, "thread_inst"]) \
                       / ((2048 - 1584) * 768), "")
    }' > "$dir/counts"
facts_are $csv "$dir/counts"
finish
