#!/bin/sh
# What depends on the compiler, with the oldest GCC that the README names and
# with clang, where they are: files with versions for several processors, the
# warnings of all sources, and test_matmul, compiled and run.  And elsewhere
# than on Linux, one sentence.
n=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
row() {             # status, text, file with the reason
    n=$((n + 1))
    if [ "$1" = 0 ]; then
        echo "ok $n - $2"
    else
        echo "not ok $n - $2"
        head -5 "$3" | sed 's/^/#   /'
    fi
}
flags="-std=c17 -D_GNU_SOURCE -DSMALL_CMOCKA -Icode -Itests -Ibuild/gen -Wall -Wextra
    -Werror -fopenmp -O2 -fno-math-errno -fno-trapping-math -ffp-contract=fast"
for cc in gcc-11 clang; do
    if ! command -v $cc > /dev/null; then
        n=$((n + 1))
        echo "ok $n - $cc # SKIP apt install $cc"
        continue
    fi
    : > "$dir/log"
    bad=0
    grep -rl --include='*.c' SIMD_CLONES code/ops code/simt > "$dir/clones"
    while read -r f; do
        # shellcheck disable=SC2086
        $cc $flags -c "$f" -o "$dir/x.o" 2>> "$dir/log" || bad=1
    done < "$dir/clones"
    row $bad "$cc compiles versions for several processors" "$dir/log"
    # Of all sources the warnings that need no optimiser; of one in which a
    # loop over lanes is none for vectors, those that do.
    # shellcheck disable=SC2086
    find code -name '*.c' -print0 |
        xargs -0 -n 16 $cc $flags -fsyntax-only > "$dir/log" 2>&1 &&
        $cc $flags -O3 -c code/simt/executor/execute_half.c \
            -o "$dir/x.o" 2>> "$dir/log"
    row $? "$cc has nothing to say of any source" "$dir/log"
    # shellcheck disable=SC2086
    $cc $flags code/base/*.c code/backend/*.c code/ops/*.c code/ops/*/*.c \
        tests/test_matmul.c \
        -o "$dir/test" -lm > "$dir/log" 2>&1 &&
        OMP_NUM_THREADS=2 "$dir/test" > "$dir/log" 2>&1
    row $? "$cc: test_matmul" "$dir/log"
done
echo '#include "base/error.h"' > "$dir/x.c"
${CC:-cc} -U__linux__ -Icode -fsyntax-only "$dir/x.c" > "$dir/log" 2>&1
grep -q 'error: #error Moving Bytes needs Linux; on Windows, WSL2' "$dir/log"
row $? "elsewhere than on Linux the compiler says so" "$dir/log"
[ "$(grep -c 'error' "$dir/log")" -ge 1 ] && ! grep -q 'fatal error' "$dir/log"
row $? "and that alone" "$dir/log"
echo "1..$n"
