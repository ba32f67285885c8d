#!/bin/bash
# count-accesses on the software GPU: its results, the counts that the chapter
# on counting predicts by hand, the reports that it prints, the numbers that it
# cites, and known mistakes.
. tests/lib/run.sh
. tests/lib/wrong.sh
program=$BIN/count-accesses-simt
if ! [ -x "$program" ]; then
    skip "count-accesses" "no $program (needs clang)"
    finish
fi
csv=figures/data/counting-counts.csv
launches="quads mod8 stride-1 stride-3 stride-5 stride-33 offset-3 offset-0
          copy-1 copy-2 copy-4 copy-8 copy-16 v1 v2 v3 v4 v5 v6 v7"

# shellcheck disable=SC2086
counted() {         # PROGRAM: name,metric,value in $dir/counted
    SIMT_REPORT=csv SIMT_REPORT_FILE=$dir/report "$1" $launches \
        > "$dir/stdout" 2> "$dir/stderr" &&
    awk -F, -v names="$launches" '
        BEGIN { split(names, name, " ") }
        FNR > 1 { print name[$2] "," $3 "," $4 }' "$dir/report" > "$dir/counted"
}
check "every launch is right" counted "$program"

# ---- by hand -------------------------------------------------------------------
# launch, requests and sectors of loads, of stores, requests and wavefronts of
# loads from shared memory, of stores to it
by_hand() {
    tr -s ' ' <<END
quads     1   4   1  16   1    2   1   1
mod8      1   4   1  16   1    4   1   1
stride-1  32 128  32 128  0    0   0   0
stride-3  32 384  32 128  0    0   0   0
stride-5  32 640  32 128  0    0   0   0
stride-33 32 1024 32 128  0    0   0   0
offset-3  32 160  32 128  0    0   0   0
offset-0  32 128  32 128  0    0   0   0
copy-1    32 32   32 32   0    0   0   0
copy-2    32 64   32 64   0    0   0   0
copy-4    32 128  32 128  0    0   0   0
copy-8    32 256  32 256  0    0   0   0
copy-16   32 512  32 512  0    0   0   0
v1       192 768 192 6144 0    0   0   0
v2       192 6144 192 768 0    0   0   0
v3       192 768 192 768  192 6144 192 192
v4       192 768 192 768  192 192  192 192
v5       192 768 192 768  192 192  192 192
v7        64 768  48 768  48  192  64  192
END
}
values() {          # launch: the eight numbers of by_hand
    awk -F, -v launch="$1" '
        $1 == launch { v[$2] = $3 }
        END {
            print v["gld_req"], v["gld_sec"], v["gst_req"], v["gst_sec"],
                  v["sld_req"], v["sld_wave"], v["sst_req"], v["sst_wave"]
        }' "$dir/counted"
}
differing() {       # the launches whose counts are not those by hand
    by_hand | while read -r launch want; do
        [ "$(values "$launch")" = "$want" ] || echo "$launch"
    done
}
while read -r launch want; do
    check "$launch, by hand: $want" test "$(values "$launch")" = "$want"
done < <(by_hand)
check "a shifted load touches one sector more" test "$(awk -F, '
    $2 == "unique_read" && /^(offset-3|stride-1),/ { printf "%s ", $3 }' \
    "$dir/counted")" = "128 129 "

# ---- what the chapter prints and cites ----------------------------------------
# The first line of FILE is the command.  Of the lines of a source the chapter
# leaves out the table before them and the columns of instructions and lanes.
printed() {         # FILE
    local line
    line=$(head -1 "figures/data/$1")
    line=${line#\$ }
    sh -c "${line//build\/bin/$BIN}" 2>&1 > /dev/null | sed 's/ *$//' |
        case $1 in
        *lines*) sed -n '/^quads:/,$ { s/^\( .\{4\}\).\{13\}/\1/; p; }' ;;
        *)       cat ;;
        esac
}
for f in counting-table.txt counting-lines.txt; do
    if [ "$(clang --version 2> /dev/null |
            sed -n 's/.*version \([0-9]*\).*/\1/p')" != 14 ]; then
        skip "figures/data/$f" "it is what clang 14 makes"
        continue
    fi
    if [ -n "${UPDATE_FACTS:-}" ]; then
        { head -1 "figures/data/$f"; printed $f; } > "$dir/new"
        cp "$dir/new" "figures/data/$f"
    fi
    check "figures/data/$f is what the program prints" diff \
        <(tail -n +2 "figures/data/$f") <(printed $f)
done
awk -F, '/^(quads|mod8|stride|offset-3|copy-(4|16)|v[3457])/ &&
    $2 ~ /^(g(ld|st)_(req|sec)|s(ld|st)_(req|wave)|unique_read|inst)$/ {
        gsub(/[-_]/, "."); print "counting." $1 "." $2 "," $3 "," }' FS=, OFS=, \
    "$dir/counted" > "$dir/facts"
facts_are $csv "$dir/facts"

# ---- words that are no launch ---------------------------------------------------
refuses "no word" 2 'nothing to launch' "$program"
for word in stride-0 stride-65 stride- stride-8x offset-65 copy-3 copy-32 \
        v8 v quad strides-3; do
    refuses "no launch: $word" 2 "$word: no such launch" "$program" quads $word
done

# ---- known mistakes: in the program, caught by a result; in the kernels of the
# puzzle, by a count --------------------------------------------------------------
caught() {          # by what its file says
    found=
    case $1 in
    count:*) counted "$dir/wrong" && found=$(differing | tr '\n' ' ')
             [ "${found% }" = "${1#count: }" ] ;;
    *)       ! counted "$dir/wrong" && grep -qE -e "$1" "$dir/stderr" ;;
    esac
}
for w in tests/wrong/accesses-*.cu-wrong; do
    name=$(basename "$w" .cu-wrong) why=$(sed -n 's/^why: //p' "$w")
    by=$(sed -n 's/^caught-by: //p' "$w")
    if ! make_wrong "$w" code/lessons/count_accesses.cu > "$dir/wrong.cu" \
            2> "$dir/stderr" || ! "$BIN/simtcc" -Icode "$dir/wrong.cu" \
            code/bench/access_kernels.cu code/ladder/transpose.cu \
            "${BIN%/bin}/libmb-host.a" -o "$dir/wrong" 2> "$dir/stderr"; then
        not_ok "$name" "$(cat "$dir/stderr")"
        continue
    fi
    if caught "$by"; then
        ok "$name: caught ($why)"
    else
        not_ok "$name: caught ($why)" "$found $(cat "$dir/stderr")"
    fi
done
finish
