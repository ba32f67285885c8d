/* What tests/rows.h uses of cmocka, for machines that lack it: rows as
 * tests, TAP on standard output, a failure leaves the row. */
#ifndef TESTS_SMALL_CMOCKA_H
#define TESTS_SMALL_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef void (*CMUnitTestFunction)(void **state);
struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func, setup, teardown;
    void *initial_state;
};

static jmp_buf small_cmocka_row;

__attribute__((noreturn, format(printf, 1, 2), unused))
static void fail_msg(const char *format, ...)
{
    va_list a;
    va_start(a, format);
    printf("# ");
    vprintf(format, a);
    printf("\n");
    va_end(a);
    longjmp(small_cmocka_row, 1);
}

__attribute__((noreturn, unused))
static void skip(void)
{
    longjmp(small_cmocka_row, 2);
}

#define print_message printf
#define assert_true(c) ((c) ? (void)0 : fail_msg("not so: %s", #c))
#define assert_false(c) assert_true(!(c))
#define assert_non_null(p) assert_true((p) != NULL)
#define assert_memory_equal(a, b, n) assert_true(memcmp(a, b, n) == 0)

__attribute__((unused))
static int _cmocka_run_group_tests(const char *group,
                                   const struct CMUnitTest *test, size_t n,
                                   CMUnitTestFunction setup,
                                   CMUnitTestFunction teardown)
{
    static int failed;
    static size_t i;            /* keeps its value over a longjmp */
    (void)group, (void)setup, (void)teardown;
    printf("1..%zu\n", n);
    for (i = 0; i < n; i++) {
        void *state = test[i].initial_state;
        switch (setjmp(small_cmocka_row)) {
        case 0:
            test[i].test_func(&state);
            printf("ok %zu - %s\n", i + 1, test[i].name);
            break;
        case 2:
            printf("ok %zu - %s # SKIP\n", i + 1, test[i].name);
            break;
        default:
            failed++;
            printf("not ok %zu - %s\n", i + 1, test[i].name);
        }
        fflush(stdout);
    }
    return failed;
}

#endif
