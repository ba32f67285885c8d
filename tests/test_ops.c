/* Every operator against the same formula in double.  See tests/rows.h for
 * the rule of the tolerances; tests/wrong holds the wrong code of each row. */
#include <omp.h>

#include "ops_fixture.h"
#include "ops/adamw/adamw.h"
#include "ops/attention/attention.h"
#include "ops/loss/crossentropy.h"
#include "ops/embedding/embedding.h"
#include "ops/gelu/gelu.h"
#include "ops/quantised/quantised.h"
#include "base/formats.h"
#include "ops/layernorm/layernorm.h"
#include "ops/linear/linear.h"
#include "backend/backend.h"
#include "ops/matmul/matmul.h"
#include "ops/residual/residual.h"
#include "ops/kernels/vmath.h"

/* One tensor of a test: ours, where the operators run; host, what it holds
 * or held, between guards; plain, and exact in double. */
struct Three {
    const char *name;
    size_t n;
    real *ours, *host, *plain;
    double *exact;
};

/* Between the operators' memory and the host's copy of it, guards and all. */
static unsigned char *with_guards(real *x)
{
    return (unsigned char *)x - GUARD_BYTES;
}

static void three_send(struct Three *t)
{
    backend_put(with_guards(t->ours), with_guards(t->host),
                t->n * sizeof(real) + 2 * GUARD_BYTES);
}

static void three_fetch(struct Three *t)
{
    backend_get(with_guards(t->host), with_guards(t->ours),
                t->n * sizeof(real) + 2 * GUARD_BYTES);
    if (!backend_ok(NULL))
        fail_msg("%s", backend_current()->failure);
}

static struct Three three(const char *name, size_t n, uint64_t seed,
                          double shift, double size)
{
    struct Three t = { .name = name, .n = n };
    unsigned char *block = backend_alloc(n * sizeof(real) + 2 * GUARD_BYTES,
                                         name);
    t.ours = (real *)(void *)(block + GUARD_BYTES);
    t.host = guarded_noise(n, seed, shift, size);
    t.plain = guarded_copy(t.host, n);
    t.exact = malloc((n + 1) * sizeof *t.exact);
    for (size_t i = 0; i < n; i++)
        t.exact[i] = t.host[i];
    three_send(&t);
    return t;
}

/* An output: NaN until it is written. */
static struct Three three_out(const char *name, size_t n)
{
    return three(name, n, 0, NAN, 0);
}

static void three_free(struct Three *t)
{
    three_fetch(t);
    guarded_free(t->name, t->host);
    guarded_free(t->name, t->plain);
    backend_free(with_guards(t->ours));
    free(t->exact);
}

static void three_check(struct Three *t)
{
    three_fetch(t);
    expect_close(t->name, t->host, t->plain, t->exact, t->n);
    three_free(t);
}

/* ---- exp -------------------------------------------------------------- */

static void vexp_row(const struct Row *row)
{
    const char *all = getenv("VEXP_STEP");      /* 1: every float, minutes */
    uint64_t step = (uint64_t)(all ? atoi(all) : row_int(row, "step"));
    double worst = 0, tiny = 0, at = 0;
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
        if (power < -125 && !(err <= tiny))
            tiny = err;
        if (!(err <= worst)) {
            worst = err;
            at = x;
        }
    }
    if (all)
        printf("# vexp is off by %.3g ulp at most, subnormal by %.3g\n",
               worst, tiny);
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
    int32_t *d_tokens = sent(tokens, (size_t)(B * T) * sizeof *tokens);
    struct Three x = three_out("x", (size_t)(B * T * C));
    struct Three wte = three("wte", (size_t)(V * C), 1, 0, 1);
    struct Three wpe = three("wpe", (size_t)(T * C), 2, 0, 1);
    embedding_fwd(x.ours, d_tokens, wte.ours, wpe.ours, B, T, C);
    plain_embedding_f(x.plain, tokens, wte.host, wpe.host, B, T, C);
    plain_embedding_d(x.exact, tokens, wte.exact, wpe.exact, B, T, C);
    three_check(&x);
    three_free(&wte);
    three_free(&wpe);
    backend_free(d_tokens);
    free(tokens);
}

static void embedding_bwd_row(const struct Row *row)
{
    int B = row_int(row, "B"), T = row_int(row, "T");
    int C = row_int(row, "C"), V = row_int(row, "V");
    int32_t *tokens = some_tokens(B * T, V);
    int32_t *d_tokens = sent(tokens, (size_t)(B * T) * sizeof *tokens);
    struct Three dx = three("dx", (size_t)(B * T * C), 3, 0, 1);
    struct Three dwte = three("dwte", (size_t)(V * C), 1, 0, 1);
    struct Three dwpe = three("dwpe", (size_t)(T * C), 2, 0, 1);
    embedding_bwd(dwte.ours, dwpe.ours, dx.ours, d_tokens, B, T, C);
    plain_embedding_bwd_f(dwte.plain, dwpe.plain, dx.host, tokens, B, T, C);
    plain_embedding_bwd_d(dwte.exact, dwpe.exact, dx.exact, tokens, B, T,
                          C);
    three_check(&dwte);
    three_check(&dwpe);
    three_free(&dx);
    backend_free(d_tokens);
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
    plain_layernorm_f(y.plain, m.plain, r.plain, x.host, w.host, b.host, N,
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
    plain_layernorm_f(y.plain, m.plain, r.plain, x.host, w.host, w.host, N,
                      C);
    plain_layernorm_d(y.exact, m.exact, r.exact, x.exact, w.exact, w.exact,
                      N, C);
    layernorm_bwd(dx.ours, dw.ours, db.ours, dy.ours, x.ours, m.ours,
                  r.ours, w.ours, N, C);
    plain_layernorm_bwd_f(dx.plain, dw.plain, db.plain, dy.host, x.host,
                          m.plain, r.plain, w.host, N, C);
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
    plain_linear_f(y.plain, x.host, w.host, bias ? b.host : NULL, N, C, OC);
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
               add, NULL);
    plain_linear_bwd_f(dx.plain, dw.plain, db.plain, dy.host, x.host,
                       w.host, N, C, OC);
    plain_linear_bwd_d(dx.exact, dw.exact, db.exact, dy.exact, x.exact,
                       w.exact, N, C, OC);
    three_check(&dx);
    three_check(&dw);
    three_check(&db);
    linear_bwd(NULL, w.ours, NULL, dy.ours, x.ours, NULL, N, C, OC, false,
               NULL);
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
    plain_attention_f(y.plain, lse.plain, qkv.host, B, T, C, NH);
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
    plain_attention_f(y.plain, lse.plain, qkv.host, B, T, C, NH);
    plain_attention_d(y.exact, lse.exact, qkv.exact, B, T, C, NH);
    attention_bwd(dqkv.ours, dy.ours, qkv.ours, y.ours, lse.ours, B, T, C,
                  NH);
    plain_attention_bwd_f(dqkv.plain, dy.host, qkv.host, lse.plain, B, T,
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
    plain_gelu_bwd_f(dx.plain, dx.plain, x.host, n);
    gelu_bwd(dx.ours, dx.ours, x.ours, (size_t)n);  /* dx is dy */
    three_check(&dx);
    three_free(&x);
}

static void gelu_both(real *y, real *dx, const real *dy, const real *x,
                      size_t n)
{
    const size_t bytes = n * sizeof *x;
    real *d_x = sent(x, bytes), *d_dy = sent(dy, bytes);
    gelu_fwd(d_x, d_x, n);
    backend_get(y, d_x, bytes);
    backend_put(d_x, x, bytes);
    gelu_bwd(d_dy, d_dy, d_x, n);
    backend_get(dx, d_dy, bytes);
    backend_free(d_x);
    backend_free(d_dy);
}

static void gelu_large(const struct Row *row)
{
    (void)row;
    enum { n = 5 };
    real x[n] = { 1e30f, -1e30f, 3e38f, -13, 0 }, y[n], dx[n];
    const real one[n] = { 1, 1, 1, 1, 1 };
    const real wy[n] = { 1e30f, 0, 3e38f, 0, 0 };
    const real wdx[n] = { 1, 0, 1, 0, 0.5f };
    gelu_both(y, dx, one, x, n);
    for (int i = 0; i < n; i++) {
        if (y[i] != wy[i] || dx[i] != wdx[i])
            fail_msg("gelu(%g) is %g, its derivative %g", (double)x[i],
                     (double)y[i], (double)dx[i]);
    }
    x[0] = NAN;
    gelu_both(y, dx, one, x, n);
    assert_true(isnan(y[0]) && isnan(dx[0]));
}

static void residual_fwd_row(const struct Row *row)
{
    size_t n = (size_t)row_int(row, "n");
    struct Three y = three("y", n, 1, 0, 1), b = three("b", n, 2, 0, 1);
    for (size_t i = 0; i < n; i++) {
        y.plain[i] += b.host[i];
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
    int32_t *d_targets = sent(targets, (size_t)(N) * sizeof *targets);
    struct Three loss = three_out("loss", (size_t)N);
    struct Three lse = three_out("lse", (size_t)N);
    struct Three x = three("logits", (size_t)(N * V), 1,
                           row_number(row, "all", 0), size);
    real peak = (real)row_number(row, "peak", 0);       /* at (n, n mod V) */
    for (int n = 0; n < N && peak > 0; n++) {
        int i = n * V + n % V;
        x.host[i] = x.plain[i] = peak, x.exact[i] = (double)peak;
    }
    three_send(&x);
    crossentropy_fwd(loss.ours, lse.ours, x.ours, d_targets, N, V, V);
    plain_crossentropy_f(loss.plain, lse.plain, x.host, targets, N, V);
    plain_crossentropy_d(loss.exact, lse.exact, x.exact, targets, N, V);
    three_check(&loss);
    three_check(&lse);
    three_free(&x);
    backend_free(d_targets);
    free(targets);
}

static void crossentropy_bwd_row(const struct Row *row)
{
    int N = row_int(row, "N"), V = row_int(row, "V");
    double size = row_number(row, "size", 4);
    real scale = (real)row_number(row, "scale", 1);
    int32_t *targets = some_tokens(N, V);
    int32_t *d_targets = sent(targets, (size_t)(N) * sizeof *targets);
    struct Three loss = three_out("loss", (size_t)N);
    struct Three lse = three_out("lse", (size_t)N);
    struct Three x = three("dlogits", (size_t)(N * V), 1, 0, size);
    crossentropy_fwd(loss.ours, lse.ours, x.ours, d_targets, N, V, V);
    plain_crossentropy_f(loss.plain, lse.plain, x.host, targets, N, V);
    plain_crossentropy_d(loss.exact, lse.exact, x.exact, targets, N, V);
    crossentropy_bwd(x.ours, x.ours, lse.ours, d_targets, scale, N, V, V);
    plain_crossentropy_bwd_f(x.plain, x.plain, lse.plain, targets, scale, N,
                             V);
    plain_crossentropy_bwd_d(x.exact, x.exact, lse.exact, targets,
                             (double)scale, N, V);
    three_check(&x);
    three_free(&loss);
    three_free(&lse);
    backend_free(d_targets);
    free(targets);
}

/* Logits of -inf: classes that cannot be. */
static void crossentropy_masked_row(const struct Row *row)
{
    int N = row_int(row, "N"), V = row_int(row, "V");
    int32_t *targets = some_tokens(N, V);
    int32_t *d_targets = sent(targets, (size_t)N * sizeof *targets);
    struct Three loss = three_out("loss", (size_t)N);
    struct Three lse = three_out("lse", (size_t)N);
    struct Three x = three("logits", (size_t)(N * V), 1, -300, 4);
    for (int i = 0; i < N * V; i++)
        if (i % 3 && i % V != targets[i / V])
            x.host[i] = x.plain[i] = -INFINITY, x.exact[i] = -INFINITY;
    three_send(&x);
    crossentropy_fwd(loss.ours, lse.ours, x.ours, d_targets, N, V, V);
    plain_crossentropy_f(loss.plain, lse.plain, x.host, targets, N, V);
    plain_crossentropy_d(loss.exact, lse.exact, x.exact, targets, N, V);
    crossentropy_bwd(x.ours, x.ours, lse.ours, d_targets, 1, N, V, V);
    plain_crossentropy_bwd_f(x.plain, x.plain, lse.plain, targets, 1, N, V);
    plain_crossentropy_bwd_d(x.exact, x.exact, lse.exact, targets, 1, N, V);
    three_check(&loss);
    three_check(&lse);
    three_check(&x);
    backend_free(d_targets);
    free(targets);
}

/* ---- gemm ------------------------------------------------------------- */

static void gemm_row(const struct Row *row)
{
    int M = row_int(row, "M"), N = row_int(row, "N"), K = row_int(row, "K");
    int ta = row_number(row, "ta", 0) > 0, tb = row_number(row, "tb", 0) > 0;
    int add = row_number(row, "add", 0) > 0;
    struct Three c = three("c", (size_t)(M * N), 4, 0, add ? 1 : NAN);
    struct Three a = three("a", (size_t)(M * K), 1, 0, 1);
    struct Three b = three("b", (size_t)(K * N), 2, 0, 1);
    struct Three bias = three("bias", (size_t)N, 3, 0, 1);
    bool biased = row_number(row, "bias", 0) > 0;
    gemm_bias(c.ours, a.ours, b.ours, biased ? bias.ours : NULL, M, N, K,
              ta * GEMM_TA + tb * GEMM_TB + add * GEMM_ADD);
    plain_gemm_f(c.plain, a.host, b.host, biased ? bias.host : NULL, M, N,
                 K, ta, tb, add);
    plain_gemm_d(c.exact, a.exact, b.exact, biased ? bias.exact : NULL, M,
                 N, K, ta, tb, add);
    three_check(&c);
    three_free(&a);
    three_free(&b);
    three_free(&bias);
}

static void gemm_strided_row(const struct Row *row)
{
    enum { M = 5, N = 37, K = 41, LDA = 47, LDB = 53, LDC = 61 };
    (void)row;
    struct Three c = three("c", M * LDC, 4, 0, 1);
    struct Three a = three("a", M * LDA, 1, 0, 1);
    struct Three b = three("b", K * LDB, 2, 0, 1);
    gemm_strided(c.ours, LDC, a.ours, LDA, b.ours, LDB, NULL, M, N, K, 0);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            real *y = &c.plain[m * LDC + n];
            double *z = &c.exact[m * LDC + n];
            *y = 0;
            *z = 0;
            for (int k = 0; k < K; k++) {
                *y += a.host[m * LDA + k] * b.host[k * LDB + n];
                *z += a.exact[m * LDA + k] * b.exact[k * LDB + n];
            }
        }
    three_check(&c);
    three_free(&a);
    three_free(&b);
}

/* NaN in an input arrives, NaN in an output that is not added to does
 * not, and zero times infinity is not zero. */
static void gemm_nan_row(const struct Row *row)
{
    (void)row;
    const real a[4] = { 0, 1, 0, 0 }, b[4] = { INFINITY, 1, NAN, 2 };
    const real c[4] = { NAN, NAN, NAN, NAN };
    real *d_a = sent(a, sizeof a), *d_b = sent(b, sizeof b);
    real *d_c = sent(c, sizeof c), y[4];
    gemm(d_c, d_a, d_b, 2, 2, 2, 0);
    backend_get(y, d_c, sizeof y);
    assert_true(isnan(y[0]) && y[1] == 2 && isnan(y[2]) && y[3] == 0);
    backend_free(d_a);
    backend_free(d_b);
    backend_free(d_c);
}

/* ---- adamw ------------------------------------------------------------ */

static void adamw_row(const struct Row *row)
{
    int n = row_int(row, "n");
    struct AdamwStep s = { .lr = 1e-2, .beta1 = 0.9, .beta2 = 0.95,
        .eps = 1e-8, .decay = row_number(row, "decay", 0),
        .scale = row_number(row, "scale", 1),
        .step = (int64_t)row_number(row, "step", 1) };
    bool fresh = s.step == 1;
    struct Three w = three("w", (size_t)n, 1, 0, 1);
    struct Three g = three("g", (size_t)n, 2, 0,
                           row_number(row, "size", 1));
    struct Three m = three("m", (size_t)n, 3, 0, fresh ? 0 : 0.1);
    struct Three v = three("v", (size_t)n, 4, fresh ? 0 : 0.02,
                           fresh ? 0 : 0.01);
    adamw_update(w.ours, m.ours, v.ours, g.ours, (size_t)n, &s);
    plain_adamw_f(w.plain, m.plain, v.plain, g.host, n, &s);
    plain_adamw_d(w.exact, m.exact, v.exact, g.exact, n, &s);
    three_check(&w);
    three_check(&m);
    three_check(&v);
    three_free(&g);
}

static void norm_row(const struct Row *row)
{
    int n = row_int(row, "n");
    struct Three g = three("g", (size_t)n, 1, 0,
                           row_number(row, "size", 1));
    double exact = 0, ours = sum_squares(g.ours, (size_t)n);
    for (int i = 0; i < n; i++)
        exact += g.exact[i] * g.exact[i];
    if (!(fabs(ours - exact) <= 1e-13 * exact))
        fail_msg("sum of squares is %.17g, should be %.17g", ours, exact);
    three_free(&g);
}

/* ---- the same bits ---------------------------------------------------- */

/* Sums over rows, equal tokens and whole buffers, run once; what they
 * wrote is appended to out, which has room. */
static size_t run_sums(real *out)
{
    enum { B = 4, T = 40, C = 33, N = B * T, NH = 3, V = 5 };
    struct Three x = three("x", N * 3 * C, 1, 0, 1);
    struct Three dx = three("dx", N * 3 * C, 2, 0, 1);
    struct Three dw = three("dw", V * 3 * C, 3, 0, 1);
    struct Three db = three("db", T * 3 * C, 4, 0, 1);
    struct Three stat = three("stat", 2 * N * NH, 5, 1, 0.5);
    int32_t *tokens = some_tokens(N, V);
    int32_t *d_tokens = sent(tokens, N * sizeof *tokens);
    layernorm_bwd(dx.ours, dw.ours, db.ours, x.ours, x.ours, stat.ours,
                  stat.ours + N, x.ours, N, C);
    embedding_bwd(dw.ours, db.ours, dx.ours, d_tokens, B, T, C);
    linear_bwd(x.ours, dw.ours, db.ours, dx.ours, x.ours + N * C, x.ours
               + 2 * N * C, N, 3, C, true, NULL);
    attention_bwd(x.ours, dx.ours, dx.ours, db.ours, stat.ours, 1, T, C, NH);
    struct Three *all[] = { &x, &dx, &dw, &db };
    size_t n = 0;
    for (int i = 0; i < 4; i++) {
        three_fetch(all[i]);
        memcpy(out + n, all[i]->host, all[i]->n * sizeof *out);
        n += all[i]->n;
        three_free(all[i]);
    }
    double norm = sum_squares(stat.ours, 2 * N * NH);
    memcpy(out + n, &norm, sizeof norm);
    three_free(&stat);
    backend_free(d_tokens);
    free(tokens);
    return n + sizeof norm / sizeof *out;
}

static void same_bits_row(const struct Row *row)
{
    static real first[100000], again[100000];
    (void)row;
    int before = omp_get_max_threads();
    for (int threads = 1; threads <= 5; threads++) {
        omp_set_num_threads(threads);
        size_t n = run_sums(threads == 1 ? first : again);
        if (threads > 1)
            expect_same_bits("sums", again, first, n);
    }
    omp_set_num_threads(before);
}

/* ---- quantised weights ------------------------------------------------- */

/* A matrix w [N][K] in few bits, here (h) and where the operators run (q).
 * The weights of output n are 1 + n times as large, those of group g too. */
struct Few { struct Quantised h, q; real *w; };

static void few_bits(struct Few *f, const struct Row *row)
{
    int bits = row_int(row, "bits"), N = row_int(row, "N"), bad[2];
    int K = row_int(row, "K"), group = row_int(row, "group");
    f->h = (struct Quantised){ bits == 4 ? WEIGHTS_INT4 : WEIGHTS_INT8, N, K,
                               group, NULL, NULL };
    size_t codes = (size_t)N * quantised_row_bytes(&f->h);
    size_t scales = (size_t)N * quantised_groups(&f->h) * sizeof(bf16);
    f->h.codes = malloc(codes);
    f->h.scales = malloc(scales);
    memset(f->h.codes, 0xff, codes);
    memset(f->h.scales, 0xff, scales);
    f->w = malloc((size_t)N * (size_t)K * sizeof *f->w);
    for (int n = 0; n < N; n++)
        for (int k = 0; k < K; k++)
            f->w[k * N + n] = (real)(noise(3, (uint64_t)(n * K + k))
                                     * (1 + n) * (1 + k / group));
    assert_true(quantised_round(&f->h, f->w, 1, (size_t)N, SCALE_AMAX,
                                &bad[0], &bad[1]));
    f->q = f->h;
    f->q.codes = sent(f->h.codes, codes);
    f->q.scales = sent(f->h.scales, scales);
}

static void few_bits_free(struct Few *f)
{
    free(f->h.codes);
    free(f->h.scales);
    free(f->w);
    backend_free(f->q.codes);
    backend_free(f->q.scales);
}

/* Each weight is the nearest that its format has, with a scale that clips
 * nothing and is not larger than it must be. */
static void quantised_round_row(const struct Row *row)
{
    struct Few f;
    few_bits(&f, row);
    const struct Format *format = format_named(
        row_int(row, "bits") == 4 ? "int4" : "int8");
    const double most = format_largest(format);
    for (int n = 0; n < f.h.N; n++)
        for (int k0 = 0; k0 < f.h.K; k0 += f.h.group) {
            double amax = 0;
            const double s = bf16_to_float(f.h.scales[
                (size_t)n * quantised_groups(&f.h)
                + (size_t)(k0 / f.h.group)]);
            for (int k = k0; k < k0 + f.h.group && k < f.h.K; k++)
                amax = fmax(amax, fabs((double)f.w[k * f.h.N + n]));
            if (!(s * most >= amax && s * most <= amax * (1 + 0x1p-7)))
                fail_msg("output %d, weight %d: scale %g for %g", n, k0, s,
                         amax);
            for (int k = k0; k < k0 + f.h.group && k < f.h.K; k++) {
                const double w = (double)f.w[k * f.h.N + n];
                const double got = (double)quantised_value(&f.h, n, k);
                const double want = s * format_round(format, w / s, false);
                if (!(fabs(got - want) <= 1e-6 * amax
                      || fabs(fabs(got - w) - s / 2) <= 1e-5 * s))
                    fail_msg("output %d, weight %d: %g became %g, not %g",
                             n, k, w, got, want);
            }
        }
    few_bits_free(&f);
}

/* A searched scale has a smaller error than amax in most groups, and in
 * none a larger; the largest code clips. */
static void quantised_search_row(const struct Row *row)
{
    struct Few f;
    int bad[2];
    few_bits(&f, row);
    double sum[2] = { 0 };
    bool clipped = false;
    for (int how = 0; how < 2; how++) {
        assert_true(quantised_round(&f.h, f.w, 1, (size_t)f.h.N,
                                    (enum QuantisedScale)how, bad, bad + 1));
        for (int n = 0; n < f.h.N; n++)
            for (int k = 0; k < f.h.K; k++) {
                const double w = (double)f.w[k * f.h.N + n];
                const double off = (double)quantised_value(&f.h, n, k) - w;
                const double s = bf16_to_float(f.h.scales[
                    (size_t)n * quantised_groups(&f.h)
                    + (size_t)(k / f.h.group)]);
                sum[how] += off * off;
                if (how && fabs(off) > 0.51 * s)
                    clipped = true;
                if (!(fabs(off) <= (how ? 3 : 0.51) * s))
                    fail_msg("%g became %g", w, w + off);
            }
    }
    if (!(sum[1] < 0.99 * sum[0] && clipped))
        fail_msg("a square error of %g, not below %g", sum[1], sum[0]);
    few_bits_free(&f);
}

static void quantised_nan_row(const struct Row *row)
{
    (void)row;
    uint8_t codes[3 * 64];
    bf16 scales[3];
    struct Quantised q = { WEIGHTS_INT8, 3, 40, 64, codes, scales };
    real w[3 * 40] = { 0 };
    int n = -1, k = -1;
    assert_true(quantised_round(&q, w, 40, 1, SCALE_AMAX, &n, &k));
    assert_true(quantised_value(&q, 2, 39) == 0);
    w[1 * 40 + 39] = (real)NAN;
    assert_false(quantised_round(&q, w, 40, 1, SCALE_AMAX, &n, &k));
    assert_true(n == 1 && k == 39);
    w[1 * 40 + 39] = (real)INFINITY;
    assert_false(quantised_round(&q, w, 40, 1, SCALE_AMAX, &n, &k));
    assert_false(quantised_group_allowed(0) || quantised_group_allowed(16)
                 || quantised_group_allowed(48)
                 || quantised_group_allowed(-64));
    assert_true(quantised_group_allowed(32) && quantised_group_allowed(1024));
}

static void quantised_linear_row(const struct Row *row)
{
    struct Few f;
    few_bits(&f, row);
    int M = row_int(row, "M"), N = f.h.N, K = f.h.K;
    struct Three x = three("x", (size_t)M * (size_t)K, 1, 0.1, 1);
    struct Three b = three("b", (size_t)N, 2, 0, 100);
    struct Three y = three_out("y", (size_t)M * (size_t)N);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            float s = b.plain[n];
            double d = b.exact[n];
            for (int k = 0; k < K; k++) {
                const double w = (double)quantised_value(&f.h, n, k);
                s += (float)w * (float)x.plain[m * K + k];
                d += w * x.exact[m * K + k];
            }
            y.plain[m * N + n] = (real)s;
            y.exact[m * N + n] = d;
        }
    quantised_linear(y.ours, x.ours, &f.q, b.ours, M);
    three_check(&y);
    three_free(&x);
    three_free(&b);
    few_bits_free(&f);
}

/* A row gives the same bits alone as among eleven, with and without b. */
static void quantised_alone_row(const struct Row *row)
{
    struct Few f;
    few_bits(&f, row);
    enum { M = 11 };
    size_t N = (size_t)f.h.N, K = (size_t)f.h.K;
    struct Three x = three("x", M * K, 1, 0, 1);
    struct Three all = three_out("all", M * N), one = three_out("one", M * N);
    quantised_linear(all.ours, x.ours, &f.q, NULL, M);
    for (size_t m = 0; m < M; m++)
        quantised_linear(one.ours + m * N, x.ours + m * K, &f.q, NULL, 1);
    three_fetch(&all);
    three_fetch(&one);
    expect_same_bits("one", one.host, all.host, M * N);
    three_free(&x);
    three_free(&all);
    three_free(&one);
    few_bits_free(&f);
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
{ "embedding_bwd B=2 T=70 C=5 V=2", embedding_bwd_row,
  "chains of equal tokens that end at a warp's 32" },
{ "embedding_bwd B=1 T=100 C=300 V=300", embedding_bwd_row,
  "tokens that occur once; more columns than threads" },
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
{ "sums give the same bits with 1 to 5 threads", same_bits_row,
  "one piece for each thread; a float atomic" },
{ "linear_fwd N=33 C=48 OC=131 bias=1", linear_fwd_row,
  "w read as [OC][C]" },
{ "linear_fwd N=1 C=257 OC=33 bias=0", linear_fwd_row,
  "y not cleared without a bias" },
{ "quantised_round bits=8 N=5 K=160 group=64", quantised_round_row,
  "a scale rounded down: the largest weight clipped; one scale for a row" },
{ "quantised_round bits=4 N=7 K=100 group=32", quantised_round_row,
  "two codes of a byte exchanged" },
{ "quantised_search bits=4 N=40 K=256 group=64", quantised_search_row,
  "codes beyond the largest that wrap; the largest error kept" },
{ "quantised_round refuses NaN", quantised_nan_row,
  "0/0 in a group of zeros; NaN that becomes a code" },
{ "quantised_linear bits=8 M=1 N=37 K=256 group=32", quantised_linear_row,
  "the scale of the group before" },
{ "quantised_linear bits=8 M=3 N=5 K=100 group=64", quantised_linear_row,
  "weights after the last one are not zero; x read beyond its end" },
{ "quantised_linear bits=4 M=1 N=33 K=384 group=128", quantised_linear_row,
  "the nibbles without their sign" },
{ "quantised_linear bits=4 M=5 N=18 K=1100 group=32", quantised_linear_row,
  "one scale for a block of 128; a second round of a warp" },
{ "quantised_linear bits=4 M=9 N=3 K=20 group=64", quantised_linear_row,
  "a ninth row; a scale read beyond the last" },
{ "quantised_alone bits=8 N=9 K=288 group=64", quantised_alone_row,
  "another order of sums for one row" },
{ "quantised_alone bits=4 N=9 K=288 group=128", quantised_alone_row,
  "the same" },
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
{ "attention_fwd B=1 T=65 C=256 NH=2", attention_fwd_row,
  "a head of more than 64; a third tile" },
{ "attention_bwd B=1 T=65 C=256 NH=2", attention_bwd_row,
  "shared memory beyond 48 KB not asked for" },
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
{ "crossentropy_fwd N=261 V=261 peak=1e4", crossentropy_fwd_row,
  "a maximum that leaves one column out" },
{ "crossentropy_fwd N=3 V=300 with -inf", crossentropy_masked_row,
  "a maximum that begins at 0; -inf minus -inf" },
{ "crossentropy_bwd N=33 V=257", crossentropy_bwd_row,
  "no one at the target" },
{ "crossentropy_bwd N=3 V=33 size=1e4", crossentropy_bwd_row,
  "exp(x) / exp(lse): infinity over infinity" },
{ "crossentropy_bwd N=1 V=1", crossentropy_bwd_row,
  "one class: the gradient is zero" },
{ "crossentropy_bwd N=7 V=131 scale=0.25", crossentropy_bwd_row,
  "scale forgotten at the target" },
{ "gemm M=33 N=65 K=131 ta=0 tb=0", gemm_row,
  "an edge tile reads past the end" },
{ "gemm M=33 N=65 K=131 ta=0 tb=1", gemm_row,
  "b transposed: rows for columns" },
{ "gemm M=33 N=65 K=131 ta=1 tb=0", gemm_row,
  "a transposed: ld of the other one" },
{ "gemm M=33 N=65 K=131 ta=1 tb=1", gemm_row,
  "both transposed: the last tile of K" },
{ "gemm M=1 N=1 K=1", gemm_row, "tiles of 32 written whole" },
{ "gemm M=64 N=32 K=64 add=1", gemm_row, "c overwritten when adding" },
{ "gemm M=40 N=7 K=33 bias=1", gemm_row, "the bias taken by row" },
{ "gemm M=3 N=34 K=0 bias=1", gemm_row, "no terms: c not written" },
{ "gemm M=3 N=34 K=0 add=1", gemm_row, "no terms, added: c cleared" },
{ "gemm on parts of larger matrices", gemm_strided_row,
  "a distance between rows taken from the sizes" },
{ "gemm and numbers that are none", gemm_nan_row,
  "0 times infinity left out; 0 times the old c" },
{ "adamw n=1031 step=1 decay=0.1", adamw_row, "no bias correction" },
{ "adamw n=33 step=100 scale=0.25 decay=0.1", adamw_row,
  "the gradient not scaled; decay of the moved weight" },
{ "adamw n=257 step=1 size=0", adamw_row, "0/0 where nothing moved" },
{ "adamw n=1 step=2 size=1e15", adamw_row, "eps inside the root" },
{ "norm n=1", norm_row, "an element left out" },
{ "norm n=70001", norm_row, "a second round of blocks forgotten" },
{ "norm n=1000 size=1e18", norm_row, "squares in float" },
};

int main(void)
{
    return rows_run("ops", rows, sizeof rows / sizeof *rows);
}
