#!/bin/bash
# What TMA and wgmma cost, counted by the software GPU, is what ncu counted on
# a GPU: tests/data/simt/hopper_counts.cu against figures/data/hopper-ncu.csv.
# Sectors asked of the L2 cache are compared as a bound, since the cache may
# serve two requests that come at the same time with one sector; what else
# differs has its reason in tests/data/hopper-explained.txt.  UPDATE_FACTS=DATE
# writes the numbers of the chapter.
. tests/lib/run.sh
ncu=figures/data/hopper-ncu.csv
explained=tests/data/hopper-explained.txt
if ! command -v "${CLANG:-clang}" > /dev/null; then
    skip "Hopper's counts against ncu" "no clang: apt install clang"
    finish
fi
if ! why=$("$BIN/simtcc" $linker -o "$dir/counts" \
           tests/data/simt/hopper_counts.cu 2>&1); then
    not_ok "hopper_counts.cu compiles" "$why"
    finish
fi
check "every copy is right, and the sanitizer is silent" sh -c "
    SIMT_REPORT=csv SIMT_REPORT_FILE='$dir/report' '$dir/counts' > '$dir/out' 2>&1 &&
    ! grep -v ': 0 wrong, no error\$' '$dir/out'"

# name,metric,value as in the file of ncu; a bound has a metric of its own
sed 's/^[0-9]* //; s/: 0 wrong.*//; s/, /; /g' "$dir/out" > "$dir/names"
awk -F, '
    FNR == NR { name[FNR] = $0; next }
    $3 ~ /^(tma_|gmma_wave|tensor_)/ && $3 !~ /_bytes$/ && $4 {
        print name[$2] "," $3 "," $4 }' "$dir/names" "$dir/report" > "$dir/mine"
grep -v '^#\|^kernel,' "$ncu" > "$dir/theirs"

awk -F, -v facts="$dir/facts" '
    FILENAME ~ /explained/ { if (!/^#/) reason[$1, $2] = 1; next }
    FILENAME ~ /mine$/     { mine[$1, $2] = $3; all[$1, $2]; kernels[$1]; next }
    { theirs[$1, $2] = $3; all[$1, $2] }
    function family(metric) {
        return metric ~ /_l2$/ ? "l2" : metric ~ /^tma_.*_req/ ? "instructions" :
               metric ~ /tma_ld_sec/ ? "loads" : metric ~ /tma_st_sec/ ? "stores" :
               metric ~ /tma_red_sec/ ? "reductions" :
               metric ~ /tma_dsm_sec/ ? "between" :
               metric ~ /gmma/ ? "operands" : "tensor"
    }
    END {
        for (k in kernels)
            n++
        for (key in all) {
            split(key, p, SUBSEP)
            f = family(p[2]); a = mine[key] + 0; b = theirs[key] + 0
            compared[f]++; equal[f] += a == b
            total++; same += a == b
            if (a != b && !(f == "l2" && a > b) && !(key in reason)) {
                print p[1] ", " p[2] ": " a ", ncu " b; bad = 1 }
            if (key in reason && a != b) used[key]
        }
        for (key in reason)
            if (!(key in used)) {
                split(key, p, SUBSEP)
                print p[1] ", " p[2] " is explained, but equal"; bad = 1 }
        print "hopper.counts.kernels," n "," > facts
        print "hopper.counts.compared," total "," > facts
        print "hopper.counts.equal," same "," > facts
        m = split("instructions loads l2 stores reductions between operands tensor", part, " ")
        for (i = 1; i <= m; i++) {
            print "hopper.counts." part[i] ".compared," compared[part[i]] "," > facts
            print "hopper.counts." part[i] ".equal," equal[part[i]] "," > facts
        }
        exit bad
    }' "$explained" "$dir/mine" "$dir/theirs" > "$dir/differ"
check "equal to what ncu counted, below it, or explained" \
    sh -c "! grep . '$dir/differ'"
facts_are figures/data/hopper-counts.csv "$dir/facts"
finish
