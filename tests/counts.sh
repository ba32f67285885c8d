#!/bin/bash
# The software GPU counts what an H200 counted: bench/count_kernels.cu, compiled
# by clang and run here, against figures/data/simt-validation.csv, which ncu
# wrote.  UPDATE_COUNTS=DATE writes the tables that the chapter on counting
# and its pages of the workshop print.
. tests/lib/run.sh
ncu=figures/data/simt-validation.csv
explained=tests/data/counts-explained.txt
picks="sa_f32_by_4.satom_inst sa_u64_mixed.satom_inst red_int_mod_5.red_bytes
       mm_tensor_plain.sld_wave mm_tensor_padded.sld_wave
       mm_tensor_xor.sld_wave mm_tensor_plain.ld_sec mm_tensor_padded.ld_sec
       mm_tensor_xor.ld_sec mm_tensor_plain.cg_wave mm_tensor_padded.cg_wave
       mm_tensor_xor.cg_wave mm_tensor_padded.cg_sec mm_tensor_plain.cg_sec
       cg_16_part.cg_sec
       cg_16_from_1.cg_sec cg_16_from_1.ld_sec cg_16.ld_sec
       dc_neighbours.sld_wave
       dc_red_int_one.red_sec dc_unrolled.st_sec
       dc_struct_16.ld_sec
       ld_f32.ld_sec ld_f32_from_3.ld_sec ld_f32_by_3.ld_sec ld_f32_by_5.ld_sec
       ld_f32_by_33.ld_sec ld_f32x4.ld_sec tr_tile.sld_wave tr_tile.sst_wave
       tr_padded.sld_wave tr_padded.sst_wave tr_swizzled.sld_wave
       tr_swizzled.sst_wave sh_f32x4_one.sld_wave sh_f32x4_quads.sld_wave
       sh_f32x4_mod_8.sld_wave"

# build CLANG LEVEL PROGRAM; count PROGRAM CSV
build() {
    CLANG=$1 "$BIN/simtcc" "$2" -Icode code/bench/count_kernels.cu \
        code/base/error.c code/base/fail.c code/base/text.c -o "$3" > "$dir/log" 2>&1
}
# The sanitizer watches, too: an alarm, which would be a false one, ends the
# program with status 86.
count() {
    SIMT_CHECK=on SIMT_REPORT=csv SIMT_REPORT_FILE="$2" "$1" > "$dir/out"
}
compare() {         # what to show
    awk -v show="$1" -v picks="${picks//$'\n'/ }" -f tests/lib/counts.awk \
        "$explained" "$dir/counts.csv" "$ncu"
}
version() { "$1" --version 2> /dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p'; }

clang=${CLANG:-clang}
if ! command -v "$clang" > /dev/null; then
    skip "counts against ncu" "no clang (apt install clang)"
    finish
fi
if ! build "$clang" -O2 "$dir/count-kernels"; then
    not_ok "count_kernels.cu compiles" "$(cat "$dir/log")"
    finish
fi
check "count_kernels.cu runs, and every result is right" \
    count "$dir/count-kernels" "$dir/counts.csv"
check "every kernel was checked" test \
    "$(grep -c ': right$' "$dir/out")" = \
    "$("$dir/count-kernels" --list | wc -l)"
check "a second run counts the same" \
    eval 'count "$dir/count-kernels" "$dir/again.csv" &&
          cmp "$dir/counts.csv" "$dir/again.csv"'

# The list of differences is that of clang 14, so the comparison is its.
if [ "$(version "$clang")" = 14 ]; then
    check "equal to what ncu counted, or explained" compare check
    header="name,value,unit,machine,command,commit,date"
    [ -z "${UPDATE_COUNTS:-}" ] || {
        compare families > figures/data/simt-validation-families.txt
        compare table > figures/data/simt-validation.txt
        machine=$(sed -n "s/^# machine: //p" "$ncu" | tr -d ,)
        commit=$(sed -n "s/^# commit: //p" "$ncu")
        { echo "$header"
          compare facts | awk -v date="$UPDATE_COUNTS" -v card="$machine" \
              -v commit="$commit" '
              /^ncu/  { print $0 ",," card ",count_ncu.sh," commit "," date }
              !/^ncu/ { print $0 ",,none,tests/counts.sh,," date }'
        } > figures/data/simt-counts.csv
    }
    check "the chapter's table of families is not stale" \
        diff <(compare families) figures/data/simt-validation-families.txt
    check "the appendix's table of kernels is not stale" \
        diff <(compare table) figures/data/simt-validation.txt
    check "the chapter's numbers are not stale" \
        diff <(compare facts) <(tail -n +2 figures/data/simt-counts.csv |
                                cut -d, -f1,2)
else
    for what in "equal to what ncu counted" "tables" "numbers"; do
        skip "$what" "the list of differences is made for clang 14"
    done
fi

# An explanation too few, and one too many.
if [ "$(version "$clang")" = 14 ]; then
    all=$explained explained=$dir/explained
    grep -v '^lo_f32x2_one lld_req' "$all" > "$explained"
    check "a difference that nobody explains is found" \
        grep -q 'differs: lo_f32x2_one lld_req' <(compare check)
    { cat "$all"; echo "ld_f32 ld_sec 16 17 split"; } > "$explained"
    check "an explanation that nobody needs is found" \
        grep -q 'explained, but equal: ld_f32 ld_sec' <(compare check)
    sed 's/^dc_red_int_one red_sec 128 4/dc_red_int_one red_sec 128 5/' \
        "$all" > "$explained"
    check "a difference that has changed is found" \
        grep -q 'differs as 128 4, explained as 128 5' <(compare check)
    explained=$all
fi

# Requests, sectors, wavefronts, conflicts, FLOP from other compilers, for
# kernels other than those that show how compilers differ.
same='_req,|_sec,|_wave,|_conf,|,fadd,|,fmul,|,ffma,|flop,|,smem_static,'
essence() { grep -E "$same" "$1" | grep -v '^dc_'; }
for name in clang-14 clang-16 clang-19; do
    found=
    for c in "$name" "/usr/lib/llvm-${name#clang-}/bin/clang"; do
        [ -n "$found" ] || ! command -v "$c" > /dev/null || found=$c
    done
    for level in -O1 -O2 -O3; do
        text="the same counts from $name $level"
        if [ -z "$found" ]; then
            skip "$text" "no $name here"
        elif ! build "$found" "$level" "$dir/other" ||
             ! count "$dir/other" "$dir/other.csv"; then
            not_ok "$text" "$(cat "$dir/log" "$dir/out")"
        else
            check "$text" diff <(essence "$dir/counts.csv") \
                <(essence "$dir/other.csv")
        fi
    done
done
finish
