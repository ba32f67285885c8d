/* Every operator against the same formula in double.  See tests/rows.h for
 * the rule of the tolerances; tests/wrong holds the wrong code of each row. */
#include <omp.h>

#include "rows.h"
#include "ops/attention.h"
#include "ops/crossentropy.h"
#include "ops/embedding.h"
#include "ops/gelu.h"
#include "ops/layernorm.h"
#include "ops/linear.h"
#include "ops/residual.h"
#include "ops/vmath.h"

#pragma GCC diagnostic ignored "-Wunused-function"

#define P float
#define F(name) name##_f
#define EXP expf
#define TANH tanhf
#include "plain_ops.h"
#undef P
#undef F
#undef EXP
#undef TANH
#define P double
#define F(name) name##_d
#define EXP exp
#define TANH tanh
#include "plain_ops.h"

/* One tensor of a test: ours between guards, plain, and exact in double. */
struct Three {
    const char *name;
    size_t n;
    real *ours, *plain;
    double *exact;
};

static struct Three three(const char *name, size_t n, uint64_t seed,
                          double shift, double size)
{
    struct Three t = { name, n, NULL, NULL, NULL };
    t.ours = guarded_noise(n, seed, shift, size);
    t.plain = guarded_copy(t.ours, n);
    t.exact = malloc((n + 1) * sizeof *t.exact);
    for (size_t i = 0; i < n; i++)
        t.exact[i] = t.ours[i];
    return t;
}

/* An output: NaN until it is written. */
static struct Three three_out(const char *name, size_t n)
{
    return three(name, n, 0, NAN, 0);
}

static void three_free(struct Three *t)
{
    guarded_free(t->name, t->ours);
    guarded_free(t->name, t->plain);
    free(t->exact);
}

static void three_check(struct Three *t)
{
    expect_close(t->name, t->ours, t->plain, t->exact, t->n);
    three_free(t);
}

static int32_t *some_tokens(int n, int V)
{
    int32_t *t = malloc((size_t)n * sizeof *t);
    for (int i = 0; i < n; i++)
        t[i] = (int32_t)((noise(77, (uint64_t)i) + 1) / 2 * V);
    t[n - 1] = (int32_t)(V - 1);
    return t;
}

/* ---- exp -------------------------------------------------------------- */

static void vexp_row(const struct Row *row)
{
    uint64_t step = (uint64_t)row_int(row, "step");
    double worst = 0, at = 0;
    for (uint64_t b = 0; b < 1ull << 32; b += step) {
        uint32_t bits = (uint32_t)b;
        float x, y;
        memcpy(&x, &bits, sizeof x);
        y = (float)vexp(x);
        double e = exp((double)x);
        if (isnan(x) ? !isnan(y) : e > 3.40282357e38 && y != INFINITY)
            fail_msg("vexp(%a) is %a", (double)x, (double)y);
        if (isnan(x) || e > 3.40282357e38)
            continue;
        int power;
        frexp(e, &power);
        double unit = ldexp(1, power - 24 < -149 ? -149 : power - 24);
        double err = fabs((double)y - e) / unit;
        if (!(err <= worst)) {
            worst = err;
            at = x;
        }
    }
    if (!(worst <= 1.3))
        fail_msg("vexp(%.9g) is off by %.3f ulp, allowed 1.3", at, worst);
}

static void vexp_special(const struct Row *row)
{
    (void)row;
    const float big = 3.40282347e38f;
    assert_true(isnan(vexp(NAN)));
    assert_true(vexp(INFINITY) == INFINITY && vexp(big) == INFINITY);
    assert_true(vexp(-INFINITY) == 0 && vexp(-big) == 0);
    assert_true(vexp(0) == 1 && vexp(-0.0f) == 1 && vexp(1e-45f) == 1);
    assert_true(vexp(-103.0f) == 1.40129846e-45f);    /* the smallest */
    assert_true(vsigmoid(0) == 0.5f && isnan(vsigmoid(NAN)));
    assert_true(vsigmoid(-INFINITY) == 0 && vsigmoid(INFINITY) == 1);
    assert_true(vsigmoid(-200) == 0 && vsigmoid(200) == 1);
}

/* ---- embedding -------------------------------------------------------- */

static void embedding_fwd_row(const struct Row *row)
{
    int B = row_int(row, "B"), T = row_int(row, "T");
    int C = row_int(row, "C"), V = row_int(row, "V");
    int32_t *tokens = some_tokens(B * T, V);
    struct Three x = three_out("x", (size_t)(B * T * C));
    struct Three wte = three("wte", (size_t)(V * C), 1, 0, 1);
    struct Three wpe = three("wpe", (size_t)(T * C), 2, 0, 1);
    embedding_fwd(x.ours, tokens, wte.ours, wpe.ours, B, T, C);
    plain_embedding_f(x.plain, tokens, wte.ours, wpe.ours, B, T, C);
    plain_embedding_d(x.exact, tokens, wte.exact, wpe.exact, B, T, C);
    three_check(&x);
    three_free(&wte);
    three_free(&wpe);
    free(tokens);
}

static void embedding_bwd_row(const struct Row *row)
{
    int B = row_int(row, "B"), T = row_int(row, "T");
    int C = row_int(row, "C"), V = row_int(row, "V");
    int32_t *tokens = some_tokens(B * T, V);
    struct Three dx = three("dx", (size_t)(B * T * C), 3, 0, 1);
    struct Three dwte = three("dwte", (size_t)(V * C), 1, 0, 1);
    struct Three dwpe = three("dwpe", (size_t)(T * C), 2, 0, 1);
    embedding_bwd(dwte.ours, dwpe.ours, dx.ours, tokens, B, T, C);
    plain_embedding_bwd_f(dwte.plain, dwpe.plain, dx.ours, tokens, B, T, C);
    plain_embedding_bwd_d(dwte.exact, dwpe.exact, dx.exact, tokens, B, T,
                          C);
    three_check(&dwte);
    three_check(&dwpe);
    three_free(&dx);
    free(tokens);
}

/* ---- layernorm -------------------------------------------------------- */

static void layernorm_fwd_row(const struct Row *row)
{
    int N = row_int(row, "N"), C = row_int(row, "C");
    double mean = row_number(row, "mean", 0), std = row_number(row, "std", 1);
    struct Three y = three_out("y", (size_t)(N * C));
    struct Three m = three_out("mean", (size_t)N);
    struct Three r = three_out("rstd", (size_t)N);
    struct Three x = three("x", (size_t)(N * C), 1, mean, std * 1.7320508);
    struct Three w = three("w", (size_t)C, 2, 1, 0.5);
    struct Three b = three("b", (size_t)C, 3, 0, 1);
    layernorm_fwd(y.ours, m.ours, r.ours, x.ours, w.ours, b.ours, N, C);
    plain_layernorm_f(y.plain, m.plain, r.plain, x.ours, w.ours, b.ours, N,
                      C);
    plain_layernorm_d(y.exact, m.exact, r.exact, x.exact, w.exact, b.exact,
                      N, C);
    three_check(&y);
    three_check(&m);
    three_check(&r);
    three_free(&x);
    three_free(&w);
    three_free(&b);
}

static void layernorm_bwd_row(const struct Row *row)
{
    int N = row_int(row, "N"), C = row_int(row, "C");
    size_t n = (size_t)(N * C);
    double mean = row_number(row, "mean", 0);
    struct Three y = three_out("y", n), m = three_out("mean", (size_t)N);
    struct Three r = three_out("rstd", (size_t)N);
    struct Three x = three("x", n, 1, mean, 1.7320508);
    struct Three w = three("w", (size_t)C, 2, 1, 0.5);
    struct Three dy = three("dy", n, 4, 0, 1), dx = three("dx", n, 5, 0, 1);
    struct Three dw = three("dw", (size_t)C, 6, 0, 1);
    struct Three db = three("db", (size_t)C, 7, 0, 1);
    layernorm_fwd(y.ours, m.ours, r.ours, x.ours, w.ours, w.ours, N, C);
    plain_layernorm_f(y.plain, m.plain, r.plain, x.ours, w.ours, w.ours, N,
                      C);
    plain_layernorm_d(y.exact, m.exact, r.exact, x.exact, w.exact, w.exact,
                      N, C);
    layernorm_bwd(dx.ours, dw.ours, db.ours, dy.ours, x.ours, m.ours,
                  r.ours, w.ours, N, C);
    plain_layernorm_bwd_f(dx.plain, dw.plain, db.plain, dy.ours, x.ours,
                          m.plain, r.plain, w.ours, N, C);
    plain_layernorm_bwd_d(dx.exact, dw.exact, db.exact, dy.exact, x.exact,
                          m.exact, r.exact, w.exact, N, C);
    three_check(&dx);
    three_check(&dw);
    three_check(&db);
    three_free(&y);
    three_free(&m);
    three_free(&r);
    three_free(&x);
    three_free(&w);
    three_free(&dy);
}

/* ---- linear ----------------------------------------------------------- */

static void linear_fwd_row(const struct Row *row)
{
    int N = row_int(row, "N"), C = row_int(row, "C");
    int OC = row_int(row, "OC"), bias = row_int(row, "bias");
    struct Three y = three_out("y", (size_t)(N * OC));
    struct Three x = three("x", (size_t)(N * C), 1, 0, 1);
    struct Three w = three("w", (size_t)(C * OC), 2, 0, 1);
    struct Three b = three("b", (size_t)OC, 3, 0, 1);
    linear_fwd(y.ours, x.ours, w.ours, bias ? b.ours : NULL, N, C, OC);
    plain_linear_f(y.plain, x.ours, w.ours, bias ? b.ours : NULL, N, C, OC);
    plain_linear_d(y.exact, x.exact, w.exact, bias ? b.exact : NULL, N, C,
                   OC);
    three_check(&y);
    three_free(&x);
    three_free(&w);
    three_free(&b);
}

static void linear_bwd_row(const struct Row *row)
{
    int N = row_int(row, "N"), C = row_int(row, "C");
    int OC = row_int(row, "OC"), add = row_int(row, "accumulate");
    double before = add ? 1 : NAN;
    struct Three dx = three_out("dx", (size_t)(N * C));
    struct Three dw = three("dw", (size_t)(C * OC), 4, 0, before);
    struct Three db = three("db", (size_t)OC, 5, 0, before);
    struct Three dy = three("dy", (size_t)(N * OC), 1, 0, 1);
    struct Three x = three("x", (size_t)(N * C), 2, 0, 1);
    struct Three w = three("w", (size_t)(C * OC), 3, 0, 1);
    if (!add) {                     /* the plain versions always add */
        memset(dw.plain, 0, dw.n * sizeof *dw.plain);
        memset(db.plain, 0, db.n * sizeof *db.plain);
        memset(dw.exact, 0, dw.n * sizeof *dw.exact);
        memset(db.exact, 0, db.n * sizeof *db.exact);
    }
    linear_bwd(dx.ours, dw.ours, db.ours, dy.ours, x.ours, w.ours, N, C, OC,
               add);
    plain_linear_bwd_f(dx.plain, dw.plain, db.plain, dy.ours, x.ours,
                       w.ours, N, C, OC);
    plain_linear_bwd_d(dx.exact, dw.exact, db.exact, dy.exact, x.exact,
                       w.exact, N, C, OC);
    three_check(&dx);
    three_check(&dw);
    three_check(&db);
    linear_bwd(NULL, w.ours, NULL, dy.ours, x.ours, NULL, N, C, OC, false);
    three_free(&dy);
    three_free(&x);
    three_free(&w);
}

/* ---- attention -------------------------------------------------------- */

static void attention_fwd_row(const struct Row *row)
{
    int B = row_int(row, "B"), T = row_int(row, "T");
    int C = row_int(row, "C"), NH = row_int(row, "NH");
    double size = row_number(row, "size", 1);
    struct Three y = three_out("y", (size_t)(B * T * C));
    struct Three lse = three_out("lse", (size_t)(B * NH * T));
    struct Three qkv = three("qkv", (size_t)(B * T * 3 * C), 1, 0, size);
    attention_fwd(y.ours, lse.ours, qkv.ours, B, T, C, NH);
    plain_attention_f(y.plain, lse.plain, qkv.ours, B, T, C, NH);
    plain_attention_d(y.exact, lse.exact, qkv.exact, B, T, C, NH);
    three_check(&y);
    three_check(&lse);
    three_free(&qkv);
}

static void attention_bwd_row(const struct Row *row)
{
    int B = row_int(row, "B"), T = row_int(row, "T");
    int C = row_int(row, "C"), NH = row_int(row, "NH");
    double size = row_number(row, "size", 1);
    struct Three y = three_out("y", (size_t)(B * T * C));
    struct Three lse = three_out("lse", (size_t)(B * NH * T));
    struct Three qkv = three("qkv", (size_t)(B * T * 3 * C), 1, 0, size);
    struct Three dy = three("dy", (size_t)(B * T * C), 2, 0, 1);
    struct Three dqkv = three_out("dqkv", (size_t)(B * T * 3 * C));
    attention_fwd(y.ours, lse.ours, qkv.ours, B, T, C, NH);
    plain_attention_f(y.plain, lse.plain, qkv.ours, B, T, C, NH);
    plain_attention_d(y.exact, lse.exact, qkv.exact, B, T, C, NH);
    attention_bwd(dqkv.ours, dy.ours, qkv.ours, y.ours, lse.ours, B, T, C,
                  NH);
    plain_attention_bwd_f(dqkv.plain, dy.ours, qkv.ours, lse.plain, B, T,
                          C, NH);
    plain_attention_bwd_d(dqkv.exact, dy.exact, qkv.exact, lse.exact, B, T,
                          C, NH);
    three_check(&dqkv);
    three_free(&y);
    three_free(&lse);
    three_free(&qkv);
    three_free(&dy);
}

/* ---- elementwise ------------------------------------------------------ */

static void gelu_fwd_row(const struct Row *row)
{
    int n = row_int(row, "n");
    struct Three y = three("y", (size_t)n, 1, 0,
                           row_number(row, "size", 5));
    plain_gelu_d(y.exact, y.exact, n);
    plain_gelu_f(y.plain, y.plain, n);
    gelu_fwd(y.ours, y.ours, (size_t)n);        /* in place */
    three_check(&y);
}

static void gelu_bwd_row(const struct Row *row)
{
    int n = row_int(row, "n");
    struct Three x = three("x", (size_t)n, 1, 0, 5);
    struct Three dx = three("dx", (size_t)n, 2, 0, 1);
    plain_gelu_bwd_d(dx.exact, dx.exact, x.exact, n);
    plain_gelu_bwd_f(dx.plain, dx.plain, x.ours, n);
    gelu_bwd(dx.ours, dx.ours, x.ours, (size_t)n);  /* dx is dy */
    three_check(&dx);
    three_free(&x);
}

static void gelu_large(const struct Row *row)
{
    (void)row;
    enum { n = 5 };
    real x[n] = { 1e30f, -1e30f, 3e38f, -13, 0 }, y[n], dx[n];
    const real one[n] = { 1, 1, 1, 1, 1 };
    const real wy[n] = { 1e30f, 0, 3e38f, 0, 0 };
    const real wdx[n] = { 1, 0, 1, 0, 0.5f };
    gelu_fwd(y, x, n);
    gelu_bwd(dx, one, x, n);
    for (int i = 0; i < n; i++) {
        if (y[i] != wy[i] || dx[i] != wdx[i])
            fail_msg("gelu(%g) is %g, its derivative %g", (double)x[i],
                     (double)y[i], (double)dx[i]);
    }
    x[0] = NAN;
    gelu_fwd(y, x, n);
    gelu_bwd(dx, one, x, n);
    assert_true(isnan(y[0]) && isnan(dx[0]));
}

static void residual_fwd_row(const struct Row *row)
{
    size_t n = (size_t)row_int(row, "n");
    struct Three y = three("y", n, 1, 0, 1), b = three("b", n, 2, 0, 1);
    for (size_t i = 0; i < n; i++) {
        y.plain[i] += b.ours[i];
        y.exact[i] += b.exact[i];
    }
    residual_fwd(y.ours, y.ours, b.ours, n);    /* in place */
    three_check(&y);
    three_free(&b);
}

/* ---- crossentropy ----------------------------------------------------- */

static void crossentropy_fwd_row(const struct Row *row)
{
    int N = row_int(row, "N"), V = row_int(row, "V");
    double size = row_number(row, "size", 4);
    int32_t *targets = some_tokens(N, V);
    struct Three loss = three_out("loss", (size_t)N);
    struct Three lse = three_out("lse", (size_t)N);
    struct Three x = three("logits", (size_t)(N * V), 1,
                           row_number(row, "all", 0), size);
    crossentropy_fwd(loss.ours, lse.ours, x.ours, targets, N, V);
    plain_crossentropy_f(loss.plain, lse.plain, x.ours, targets, N, V);
    plain_crossentropy_d(loss.exact, lse.exact, x.exact, targets, N, V);
    three_check(&loss);
    three_check(&lse);
    three_free(&x);
    free(targets);
}

static void crossentropy_bwd_row(const struct Row *row)
{
    int N = row_int(row, "N"), V = row_int(row, "V");
    double size = row_number(row, "size", 4);
    real scale = (real)row_number(row, "scale", 1);
    int32_t *targets = some_tokens(N, V);
    struct Three loss = three_out("loss", (size_t)N);
    struct Three lse = three_out("lse", (size_t)N);
    struct Three x = three("dlogits", (size_t)(N * V), 1, 0, size);
    crossentropy_fwd(loss.ours, lse.ours, x.ours, targets, N, V);
    plain_crossentropy_f(loss.plain, lse.plain, x.ours, targets, N, V);
    plain_crossentropy_d(loss.exact, lse.exact, x.exact, targets, N, V);
    crossentropy_bwd(x.ours, x.ours, lse.ours, targets, scale, N, V);
    plain_crossentropy_bwd_f(x.plain, x.plain, lse.plain, targets, scale, N,
                             V);
    plain_crossentropy_bwd_d(x.exact, x.exact, lse.exact, targets,
                             (double)scale, N, V);
    three_check(&x);
    three_free(&loss);
    three_free(&lse);
    free(targets);
}

/* ---- threads ---------------------------------------------------------- */

static real *layernorm_dw(void)
{
    enum { N = 100, C = 33 };
    real *x = guarded_noise(N * C, 1, 0, 1), *dx = guarded_copy(x, N * C);
    real *dw = guarded_noise(2 * C, 2, 0, 1);
    real *m = guarded_noise(2 * N, 3, 1, 0.5);
    layernorm_bwd(dx, dw, dw + C, x, x, m, m + N, x, N, C);
    guarded_free("x", x);
    guarded_free("dx", dx);
    guarded_free("m", m);
    return dw;
}

static void threads_row(const struct Row *row)
{
    (void)row;
    int before = omp_get_max_threads();
    real *first = NULL;
    for (int threads = 1; threads <= 5; threads++) {
        omp_set_num_threads(threads);
        real *dw = layernorm_dw();
        if (first)
            expect_same_bits("dw", dw, first, 2 * 33);
        guarded_free("dw", first ? dw : guarded_copy(dw, 1));
        first = first ? first : dw;
    }
    guarded_free("dw", first);
    omp_set_num_threads(before);
}

static const struct Row rows[] = {
{ "vexp step=997", vexp_row,
  "one term of the series short; log 2 in a single constant" },
{ "vexp special values", vexp_special,
  "a clamp that turns NaN into a number; 2^n in one factor" },
{ "embedding_fwd B=3 T=19 C=48 V=7", embedding_fwd_row,
  "the position counted over the batch" },
{ "embedding_fwd B=1 T=1 C=1 V=1", embedding_fwd_row,
  "wpe left out" },
{ "embedding_bwd B=3 T=19 C=48 V=7", embedding_bwd_row,
  "= for +=: the last of equal tokens wins" },
{ "embedding_bwd B=1 T=2 C=80 V=3", embedding_bwd_row,
  "a strip of 64 columns that reaches into the next row" },
{ "layernorm_fwd N=1 C=768", layernorm_fwd_row,
  "variance over C - 1" },
{ "layernorm_fwd N=257 C=33", layernorm_fwd_row,
  "w and b taken by n" },
{ "layernorm_fwd N=33 C=48 std=1e-3", layernorm_fwd_row,
  "epsilon added to the standard deviation" },
{ "layernorm_fwd N=64 C=768 mean=1000", layernorm_fwd_row,
  "one-pass variance" },
{ "layernorm_fwd N=3 C=1", layernorm_fwd_row,
  "no epsilon: 0/0 in a row of equal numbers" },
{ "layernorm_bwd N=1 C=33", layernorm_bwd_row,
  "dx = for +=" },
{ "layernorm_bwd N=33 C=48", layernorm_bwd_row,
  "the mean of g left out; the last, ragged piece forgotten" },
{ "layernorm_bwd N=2000 C=16", layernorm_bwd_row,
  "pieces of 16 rows, but only 64 of them" },
{ "layernorm_bwd N=64 C=96 mean=100", layernorm_bwd_row,
  "x for x - mean" },
{ "layernorm_bwd threads 1 to 5 give the same bits", threads_row,
  "one piece for each thread" },
{ "linear_fwd N=33 C=48 OC=131 bias=1", linear_fwd_row,
  "w read as [OC][C]" },
{ "linear_fwd N=1 C=257 OC=33 bias=0", linear_fwd_row,
  "y not cleared without a bias" },
{ "linear_bwd N=33 C=48 OC=131 accumulate=0", linear_bwd_row,
  "db added to what was there" },
{ "linear_bwd N=7 C=33 OC=257 accumulate=1", linear_bwd_row,
  "dw overwritten when accumulating; rows beyond a multiple of 4 lost" },
{ "attention_fwd B=1 T=1 C=1 NH=1", attention_fwd_row,
  "attends to the positions before itself only" },
{ "attention_fwd B=3 T=19 C=48 NH=3", attention_fwd_row,
  "heads strided by C; a last block of 16 queries written whole" },
{ "attention_fwd B=2 T=33 C=160 NH=2", attention_fwd_row,
  "head size 64 in the scale" },
{ "attention_fwd B=1 T=64 C=128 NH=2", attention_fwd_row,
  "the mask starts one late: a query sees its future" },
{ "attention_fwd B=2 T=17 C=33 NH=3", attention_fwd_row,
  "head sizes that are no multiple of 16" },
{ "attention_fwd B=1 T=33 C=48 NH=3 size=100", attention_fwd_row,
  "exp without subtracting the maximum" },
{ "attention_bwd B=1 T=1 C=1 NH=1", attention_bwd_row,
  "dqkv added to what was there" },
{ "attention_bwd B=3 T=19 C=48 NH=3", attention_bwd_row,
  "no delta" },
{ "attention_bwd B=2 T=33 C=160 NH=2", attention_bwd_row,
  "no 1/sqrt(HS) in ds" },
{ "attention_bwd B=1 T=64 C=128 NH=2", attention_bwd_row,
  "dk from p for ds" },
{ "attention_bwd B=2 T=17 C=33 NH=3", attention_bwd_row,
  "the columns left over start one early" },
{ "attention_bwd B=1 T=33 C=48 NH=3 size=10", attention_bwd_row,
  "lse without the maximum" },
{ "gelu_fwd n=1", gelu_fwd_row, "the erf form" },
{ "gelu_fwd n=8193", gelu_fwd_row, "every piece takes 8192" },
{ "gelu_bwd n=33", gelu_bwd_row, "the cube's derivative without its 3" },
{ "gelu_bwd n=8193", gelu_bwd_row, "a piece reads x from the start" },
{ "gelu at 1e30, -1e30, 3e38, -13, 0, NaN", gelu_large,
  "no clamp: infinity times zero" },
{ "residual_fwd n=1", residual_fwd_row, "n - 1 elements" },
{ "residual_fwd n=8193", residual_fwd_row, "every piece takes 8192" },
{ "crossentropy_fwd N=1 V=1", crossentropy_fwd_row,
  "loss is -log(p + 1e-6)" },
{ "crossentropy_fwd N=33 V=257", crossentropy_fwd_row,
  "the target of row 0 for every row; classes beyond a multiple of 16" },
{ "crossentropy_fwd N=3 V=33 size=1e4", crossentropy_fwd_row,
  "exp without subtracting the maximum" },
{ "crossentropy_fwd N=2 V=50257", crossentropy_fwd_row,
  "a target read as 16 bits with a sign" },
{ "crossentropy_fwd N=3 V=131 all=3e4 size=0", crossentropy_fwd_row,
  "loss rounded as lse - logit" },
{ "crossentropy_bwd N=33 V=257", crossentropy_bwd_row,
  "no one at the target" },
{ "crossentropy_bwd N=3 V=33 size=1e4", crossentropy_bwd_row,
  "exp(x) / exp(lse): infinity over infinity" },
{ "crossentropy_bwd N=1 V=1", crossentropy_bwd_row,
  "one class: the gradient is zero" },
{ "crossentropy_bwd N=7 V=131 scale=0.25", crossentropy_bwd_row,
  "scale forgotten at the target" },
};

int main(void)
{
    return rows_run("ops", rows, sizeof rows / sizeof *rows);
}
