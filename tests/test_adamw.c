/* AdamW and the norm: each row names the mistake it would catch. */
#include "ops/adamw/adamw.h"

#include "base/rng.h"

#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "wanted.h"

#define GUARD 64
#define GUARD_VALUE ((real)-12345)

static const struct AdamwStep usual = {
    .lr = 6e-4, .beta1 = 0.9, .beta2 = 0.95, .eps = 1e-8, .decay = 0.1,
    .scale = 1, .step = 1,
};

static real *numbers(size_t n, uint64_t seed, double size)
{
    struct Rng r = rng_new(seed, 0);
    real *x = malloc((n + GUARD) * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = (real)(size * rng_normal(&r));
    for (size_t i = 0; i < GUARD; i++)
        x[n + i] = GUARD_VALUE;
    return x;
}

static void check_guard(const real *x, size_t n)
{
    for (size_t i = 0; i < GUARD; i++)
        assert_true(x[n + i] == GUARD_VALUE);
}

static void square(real *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i] *= v[i];
}

/* The formula in double, one parameter at a time. */
static void exact(double *w, double *m, double *v, double g,
                  const struct AdamwStep *s)
{
    g *= s->scale;
    *m = s->beta1 * *m + (1 - s->beta1) * g;
    *v = s->beta2 * *v + (1 - s->beta2) * g * g;
    double mean = *m / (1 - pow(s->beta1, (double)s->step));
    double size = *v / (1 - pow(s->beta2, (double)s->step));
    *w -= s->lr * (mean / (sqrt(size) + s->eps) + s->decay * *w);
}

/* The same in real, as PyTorch orders it. */
static real plain(real w, real m, real v, real g, const struct AdamwStep *s)
{
    g *= (real)s->scale;
    m = (real)s->beta1 * m + (real)(1 - s->beta1) * g;
    v = (real)s->beta2 * v + (real)(1 - s->beta2) * g * g;
    real c1 = (real)(1 - pow(s->beta1, (double)s->step));
    real c2 = (real)sqrt(1 - pow(s->beta2, (double)s->step));
    w *= (real)(1 - s->lr * s->decay);
    return w - (real)s->lr / c1 * m / ((real)sqrt(v) / c2 + (real)s->eps);
}

struct Row {
    size_t n;
    int64_t step;
    double decay, scale;
};

static void update_row(void **state)
{
    const struct Row *row = *state;
    const size_t n = row->n;
    struct AdamwStep s = usual;
    s.step = row->step;
    s.decay = row->decay;
    s.scale = row->scale;
    real *w = numbers(n, 1, 0.02), *m = numbers(n, 2, 1e-3);
    real *v = numbers(n, 3, 1e-3), *g = numbers(n, 4, 1e-2);
    square(v, n);
    double *ew = malloc((n + 1) * sizeof *ew), allowed = 1e-30;
    double error = 0, error_m = 0, error_v = 0;
    real *old_g = numbers(n, 4, 1e-2), *old_w = numbers(n, 1, 0.02);
    real *old_m = numbers(n, 2, 1e-3), *old_v = numbers(n, 3, 1e-3);
    square(old_v, n);
    adamw_update(w, m, v, g, n, &s);
    for (size_t i = 0; i < n; i++) {
        double dw = old_w[i], dm = old_m[i], dv = old_v[i];
        exact(&dw, &dm, &dv, g[i], &s);
        real p = plain(old_w[i], old_m[i], old_v[i], g[i], &s);
        allowed = fmax(allowed, 2 * fabs((double)p - dw));
        error = fmax(error, isnan(w[i]) ? INFINITY : fabs(w[i] - dw));
        error_m = fmax(error_m, fabs(m[i] - dm) / (fabs(dm) + 1e-6));
        error_v = fmax(error_v, fabs(v[i] - dv) / (dv + 1e-12));
    }
    double tiny = sizeof(real) == 4 ? 1e-6 : 1e-14;
    if (!(error <= allowed) || !(error_m <= 1e3 * tiny)
        || !(error_v <= tiny))
        fail_msg("err w %g (allowed %g), m %g, v %g", error, allowed,
                 error_m, error_v);
    assert_memory_equal(g, old_g, n * sizeof *g);
    check_guard(w, n);
    check_guard(m, n);
    check_guard(v, n);
    free(w); free(m); free(v); free(g); free(ew);
    free(old_g); free(old_w); free(old_m); free(old_v);
}

/* From zero moments the first step is lr long, whatever the gradient. */
static void first_step_is_lr_long(void **state)
{
    (void)state;
    struct AdamwStep s = usual;
    s.decay = 0;
    for (double size = 1e-4; size < 1e5; size *= 10) {
        real w = 0, m = 0, v = 0, g = (real)-size;
        adamw_update(&w, &m, &v, &g, 1, &s);
        assert_true(fabs(w - s.lr) <= 2e-4 * s.lr);
    }
}

/* Decay acts on the weight, not through the moments. */
static void decay_is_decoupled(void **state)
{
    (void)state;
    struct AdamwStep s = usual;
    s.step = 1000;
    for (double size = 1e-6; size < 10; size *= 10) {
        real w = 3, m = 0, v = (real)size, g = 0;
        adamw_update(&w, &m, &v, &g, 1, &s);
        double pull = 3 - (double)w;
        assert_true(fabs(pull - 3 * s.lr * s.decay) <= 3e-7);
        assert_true(m == 0);
    }
}

/* A gradient that never came (an unused position) moves nothing. */
static void zero_stays_zero(void **state)
{
    (void)state;
    struct AdamwStep s = usual;
    s.decay = 0;
    real w = 1, m = 0, v = 0, g = 0;
    adamw_update(&w, &m, &v, &g, 1, &s);
    assert_true(w == 1 && m == 0 && v == 0);
}

static void clipped_equals_shorter(void **state)
{
    (void)state;
    enum { N = 257 };
    struct AdamwStep s = usual;
    real *w = numbers(N, 1, 1), *m = numbers(N, 2, 1), *v = numbers(N, 3, 1);
    real *w2 = numbers(N, 1, 1), *m2 = numbers(N, 2, 1);
    real *v2 = numbers(N, 3, 1), *g = numbers(N, 4, 1);
    square(v, N);
    square(v2, N);
    s.scale = 0.25;                     /* exact in binary */
    adamw_update(w, m, v, g, N, &s);
    for (int i = 0; i < N; i++)
        g[i] *= (real)0.25;
    s.scale = 1;
    adamw_update(w2, m2, v2, g, N, &s);
    assert_memory_equal(w, w2, N * sizeof *w);
    assert_memory_equal(m, m2, N * sizeof *m);
    assert_memory_equal(v, v2, N * sizeof *v);
    free(w); free(m); free(v); free(g); free(w2); free(m2); free(v2);
}

static void threads_leave_no_trace(void **state)
{
    (void)state;
    const size_t n = 300001;
    real *first = NULL;
    double norm = 0;
    for (int threads = 1; threads <= 5; threads++) {
        omp_set_num_threads(threads);
        real *w = numbers(n, 1, 1), *m = numbers(n, 2, 1);
        real *v = numbers(n, 3, 1), *g = numbers(n, 4, 1);
        square(v, n);
        adamw_update(w, m, v, g, n, &usual);
        double sum = sum_squares(g, n);
        if (first) {
            assert_memory_equal(w, first, n * sizeof *w);
            assert_true(sum == norm);
            free(w);
        } else {
            first = w;
            norm = sum;
        }
        free(m); free(v); free(g);
    }
    free(first);
    omp_set_num_threads(2);
}

/* ---- the norm ---- */

static void sum_row(void **state)
{
    const size_t n = *(const size_t *)*state;
    real *g = numbers(n, 5, 1);
    long double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (long double)g[i] * g[i];
    double got = sum_squares(g, n);
    if (!(fabs(got - (double)sum) <= 1e-13 * (double)sum))
        fail_msg("n = %zu: %.17g, expected %.17Lg", n, got, sum);
    free(g);
}

/* In float the sum would stay at 2^24. */
static void sum_outgrows_float(void **state)
{
    (void)state;
    const size_t n = 17000003;
    real *g = malloc(n * sizeof *g);
    for (size_t i = 0; i < n; i++)
        g[i] = 1;
    assert_true(sum_squares(g, n) == (double)n);
    free(g);
}

/* Products may overflow float, and must not. */
static void sum_of_large(void **state)
{
    (void)state;
    real g[3] = { (real)1e30, (real)1e30, 0 };
    double one = (double)g[0] * (double)g[0];
    assert_true(sum_squares(g, 3) == one + one);
}

static void sum_shows_every_nan(void **state)
{
    (void)state;
    const size_t n = 20011;
    real *g = numbers(n, 5, 1);
    for (size_t at = 0; at < n; at += 997) {
        real was = g[at];
        g[at] = (real)NAN;
        assert_true(isnan(sum_squares(g, n)));
        g[at] = (real)INFINITY;
        assert_true(isinf(sum_squares(g, n)));
        g[at] = was;
    }
    g[n - 1] = (real)NAN;
    assert_true(isnan(sum_squares(g, n)));
    free(g);
}

int main(void)
{
    static struct Row row[] = {
        {      1,    1, 0.1, 1 }, {     33,    1, 0.1, 1 },
        {    257,    2, 0.0, 1 }, {  16384,   10, 0.1, 1 },
        {  16385,  100, 0.1, 0.37 }, { 100003, 5000, 0.5, 1 },
    };
    static size_t sum[] = { 0, 1, 15, 16, 17, 33, 4095, 4096, 4097, 100003 };
    enum { ROWS = sizeof row / sizeof *row, SUMS = sizeof sum / sizeof *sum };
    static char name[ROWS + SUMS][80];
    struct CMUnitTest tests[ROWS + SUMS + 8];
    size_t n = 0;
    for (size_t i = 0; i < ROWS; i++, n++) {
        snprintf(name[n], sizeof name[n],
                 "adamw n=%zu step=%lld decay=%g scale=%g", row[i].n,
                 (long long)row[i].step, row[i].decay, row[i].scale);
        tests[n] = (struct CMUnitTest){ name[n], update_row, NULL, NULL,
                                        &row[i] };
    }
    for (size_t i = 0; i < SUMS; i++, n++) {
        snprintf(name[n], sizeof name[n], "sum_squares n=%zu", sum[i]);
        tests[n] = (struct CMUnitTest){ name[n], sum_row, NULL, NULL,
                                        &sum[i] };
    }
    const struct CMUnitTest others[] = {
        cmocka_unit_test(first_step_is_lr_long),
        cmocka_unit_test(decay_is_decoupled),
        cmocka_unit_test(zero_stays_zero),
        cmocka_unit_test(clipped_equals_shorter),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(sum_outgrows_float),
        cmocka_unit_test(sum_of_large),
        cmocka_unit_test(sum_shows_every_nan),
    };
    memcpy(tests + n, others, sizeof others);
    n = rows_wanted(tests, n + sizeof others / sizeof *others);
    return _cmocka_run_group_tests("adamw", tests, n, NULL, NULL);
}
