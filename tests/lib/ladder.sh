# shellcheck shell=bash
# Sourced by the tests of a ladder, the kernels of code/ladder/NAME.cu on the
# software GPU.  The script defines
#
#     build SOURCE PROGRAM    the ladder's source, or a changed one, with what
#                             runs it; `PROGRAM check` prints a line a row,
#                             `PROGRAM check v3` the short ones of v3, the
#                             second word of a row, `PROGRAM counts` a name a
#                             launch
. tests/lib/run.sh
. tests/lib/wrong.sh
# shellcheck disable=SC2034     # for build
simtcc=$BIN/simtcc host=${BIN%/bin}/libmb-host.a

needs_simtcc() {    # what would be tested
    if ! [ -x "$simtcc" ] || ! command -v "${CLANG:-clang}" > /dev/null; then
        skip "$1 on the software GPU" "no $simtcc, or no clang"
        finish
    fi
}

# results SOURCE PROGRAM N: it builds, and N rows of `check` are right.
results() {
    if ! build "$1" "$2"; then
        not_ok "the chapter's kernels compile" \
            "$(cat "$dir/errors" "$dir/stderr")"
        finish
    fi
    right=$2
    report_rows "$2" check
    check "$3 rows were checked, and the program ended well" \
        test "$status $(grep -c '^ok' "$dir/rows")" = "0 $3"
}

# counts PROGRAM: names in $dir/names, the report in $dir/counts.csv
counts() {
    SIMT_REPORT=csv SIMT_REPORT_FILE=$dir/counts.csv "$1" counts \
        > "$dir/names" 2> "$dir/stderr"
}

# Of what a mistake's file says that it is caught by, what $dir/wrong gets
# right nevertheless: rows that come out `ok`; after `count:` launches that
# have no conflicts; after `problem:` a version, and a kind of problem that the
# sanitizer does not find in it.
not_caught() {      # .cu-wrong file
    local name what
    : > "$dir/rows"
    for name in $(names_in "$1"); do
        "$dir/wrong" check "$name" >> "$dir/rows" 2> "$dir/stderr"
    done
    sed -n 's/^caught-by: //p' "$1" | while read -r row; do
        case $row in
        count:*)  SIMT_CHECK=off SIMT_REPORT=csv \
                      SIMT_REPORT_FILE=$dir/c.csv "$dir/wrong" counts > "$dir/n"
                  i=$(grep -nx "${row#count: }" "$dir/n" | cut -d: -f1)
                  awk -F, -v i="$i" '$2 == i && $3 ~ /^s(ld|st)_conf$/ &&
                      $4 > 0 { f = 1 } END { exit !f }' "$dir/c.csv" ||
                      echo "$row" ;;
        problem:*) read -r _ name what <<< "$row"
                  "$dir/wrong" check "$name" 2>&1 > /dev/null |
                      grep -q "the sanitizer found .* $what" ||
                      echo "$row" ;;
        *)        grep -qx "ok - $row" "$dir/rows" && echo "$row" ;;
        esac
    done
}

names_in() {        # .cu-wrong files: the second words of rows
    sed -n '/: count:/d; /: problem:/d
        s/^caught-by: [^ ]* \([^ ]*\) .*/\1/p' "$@" | sort -u
}
# Each row that a mistake names is there, and right, where nothing is wrong.
rows_alone() {      # .cu-wrong files
    local name
    for name in $(names_in "$@"); do "$right" check "$name"; done > "$dir/alone"
    sed -n '/: count:/d; /: problem:/d; s/^caught-by: /ok - /p' "$@" | sort -u |
        grep -vxFf "$dir/alone"
    [ $? -eq 1 ]
}

# mistakes NAME [SOURCE]: each tests/wrong/NAME-*.cu-wrong, made in SOURCE, or in
# code/ladder/NAME.cu
mistakes() {
    local w name why missed source=${2:-code/ladder/$1.cu} changed
    changed=$dir/$(basename "$source")
    check "the rows that catch mistakes pass where nothing is wrong" \
        rows_alone tests/wrong/"$1"-*.cu-wrong
    for w in tests/wrong/"$1"-*.cu-wrong; do
        name=$(basename "$w" .cu-wrong) why=$(sed -n 's/^why: //p' "$w")
        if ! make_wrong "$w" "$source" > "$changed" \
                2> "$dir/stderr" || ! build "$changed" "$dir/wrong"; then
            not_ok "$name" "$(cat "$dir/stderr")"
            continue
        fi
        missed=$(not_caught "$w")
        if [ -z "$missed" ]; then
            ok "$name: caught ($why)"
        else
            not_ok "$name: caught ($why)" "not caught by $missed"
        fi
    done
}
