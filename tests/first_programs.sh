#!/bin/bash
# The programs of chapter 2 on the software GPU: results, the counts that the
# chapter predicts, its printed runs, and their known mistakes.
. tests/lib/run.sh
. tests/lib/wrong.sh
add=$BIN/vector-add-simt
if ! [ -x "$add" ]; then
    skip "vector-add and device-query" "no $add (needs clang)"
    finish
fi

for size in 0 1 31 33 255 256 257 1000003; do
    check "vector-add --n $size" "$add" --n $size
done
for t in 1 32 33 1024; do
    check "vector-add --n 5000 --threads $t" "$add" --n 5000 --threads $t
done
check "vector-add where addresses are short, with all checks" \
    bash -c 'ulimit -v 2000000; "$0" --n 1000' "$add"
refuses "1025 threads in a block" 2 'threads' "$add" --threads 1025
# ---- the two commands that the chapter shows ------------------------------------
command=$(awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 }
               on { if (sub(/\\$/, "")) printf "%s", $0; else print }' \
    chapters/machine/throughput-machine.nw |
    sed "s|build/bin|$BIN|; s|build/libmb|${BIN%/bin}/libmb|
         s|-o vector-add|-o $dir/compiled|")
check "the chapter shows a command for each of two compilers" \
    test "$(echo "$command" | grep -cE '^[^ ]*(simtcc|nvcc) .*-o ')" = 2
check "the simtcc command compiles the addition" \
    eval "$(echo "$command" | grep 'simtcc -I')"
check "what it has made adds" "$dir/compiled" --n 33
if command -v "${NVCC:-nvcc}" > /dev/null; then
    check "the nvcc command compiles and links it" \
        eval "$(echo "$command" | sed -n "s|^nvcc|${NVCC:-nvcc}|p" | grep .)"
else
    skip "the nvcc command compiles and links it" "no nvcc"
fi

refuses "fewer than no elements" 2 'n' "$add" --n -1

# ---- the counts: predicted in the chapter, by arithmetic ----------------------
SIMT_REPORT=csv SIMT_REPORT_FILE=$dir/counts.csv "$add" --n 1000003 > /dev/null
counted() { awk -F, -v m="$1" '$1 == "add" && $3 == m { print $4 }' "$dir/counts.csv"; }
while read -r metric want; do
    check "1000003 additions: $metric is $want" test "$(counted "$metric")" = "$want"
done <<END
launch_warps 31256
gld_req 62502
gst_req 31251
gld_sec 250002
gst_sec 125001
flop 1000003
branch_div 0
END

# ---- occupancy: the examples of the chapter, by its four limits ------------------
occupancy() {       # WARPS LIMIT, registers and size of a block's threads
    check "$3 registers, blocks of $4: $1 of 64 warps, limited by $2" \
        test "$(SIMT_REGISTERS=add=$3 SIMT_REPORT=table "$add" \
            --threads "$4" 2>&1 | grep -o '[0-9]* of 64 [a-z]*')" = "$1 of 64 $2"
}
occupancy 64 warps 32 256
occupancy 48 registers 33 256
occupancy 48 registers 40 256
occupancy 32 blocks 16 32

# ---- what the chapter prints --------------------------------------------------
printed() {         # FILE: its first line is the command, without results of time
    local line
    line=$(head -1 "figures/data/$1")
    line=${line#\$ }
    check "figures/data/$1 is what the program prints" diff \
        <(tail -n +2 "figures/data/$1") \
        <(sh -c "${line//build\/bin/$BIN}" 2>&1 | sed 's/ *$//')
}
printed vector-add-simt.txt
printed device-query-simt.txt
printed systolic-trace.txt

# ---- known mistakes: each must be caught, with the words that say so -----------
for w in tests/wrong/vector-add-*.cu-wrong; do
    name=$(basename "$w" .cu-wrong)
    why=$(sed -n 's/^why: //p' "$w")
    pattern=$(sed -n 's/^caught-by: //p' "$w")
    if ! make_wrong "$w" "$(sed -n 's/^file: //p' "$w")" \
            > "$dir/vector_add.cu" 2> "$dir/stderr"; then
        not_ok "$name" "$(cat "$dir/stderr")"
    elif ! "$BIN/simtcc" -g -Icode "$dir/vector_add.cu" \
            "${BIN%/bin}/libmb-host.a" -o "$dir/wrong" 2> "$dir/stderr"; then
        not_ok "$name" "$(cat "$dir/stderr")"
    elif [ "$name" = vector-add-guard ] &&      # where lines break depends
            ! diff <("$dir/wrong" --n 1000 2>&1 |   # on the length of a path
                grep -E "bytes past|problems") \
            <(grep -E "bytes past|problems" figures/data/vector-add-guard.txt) \
            > "$dir/stderr"; then
        not_ok "figures/data/vector-add-guard.txt is what it prints" \
            "$(cat "$dir/stderr")"
    elif "$dir/wrong" --n 1000003 > "$dir/stdout" 2> "$dir/stderr"; then
        not_ok "$name: caught ($why)" "status 0: $(cat "$dir/stdout")"
    elif tr '\n' ' ' < "$dir/stderr" | grep -Eq -e "$pattern"; then
        ok "$name: caught ($why)"
    else
        not_ok "$name: caught ($why)" "$(cat "$dir/stderr")"
    fi
done
finish
