#!/bin/bash
# A machine with a GPU has no cmocka as a rule: the tests that run there are
# compiled with tests/lib/small_cmocka.h, which must have all that they use
# and say what cmocka says.
. tests/lib/run.sh
F="-std=c17 -D_GNU_SOURCE -Icode -Itests -Wall -Wextra -Werror -Wshadow -fopenmp"
for t in tests/test_ops.c tests/test_decoder.c tests/gpu_*.c tests/losses.c; do
    # shellcheck disable=SC2086
    check "$t compiles without cmocka" \
        "${CC:-cc}" $F -DSMALL_CMOCKA -fsyntax-only "$t"
done

cat > "$dir/rows.c" <<'C'
#include "rows.h"
static void holds(const struct Row *row) { (void)row; assert_true(1); }
static void fails(const struct Row *row) { (void)row; assert_false(1); }
static void skips(const struct Row *row) { (void)row; skip(); }
static void differs(const struct Row *row)
{
    (void)row;
    assert_memory_equal("a", "b", 1);
}
static void lacks(const struct Row *row)
{
    (void)row;
    assert_non_null(NULL);
}
int main(void)
{
    const struct Row rows[] = {
        { "holds", holds, "" }, { "fails", fails, "" },
        { "skips", skips, "" }, { "differs", differs, "" },
        { "lacks", lacks, "" }, { "holds again", holds, "" },
    };
    return rows_run("rows", rows, sizeof rows / sizeof *rows);
}
C
if [ ! -e /usr/include/cmocka.h ]; then
    skip "the same rows with cmocka" "cmocka is not installed"
    finish
fi
says() {            # flag..., libraries: the rows' lines and the status
    # shellcheck disable=SC2086
    "${CC:-cc}" $F -o "$dir/rows" "$dir/rows.c" "$@" -lm || return
    CMOCKA_MESSAGE_OUTPUT=TAP "$dir/rows" > "$dir/lines" 2>&1
    echo "status $?"
    # cmocka writes "not ok 3 # SKIP NAME"
    sed -nE 's/^not ok ([0-9]+) # SKIP (.*)/ok \1 - \2 # SKIP/
             /^(not )?ok [0-9]/p' "$dir/lines"
}
says -lcmocka > "$dir/cmocka"
says -DSMALL_CMOCKA > "$dir/small"
check "rows that hold, fail and skip are reported as by cmocka" \
    diff "$dir/cmocka" "$dir/small"
check "three of the six failed" grep -qx "status 3" "$dir/small"
finish
