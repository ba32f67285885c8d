#!/bin/bash
# Random functions (tests/differential/generate.c) give the same bits on the
# software GPU and on the host, at two levels and with every clang, and the
# sanitizer is silent.
#
#   tests/differential.sh              24 functions, a few seconds
#   tests/differential.sh FIRST LAST   these, at every level
. tests/lib/run.sh
simtcc=$BIN/simtcc
if ! [ -x "$simtcc" ] || ! command -v "${CLANG:-clang}" > /dev/null; then
    skip "random functions" "no $simtcc, or no clang"
    finish
fi
SIMTCC_CACHE=${SIMTCC_CACHE:-$PWD/build/headers}
export SIMTCC_CACHE
unset SIMT_CHECK SIMT_REPORT
"${CC:-cc}" -std=c17 -O1 -Wall -Wextra -Werror \
    tests/differential/generate.c -o "$dir/generate" || exit 1

# agree SIMTCC LEVEL FIRST LAST: all of these functions
agree() {
    "$dir/generate" "$3" "$4" > "$dir/random.cu"
    "$1" -w -std=c++14 -ffp-contract=off "$2" $linker "$dir/random.cu" \
        -o "$dir/random" && "$dir/random"
}

if [ $# = 2 ]; then
    for level in -O0 -O1 -O2 -O3; do
        check "functions $1 to $2, $level" agree "$simtcc" $level "$1" "$2"
    done
    finish
fi

for c in '' -14 -16 -19; do
    export CLANG=${CLANG:-clang$c}
    command -v "$CLANG" > /dev/null || { unset CLANG; continue; }
    real=$(readlink -f "$(command -v "$CLANG")")
    case " ${seen:-} " in *" $real "*) unset CLANG; continue ;; esac
    seen="${seen:-} $real"
    check "$CLANG -O0: functions 1 to 12" agree "$simtcc" -O0 1 12
    check "$CLANG -O2: functions 11 to 24" agree "$simtcc" -O2 11 24
    unset CLANG
done

# A rotation of 64 bits is what function 11 needs, and clang 14 gets wrong.
if command -v clang-14 > /dev/null; then
    mkdir -p "$dir/wrong/bin"
    cp -R "$BIN/../include" "$dir/wrong"
    ln -s "$(cd "$BIN/../lib" && pwd)" "$dir/wrong/lib"
    sed 's/and\.b32 %amt2, \\2, 63; //' "$simtcc" > "$dir/wrong/bin/simtcc"
    chmod +x "$dir/wrong/bin/simtcc"
    if cmp -s "$simtcc" "$dir/wrong/bin/simtcc"; then
        not_ok "the mask of a rotation is needed" "nothing was changed"
    elif CLANG=clang-14 agree "$dir/wrong/bin/simtcc" -O0 11 11 \
            > "$dir/stdout" 2>&1; then
        not_ok "the mask of a rotation is needed" "right without it"
    else
        check "the mask of a rotation is needed" \
            grep -q 'seed 11: .* threads differ' "$dir/stdout"
    fi
else
    skip "the mask of a rotation is needed" "clang-14 is not installed"
fi
finish
