# shellcheck shell=bash
# Sourced by the tests of a ladder, the kernels of code/ladder/NAME.cu on the
# software GPU.  The script defines
#
#     build SOURCE PROGRAM    the ladder's source, or a changed one, with what
#                             runs it and $host; `PROGRAM check` prints a line
#                             a row, `PROGRAM check v3` the short ones of v3,
#                             the second word of a row, `PROGRAM counts` a name
#                             a launch
#     options                 what simtcc needs for the ladder's kernels
#
# A compiler takes seconds for all kernels of a ladder, and a row runs one or
# two.  So of a mistake in kernels those alone are compiled that its rows
# launch; the right program takes them in place of its own.
. tests/lib/run.sh
. tests/lib/wrong.sh
# shellcheck disable=SC2034     # for build
simtcc=compiler host=$dir/libmb-host.a options=-std=c++17
compiler() {        # its programs ask wrong_kernels.c
    "$BIN/simtcc" -Wl,--wrap=__cudaRegisterFunction,--wrap=cudaLaunchKernel "$@"
}

needs_simtcc() {    # what would be tested
    if ! [ -x "$BIN/simtcc" ] || ! command -v "${CLANG:-clang}" > /dev/null; then
        skip "$1 on the software GPU" "no $BIN/simtcc, or no clang"
        finish
    fi
    cp "${BIN%/bin}/libmb-host.a" "$host" &&
        ${CC:-cc} -O1 -Icode -Wall -Wextra -c tests/lib/wrong_kernels.c \
            -o "$dir/wrong_kernels.o" &&
        ar r "$host" "$dir/wrong_kernels.o"
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
    WRONG_LAUNCHED=$dir/launched-counts \
        SIMT_REPORT=csv SIMT_REPORT_FILE=$dir/counts.csv "$1" counts \
        > "$dir/names" 2> "$dir/stderr"
}

# Of what a mistake's file says that it is caught by, what the program ${wrong[@]}
# gets right nevertheless: rows that come out `ok`; after `count:` launches that
# have no conflicts; after `problem:` a version, and a kind of problem that the
# sanitizer does not find in it.
not_caught() {      # .cu-wrong file
    local name what
    : > "$dir/rows"
    for name in $(names_in "$1"); do
        "${wrong[@]}" check "$name" >> "$dir/rows" 2> "$dir/stderr"
        grep -h cudaErrorInvalidPtx "$dir/rows" "$dir/stderr"
    done
    sed -n 's/^caught-by: //p' "$1" | while read -r row; do
        case $row in
        count:*)  SIMT_CHECK=off SIMT_REPORT=csv \
                      SIMT_REPORT_FILE=$dir/c.csv "${wrong[@]}" counts > "$dir/n"
                  i=$(grep -nx "${row#count: }" "$dir/n" | cut -d: -f1)
                  awk -F, -v i="$i" '$2 == i && $3 ~ /^s(ld|st)_conf$/ &&
                      $4 > 0 { f = 1 } END { exit !f }' "$dir/c.csv" ||
                      echo "$row" ;;
        problem:*) read -r _ name what <<< "$row"
                  "${wrong[@]}" check "$name" 2>&1 > /dev/null |
                      grep -q "the sanitizer found .* $what" ||
                      echo "$row" ;;
        *)        grep -qx "ok - $row" "$dir/rows" && echo "$row" ;;
        esac
    done
}

names_in() {        # .cu-wrong files: the versions that their rows check
    sed -n '/: count:/d; s/^caught-by: [^ ]* \([^ ]*\) .*/\1/p' "$@" | sort -u
}
# Each row that a mistake names is there, and right, where nothing is wrong.
rows_alone() {      # .cu-wrong files
    local name
    for name in $(names_in "$@"); do
        WRONG_LAUNCHED=$dir/launched-$name "$right" check "$name"
    done > "$dir/alone"
    sed -n '/: count:/d; /: problem:/d; s/^caught-by: /ok - /p' "$@" | sort -u |
        grep -vxFf "$dir/alone"
    [ $? -eq 1 ]
}

# The kernels of a mistake, or the same without it, in $dir/KIND.ptx.
kernels() {         # wrong or right, .cu-wrong file, source
    local name launched=() how=--kernels
    [ "$1" = wrong ] || how=--right
    for name in $(names_in "$2") $(sed -n 's/.*: count:.*/counts/p' "$2"); do
        launched+=("$dir/launched-$name")
    done
    # shellcheck disable=SC2086     # options
    cat "${launched[@]}" > "$dir/launched" &&
        lua5.4 tests/lib/wrong.lua $how "$2" "$3" "$dir/launched" \
            > "$dir/kernels.cu" &&
        "$simtcc" $options -w -Icode -I"$(dirname "$3")" --ptx \
            "$dir/kernels.cu" -o "$dir/all.ptx" &&
        lua5.4 tests/lib/wrong.lua --reached "$dir/all.ptx" > "$dir/$1.ptx" &&
        grep -q '\.entry' "$dir/$1.ptx"
}

# The kernels that a mistake reaches are right, alone, where it is not made.
kernels_alone() {   # .cu-wrong file, source
    local name
    kernels right "$@" || return 1
    for name in $(names_in "$1"); do
        WRONG_KERNELS=$dir/right.ptx "$right" check "$name"
    done > "$dir/alone"
    sed -n '/: count:/d; /: problem:/d; s/^caught-by: /ok - /p' "$1" | sort -u |
        grep -vxFf "$dir/alone"
    [ $? -eq 1 ]
}

# mistakes NAME [SOURCE]: each tests/wrong/NAME-*.cu-wrong, made in SOURCE, or in
# code/ladder/NAME.cu.  That kernels alone are right is asked of the first, or
# with CONTROL=all of each.
mistakes() {
    local w name why missed source=${2:-code/ladder/$1.cu} changed control=1
    changed=$dir/$(basename "$source")
    check "the rows that catch mistakes pass where nothing is wrong" \
        rows_alone tests/wrong/"$1"-*.cu-wrong
    for w in tests/wrong/"$1"-*.cu-wrong; do
        name=$(basename "$w" .cu-wrong) why=$(sed -n 's/^why: //p' "$w")
        if kernels wrong "$w" "$source" 2> "$dir/stderr"; then
            wrong=(env "WRONG_KERNELS=$dir/wrong.ptx" "$right")
            [ -z "$control" ] ||
                check "$name: its kernels are right where nothing is wrong" \
                    kernels_alone "$w" "$source"
            control=${CONTROL:-}
        elif make_wrong "$w" "$source" > "$changed" 2> "$dir/stderr" &&
                build "$changed" "$dir/wrong"; then
            wrong=("$dir/wrong")
        else
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
