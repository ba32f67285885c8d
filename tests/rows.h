/* Helpers shared by the tests.  A test is a row; its name carries its
 * sizes ("layernorm_fwd N=64 C=768"), and the test reads them from there,
 * so that what is printed is what was run. */
#ifndef TESTS_ROWS_H
#define TESTS_ROWS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<cmocka.h>) && !defined SMALL_CMOCKA
#include <cmocka.h>
#else
#include "lib/small_cmocka.h"
#endif

#include "base/real.h"
#include "wanted.h"

struct Row {
    const char *name;               /* "operator KEY=number KEY=number"  */
    void (*run)(const struct Row *row);
    const char *catches;            /* the wrong code that fails here    */
};

/* The number after " KEY=" in the row's name, or `otherwise`. */
static inline double row_number(const struct Row *row, const char *key,
                                double otherwise)
{
    size_t length = strlen(key);
    for (const char *p = strchr(row->name, ' '); p; p = strchr(p + 1, ' '))
        if (strncmp(p + 1, key, length) == 0 && p[length + 1] == '=')
            return strtod(p + length + 2, NULL);
    return otherwise;
}

static inline int row_int(const struct Row *row, const char *key)
{
    double x = row_number(row, key, NAN);
    if (!(x == floor(x)))
        fail_msg("the row's name lacks %s=", key);
    return (int)x;
}

static inline void row_run(void **state)
{
    const struct Row *row = *state;
    row->run(row);
}

/* Run every row as a test of its own; the result is for main to return. */
static inline int rows_run(const char *group, const struct Row *rows,
                           size_t n)
{
    struct CMUnitTest *tests = calloc(n, sizeof *tests);
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, row_run, NULL, NULL,
                                        (void *)(uintptr_t)&rows[i] };
    n = rows_wanted(tests, n);
    int failed = _cmocka_run_group_tests(group, tests, n, NULL, NULL);
    free(tests);
    return failed;
}

/* ---- numbers ---------------------------------------------------------- */

/* The i-th of a repeatable sequence of numbers, uniform in [-1, 1). */
static inline double noise(uint64_t seed, uint64_t i)
{
    uint64_t z = seed * 0x9e3779b97f4a7c15u + (i + 1) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) / 4503599627370496.0 - 1;
}

/* ---- memory with guards ----------------------------------------------- */

/* Four guard bytes read as a float are 0.75, eight as a double 4.8e-4: small
 * enough that a sum added to them, too, shows. */
enum { GUARD_BYTES = 4096, GUARD = 0x3f };

/* n numbers, all NaN, between two guards.  Free with guarded_free. */
static inline real *guarded_new(size_t n)
{
    size_t size = n * sizeof(real);
    unsigned char *p = malloc(size + 2 * GUARD_BYTES + sizeof size);
    if (!p)
        fail_msg("no memory for %zu bytes", size);
    memcpy(p, &size, sizeof size);
    p += sizeof size;
    memset(p, GUARD, size + 2 * GUARD_BYTES);
    real *x = (real *)(void *)(p + GUARD_BYTES);
    for (size_t i = 0; i < n; i++)
        x[i] = NAN;
    return x;
}

/* n random numbers shift + size * [-1, 1), each exact in float. */
static inline real *guarded_noise(size_t n, uint64_t seed, double shift,
                                  double size)
{
    real *x = guarded_new(n);
    for (size_t i = 0; i < n; i++)
        x[i] = (real)(float)(shift + size * noise(seed, i));
    return x;
}

/* A copy, between guards. */
static inline real *guarded_copy(const real *from, size_t n)
{
    real *x = guarded_new(n);
    memcpy(x, from, n * sizeof *x);
    return x;
}

static inline void guarded_check(const char *what, const real *x)
{
    const unsigned char *p = (const unsigned char *)x - GUARD_BYTES;
    size_t size;
    memcpy(&size, p - sizeof size, sizeof size);
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        if (p[i] != GUARD)
            fail_msg("%s: byte %zu before its start was written", what,
                     GUARD_BYTES - i);
        if (p[GUARD_BYTES + size + i] != GUARD)
            fail_msg("%s: byte %zu behind its end was written", what, i);
    }
}

/* Check the guards, then free. */
static inline void guarded_free(const char *what, real *x)
{
    guarded_check(what, x);
    free((unsigned char *)x - GUARD_BYTES - sizeof(size_t));
}

/* ---- comparing -------------------------------------------------------- */

/* The rule of all tolerances.  `plain` is the plain version in our own
 * precision, `exact` the same in double.  Ours may be off by twice what
 * plain is off, in the largest element and in the root mean square; plain
 * counts as off by at least half a unit of the largest value.  NaN fails. */
static inline void expect_close(const char *what, const real *ours,
                                const real *plain, const double *exact,
                                size_t n)
{
    double worst = 0, off = 0, square = 0, off_square = 0, size = 0;
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        double e = fabs((double)ours[i] - exact[i]);
        double f = fabs((double)plain[i] - exact[i]);
        if (ours[i] == exact[i])
            e = 0;                      /* two infinities, for example */
        if (!(e <= worst)) {
            worst = e;
            at = i;
            if (isnan(e))
                break;
        }
        off = f > off ? f : off;
        size = fabs(exact[i]) > size ? fabs(exact[i]) : size;
        square += e * e / (double)n;
        off_square += f * f / (double)n;
    }
    double half = ldexp(size, sizeof(real) == 4 ? -24 : -53);
    double allowed = 2 * (off > half ? off : half);
    if (!(worst <= allowed))
        fail_msg("%s[%zu] is %.9g, should be %.9g: err %.3g, allowed %.3g",
                 what, at, (double)ours[at], exact[at], worst, allowed);
    double rms = sqrt(off_square) > half / 2 ? sqrt(off_square) : half / 2;
    if (!(sqrt(square) <= 2 * rms))
        fail_msg("%s: root mean square err %.3g, allowed %.3g", what,
                 sqrt(square), 2 * rms);
}

static inline void expect_same_bits(const char *what, const real *a,
                                    const real *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0)
            fail_msg("%s[%zu] is %.9g, was %.9g", what, i, (double)a[i],
                     (double)b[i]);
}

#endif
