#!/bin/bash
# tests/wrong/run says of each mistake whether its rows catch it.  Here it is
# given a small program, mistakes that are none, anchors that do not hold and
# rows that end in every other way, and must tell them apart.
. tests/lib/run.sh
B=$(cd "${BIN%/bin}" && pwd) here=$PWD
if ! command -v lua5.4 > /dev/null; then
    skip "known mistakes are told apart" "no lua5.4 (make setup)"; finish
elif ! [ -e /usr/include/cmocka.h ]; then
    skip "known mistakes are told apart" "cmocka is not installed"; finish
fi
mkdir -p "$dir"/{code,tests/wrong,build/opt/tests,build/simt/code}
ln -s "$here/tests/lib" "$dir/tests/lib"
ln -s "$here"/code/{base,simt} "$dir/code"
cp "$here"/tests/{rows,wanted}.h "$dir/tests"

# ---- the program ------------------------------------------------------------------
cat > "$dir/code/toy.c" <<'C'
#include "toy.h"
#include <stdlib.h>
#define TWICE(x) ((x)     \
                  + (x))
int largest(const int *x, int n)
{
    int m = x[0];
    for (int i = 1; i < n; i++)     /* all */
        if (x[i] > m)
            m = x[i];
    return m;
}

int total(const int *x, int n)
{
    int m = x[0];
    for (int i = 1; i < n; i++)
        m += x[i];
    return TWICE(m) - m;
}
C
echo "int largest(const int *x, int n), total(const int *x, int n);" \
    > "$dir/code/toy.h"
cat > "$dir/tests/test_toy.c" <<'C'
#include "toy.h"
#include "rows.h"
static const int x[] = { 3, 1, 5, 1, 4 };
static int before;
static void first(const struct Row *row)
{
    (void)row;
    assert_int_equal(largest(x, 5), 5);
    before = 1;
}
static void sum(const struct Row *row) { (void)row; assert_int_equal(total(x, 5), 14); }
static void needs(const struct Row *row) { (void)row; assert_int_equal(before, 1); }
static void one(const struct Row *row) { (void)row; assert_int_equal(largest(x, 1), 3); }
int main(void)
{
    static const struct Row rows[] = { { "largest n=5", first, "" },
        { "total n=5", sum, "" }, { "largest n=1", one, "" },
#ifdef NEEDS
        { "needs the one before", needs, "" },
#endif
    };
    (void)needs;
    return rows_run("toy", rows, sizeof rows / sizeof *rows);
}
C

# mistake NAME LINES WAS NOW: LINES as they are, of what is said \n is a line
mistake() {
    { printf 'file: %s\ntest: %s\n%b\nwhy: %s\n' "${file:-code/toy.c}" \
          "${toy:-toy}" "$2" "$1"
      printf -- '--- was\n%b\n--- now\n%b\n' "$3" "$4"; } \
        > "$dir/tests/wrong/$1.wrong"
}
five="caught-by: largest n=5" sum="caught-by: total n=5"
mistake a-right "$five" 'if (x[i] > m)' 'if (x[i] < m)'
mistake b-reflowed "$five" 'if(x[ i ]/* no */ >\n m )m=x[i];' 'm = 0;'
mistake c-in "$sum\nin: total" 'for (int i = 1; i < n; i++)' \
    'for (int i = 2; i < n; i++)'
mistake d-macro "$sum" '((x)+ (x))' '((x)\n+ (x) + 1)'
mistake e-signal "$five\nends: signal" 'if (x[i] > m)' \
    'if (*(volatile int *)0)'
mistake f-ends "$five\nends: status 3" 'if (x[i] > m)' \
    'if (__builtin_puts("status 3"), exit(3), 1)'
mistake g-hang "$five\nends: time-out" 'if (x[i] > m)' 'while (1)'
mistake m-nothing "$five" 'if (x[i] > m)' 'if (m < x[i])'
mistake n-nowhere "$five" 'if (x[i] > n)' 'if (x[i] < n)'
mistake o-twice "$five" 'for (int i = 1; i < n; i++)' ''
mistake p-no-function "$five\nin: least" 'if (x[i] > m)' ''
mistake q-no-row "caught-by: least n=5" 'if (x[i] > m)' ''
mistake r-names-none "in: largest" 'if (x[i] > m)' ''
mistake s-crash "$five" 'if (x[i] > m)' 'if (*(volatile int *)0)'
mistake t-silent-end "$five" 'if (x[i] > m)' 'if (exit(0), 1)'
mistake u-hang "$five" 'if (x[i] > m)' 'while (1)'
mistake v-orderly "$five\nends: signal" 'if (x[i] > m)' 'if (x[i] < m)'
mistake w-half "$five\ncaught-by: largest n=1" 'if (x[i] > m)' ''
: > "$dir/tests/wrong/rows-without"

needs=-DALONE objects=
# wrong NAME...: what the run says, without numbers
wrong() {
    (cd "$dir" &&
     ${CC:-cc} -Icode -Itests "$needs" -c tests/test_toy.c \
         -o build/opt/tests/test_toy.o &&
     ${CC:-cc} -Icode -c code/toy.c -o build/toy.o &&
     ar rcs build/libmb-opt.a build/toy.o &&
     WRONG_SECONDS=2 CC=${CC:-cc} B=build FLAGS_OPT="-Icode" LIBS=-lm \
         SIMT_OBJECTS="$objects" "$here/tests/wrong/run" "$@") 2>&1 |
        sed -E 's/^(not )?ok [0-9]+ /\1ok /' > "$dir/said"
}
told() {            # PATTERN: a line that says so
    check "$1" grep -Eq -e "^$1" "$dir/said"
}
wrong
for name in a-right b-reflowed c-in d-macro e-signal f-ends g-hang; do
    told "ok - $name: caught"
done
told "not ok - m-nothing: not caught by largest n=5 passes"
told "not ok - n-nowhere: the tokens under --- was do not occur"
told "not ok - o-twice: the tokens .* occur 2 times: in largest, total"
told "not ok - p-no-function: there is no function or macro least"
told "not ok - q-no-row: not caught by least n=5 there is no such row"
told "not ok - r-names-none: names no row that catches it"
told "not ok - s-crash: .* ends: signal"
told "not ok - t-silent-end: .* ends: exit \(exit 0\)"
told "not ok - u-hang: .* ends: time-out"
told "not ok - v-orderly: .* does not end as its file says: signal, but fails"
told "not ok - w-half: not caught by largest n=1 passes"
told "not ok - toy--toy.c: .* nothing is wrong: least n=5: there is no such row"
told "ok - tests/test_toy.c: 3 rows, 0 named by no mistake"
check "all files are reported once" test \
    "$(grep -Ec '^(not )?ok - [a-z]-' "$dir/said")" = 18
rm "$dir"/tests/wrong/[e-x]-*

# ---- rows ---------------------------------------------------------------------------
wrong
told "ok - toy--toy.c: 2 rows, alone, where nothing is wrong"
told "not ok - tests/test_toy.c: 3 rows, 1 .* not: largest n=1"
echo "toy: largest n=*: one element is not compared" \
    > "$dir/tests/wrong/rows-without"
wrong
told "ok - tests/test_toy.c: 3 rows, 1 .*, of them 1 with a reason"
echo "toy: total *: a line too many" >> "$dir/tests/wrong/rows-without"
wrong
told "not ok - tests/wrong/rows-without has a line for no row: toy: total"
mistake h-needs "caught-by: needs the one before" 'if (x[i] > m)' \
    'if (x[i] < m)'
needs=-DNEEDS
wrong 'h-*'
told "not ok - toy--toy.c: .* needs the one before: it does not pass"
mistake x-not-compiled "$sum" 'm += x[i];' 'm += y[i];'
needs=-DALONE
wrong
told "not ok - x-not-compiled: not built"
told "ok - c-in: caught"

# ---- kernels --------------------------------------------------------------------------
if ! [ -x "$B/bin/simtcc" ] || ! command -v "${CLANG:-clang}" > /dev/null; then
    skip "mistakes in kernels" "no $B/bin/simtcc, or no clang"
    finish
fi
ln -s "$B"/{bin,include,lib,libmb-host.a} "$dir/build"
rm "$dir"/tests/wrong/*.wrong
cat > "$dir/code/toy.cu" <<'C'
#include <stdio.h>
#include <stdlib.h>
template <int N>
__global__ void add_kernel(int *x)
{
    if (threadIdx.x < N)
        x[threadIdx.x] += N;
}
__global__ void other(int *x) { x[0] = 7; }
extern "C" int added(void);
int added(void)
{
    int *x, y = -1;
    cudaMalloc(&x, 4);
    cudaMemset(x, 0, 4);
    if (!x)
        other<<<1, 1>>>(x);
    add_kernel<1><<<1, 32>>>(x);
    if (cudaGetLastError() != cudaSuccess) {
        printf("# no\n");
        exit(1);
    }
    cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost);
    cudaFree(x);
    return y;
}
C
cat > "$dir/tests/gpu_toy.c" <<'C'
#include "rows.h"
int added(void);
static void adds(const struct Row *row) { (void)row; assert_int_equal(added(), 1); }
int main(void)
{
    static const struct Row rows[] = { { "adds", adds, "" } };
    return rows_run("toy", rows, 1);
}
C
(cd "$dir" && ${CC:-cc} -Icode -Itests -c tests/gpu_toy.c -o build/opt/tests/gpu_toy.o &&
    build/bin/simtcc -c code/toy.cu -o build/simt/code/toy.o) 2> "$dir/stderr"
toy=gpu_toy file=code/toy.cu row="caught-by: adds"
mistake a-kernel "$row" 'x[threadIdx.x] += N;' 'x[threadIdx.x] += N + 1;'
mistake b-host "$row" 'int *x, y = -1;' 'int *x, y = -1; return 0;'
mistake c-bounds "$row\nends: cudaErrorIllegalAddress" '(threadIdx.x < N)' \
    '(threadIdx.x <= 4096 * N)'
mistake d-alarm "$row\nalarm: race" 'if (threadIdx.x < N)\n x[threadIdx.x] += N;' \
    'x[0] = threadIdx.x;'
mistake m-instruction "$row" 'x[threadIdx.x] += N;' \
    'asm volatile("tcgen05.wait::ld.sync.aligned;");'
mistake n-bounds "$row" '(threadIdx.x < N)' '(threadIdx.x <= 4096 * N)'
mistake o-other "$row" 'x[0] = 7;' 'x[0] = 8;'
mistake p-alarm "$row\nalarm: race" 'x[threadIdx.x] += N;' 'x[0] += 2 * N;'
objects=build/simt/code/toy.o
wrong
for name in a-kernel b-host c-bounds d-alarm; do
    told "ok - $name: caught"
done
told "not ok - m-instruction: .* the software GPU cannot read the kernel"
told "not ok - n-bounds: .* ends: exit"
told "not ok - o-other: not caught by adds passes"
told "not ok - p-alarm: .* no alarm: race"
finish
