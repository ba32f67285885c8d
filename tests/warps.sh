#!/bin/bash
# The chapter on warps: the trace that it prints, of the PTX that it prints;
# the same kernel in CUDA C on the software GPU, its results and counts; and
# known mistakes.
. tests/lib/run.sh
. tests/lib/wrong.sh
power=$BIN/power-simt trace=$BIN/trace-power

# ---- the trace: hand-written PTX, so that no compiler has a say ----------------
for lanes in 1 8 31 32; do
    check "trace-power --lanes $lanes" "$trace" --lanes $lanes
done
refuses "33 lanes" 2 'lanes' "$trace" --lanes 33
refuses "PTX that is not there" 1 'nowhere' "$trace" --ptx nowhere.ptx
sed 's/shr\.u32 /shl.b32 /' code/lessons/power.ptx > "$dir/left.ptx"
check "the sed changes the shift" sh -c \
    "! cmp -s code/lessons/power.ptx '$dir/left.ptx'"
refuses "bits that are shifted to the left" 1 'lane 2 computed' \
    "$trace" --ptx "$dir/left.ptx" --lanes 3
if command -v ptxas > /dev/null; then
    check "NVIDIA's assembler takes the PTX" \
        ptxas -arch=sm_80 code/lessons/power.ptx -o "$dir/power.cubin"
else
    skip "NVIDIA's assembler takes the PTX" "no ptxas"
fi
printed() {         # FILE: its first line is the command
    local line
    line=$(head -1 "figures/data/$1")
    line=${line#\$ }
    check "figures/data/$1 is what the command prints" \
        diff <(tail -n +2 "figures/data/$1") <(sh -c "${line//build\/bin/$BIN}")
}
printed warps-trace.txt
printed warps-blocks.txt
check "figures/data/warps-trace-32.txt is what 32 lanes do" \
    diff figures/data/warps-trace-32.txt <("$trace" --lanes 32)

# ---- what the chapter says of the trace, for 8 and for 32 lanes ----------------
# rounds of the warp, executions of the if side, lanes in them; warp
# instructions and lane instructions
trace_facts() {     # lanes
    "$trace" --lanes "$1" | awk -v n="$1" '
        NR > 1 && $1 + 0 && $2 !~ /^powers/ {
            lanes = $3; gsub(/[.]/, "", lanes)
            warp++; lane += length(lanes)
            if ($2 == "rem.u32" && $1 == side) { ifs++; in_if += length(lanes) }
            if ($2 == "shr.u32") { rounds++; in_loop += length(lanes) }
            depth = (NF - 3) / 2; deepest = depth > deepest ? depth : deepest }
        END { p = "warps.trace." n "."
            print p "rounds," rounds ","; print p "loop.lanes," in_loop ","
            print p "if," ifs ","; print p "if.lanes," in_if ","
            print p "instructions," warp ","; print p "lanes," lane ","
            print p "depth," deepest "," }
        ' side="$(grep -n 'rem.u32 .*%result' code/lessons/power.ptx | cut -d: -f1)"
}
{ trace_facts 8; trace_facts 32; } > "$dir/found"

if ! [ -x "$power" ]; then
    skip "the kernel in CUDA C" "no $power (needs clang)"
    finish
fi
# ---- the same kernel, compiled ----------------------------------------------
for size in 1 31 32 33 257 1000; do
    for order in mixed sorted; do
        check "power --n $size --order $order" "$power" --n $size --order $order
    done
done
check "SIMT_TRACE shows the compiled kernel" sh -c \
    "SIMT_TRACE=power '$power' --n 490 2>&1 |
     grep -q 'rem.u32  *01234567890123456789012345678901'"
check "SIMT_TRACE shows the last warp, of ten lanes that have an exponent" sh -c \
    "SIMT_TRACE=power:1:7 '$power' --n 490 2>&1 | grep -q ' 0123456789[.]*$'"
refuses "a trace of a kernel without a name" 2 SIMT_TRACE \
    env SIMT_TRACE="$(printf 'k%.0s' $(seq 300))" "$power" --n 1
for order in mixed sorted; do
    SIMT_REPORT=csv SIMT_REPORT_FILE=$dir/counts.csv \
        "$power" --order $order > "$dir/$order"
    awk -F, -v o=$order '$1 == "power" && $3 ~ /^(inst|thread_inst|branch_div)$/ {
        sub("_", ".", $3); printf "warps.%s.%s,%d,\n", o, $3, $4 }
        ' "$dir/counts.csv"
    awk -v o=$order '/rounds of threads/ {
        printf "warps.%s.thread.rounds,%d,\n", o, $1
        printf "warps.%s.rounds,%d,\n", o, $5 }' "$dir/$order"
done >> "$dir/found"
# the exercise: a selection in place of the `if`
if make_wrong tests/data/simt/power-select code/lessons/power.cu \
        > "$dir/power.cu" 2> "$dir/stderr" &&
   "$BIN/simtcc" -Icode "$dir/power.cu" "${BIN%/bin}/libmb-host.a" \
        -o "$dir/select" 2> "$dir/stderr"; then
    for order in mixed sorted; do
        SIMT_REPORT=csv SIMT_REPORT_FILE=$dir/counts.csv \
            "$dir/select" --order $order > "$dir/stdout" &&
        awk -F, -v o=$order '$1 == "power" && $3 == "inst" {
            printf "warps.select.%s.inst,%d,\n", o, $4 }' "$dir/counts.csv"
    done >> "$dir/found"
fi
facts_are figures/data/warps.csv "$dir/found"
check "both orders execute the same instructions, thread by thread" test \
    "$(grep -c '\.thread\.inst,' "$dir/found") $(grep '\.thread\.inst,' \
        "$dir/found" | cut -d, -f2 | sort -u | wc -l)" = "2 1"
printed warps-mixed.txt
printed warps-sorted.txt

# ---- known mistakes: each must be caught, with the words that say so ---------
for w in tests/wrong/power-*.cu-wrong; do
    name=$(basename "$w" .cu-wrong) why=$(sed -n 's/^why: //p' "$w")
    pattern=$(sed -n 's/^caught-by: //p' "$w")
    if ! make_wrong "$w" code/lessons/power.cu > "$dir/power.cu" \
            2> "$dir/stderr" ||
       ! "$BIN/simtcc" -g -Icode "$dir/power.cu" "${BIN%/bin}/libmb-host.a" \
            -o "$dir/wrong" 2> "$dir/stderr"; then
        not_ok "$name" "$(cat "$dir/stderr")"
        continue
    fi
    "$dir/wrong" --n 1000 > "$dir/stdout" 2>&1
    if [ "$name" = power-vote-in-a-branch ]; then   # line breaks depend on
        check "figures/data/warps-absent.txt is what it prints" \
            grep -qF "$(tr -s ' \n' ' ' < figures/data/warps-absent.txt)" \
            <(tr -s ' \n' ' ' < "$dir/stdout" | sed "s|$dir/||g")  # the path
    fi
    if tr '\n' ' ' < "$dir/stdout" | grep -Eq -e "$pattern" &&
       ! "$power" --n 1000 2>&1 | tr '\n' ' ' | grep -Eq -e "$pattern"; then
        ok "$name: caught ($why)"
    else
        not_ok "$name: caught ($why)" "$(cat "$dir/stdout")"
    fi
done
finish
