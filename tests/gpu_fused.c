/* The operators in bf16 that move bytes, against the same formulas in
 * double.  They exist on a GPU only, real or simulated.  Inputs are bf16
 * numbers, exact in float and in double. */
#include "ops_fixture.h"
#include "base/rng.h"
#include "ops/adamw/adamw.h"
#include "ops/loss/classifier_bf16.h"
#include "ops/linear/bias_grad_bf16.h"
#include "ops/embedding/embedding_bf16.h"
#include "ops/gelu/gelu_bf16.h"
#include "ops/layernorm/layernorm_bf16.h"
#include "backend/backend.h"
#include "tensor.h"

/* The distance of two neighbours of size x in t's numbers. */
static double unit(const struct Tensor *t, double x)
{
    int power;
    frexp(x, &power);
    return ldexp(1, (power > -125 ? power : -125) - (t->each == 4 ? 24 : 8));
}

/* The rule: ours may be off by twice what the plain version in float,
 * rounded to t's type, is off: in each element twice half a unit of it,
 * or of the plain version's largest error; and in the root mean square. */
static void tensor_expect(struct Tensor *t)
{
    double off = 0, square = 0, off_square = 0, largest = 0;
    tensor_fetch(t);
    for (size_t i = 0; i < t->n; i++) {
        double f = fabs((double)t->plain[i] - t->exact[i]);
        double size = fabs(t->exact[i]);
        off = f > off ? f : off;
        if (isfinite(size))
            largest = size > largest ? size : largest;
    }
    off = off > ldexp(largest, -22) ? off : ldexp(largest, -22);
    for (size_t i = 0; i < t->n; i++) {
        double ours = tensor_at(t, i), e = fabs(ours - t->exact[i]);
        double half = unit(t, t->exact[i]) / 2;
        if (ours == t->exact[i] || (isnan(ours) && isnan(t->exact[i])))
            continue;
        if (!(e <= 2 * (half + off)))
            fail_msg("%s[%zu] is %.9g, should be %.9g: err %.3g, allowed "
                     "%.3g", t->name, i, ours, t->exact[i], e,
                     2 * (half + off));
        square += e * e;
        off_square += (half / 2 + off) * (half / 2 + off);
    }
    if (!(square <= 4 * off_square))
        fail_msg("%s: root mean square err %.3g, allowed %.3g", t->name,
                 sqrt(square / (double)t->n),
                 2 * sqrt(off_square / (double)t->n));
}

/* Of two that were fetched: are they the same bytes? */
static bool tensor_same(const struct Tensor *a, const struct Tensor *b)
{
    return memcmp(a->host, b->host, a->n * a->each + 2 * GUARD_BYTES) == 0;
}

static void tensor_check(struct Tensor *t)
{
    tensor_expect(t);
    tensor_free(t);
}

/* ---- layernorm -------------------------------------------------------- */

static void layernorm_fwd_row(const struct Row *row)
{
    int N = row_int(row, "N"), C = row_int(row, "C");
    size_t n = (size_t)N * (size_t)C;
    struct Tensor y = out16("y", n);
    struct Tensor m = out32("mean", (size_t)N), r = out32("rstd", (size_t)N);
    struct Tensor x = tensor("x", 2, n, 1, row_number(row, "mean", 0),
                             row_number(row, "std", 1) * 1.7320508);
    struct Tensor w = tensor("w", 2, (size_t)C, 2, 1, 0.5);
    struct Tensor b = tensor("b", 2, (size_t)C, 3, 0, 1);
    layernorm_bf16_fwd(y.ours, m.ours, r.ours, x.ours, w.ours, b.ours, N, C);
    plain_layernorm_f(y.plain, m.plain, r.plain, x.plain, w.plain, b.plain,
                      N, C);
    plain_layernorm_d(y.exact, m.exact, r.exact, x.exact, w.exact, b.exact,
                      N, C);
    tensor_check(&y);
    tensor_check(&m);
    tensor_check(&r);
    tensor_free(&x);
    tensor_free(&w);
    tensor_free(&b);
}

/* NaN, infinity and numbers near the end of the range, one row each. */
static void layernorm_nan_row(const struct Row *row)
{
    enum { N = 4, C = 40 };
    (void)row;
    struct Tensor y = out16("y", N * C);
    struct Tensor m = out32("mean", N), r = out32("rstd", N);
    struct Tensor x = tensor("x", 2, N * C, 1, 0, 1);
    struct Tensor w = tensor("w", 2, C, 2, 1, 0.5);
    tensor_set(&x, 0 * C + 39, NAN);
    tensor_set(&x, 1 * C + 7, INFINITY);
    tensor_set(&x, 3 * C + 1, 1e15);
    tensor_send(&x);
    layernorm_bf16_fwd(y.ours, m.ours, r.ours, x.ours, w.ours, w.ours, N, C);
    plain_layernorm_d(y.exact, m.exact, r.exact, x.exact, w.exact, w.exact,
                      N, C);
    tensor_fetch(&y);
    for (int c = 0; c < C; c++) {
        if (!isnan(tensor_at(&y, (size_t)c)))
            fail_msg("a NaN in row 0 did not arrive in column %d", c);
        if (isfinite(tensor_at(&y, (size_t)(C + c))) && c == 7)
            fail_msg("an infinity in row 1 became a number");
        for (int n = 2; n < N; n++) {
            const size_t i = (size_t)(n * C + c);
            if (!(fabs(tensor_at(&y, i) - y.exact[i])
                  <= unit(&y, y.exact[i]) + 1e-6))
                fail_msg("row %d column %d: %g, should be %g", n, c,
                         tensor_at(&y, i), y.exact[i]);
        }
    }
    tensor_free(&y);
    tensor_free(&m);
    tensor_free(&r);
    tensor_free(&x);
    tensor_free(&w);
}

/* in=0: neither is the sum; 1: sum is x; 2: sum is add. */
static void residual_row(const struct Row *row)
{
    int N = row_int(row, "N"), C = row_int(row, "C");
    int in = row_int(row, "in");
    size_t n = (size_t)N * (size_t)C;
    struct Tensor sum = out16("sum", n), y = out16("y", n);
    struct Tensor m = out32("mean", (size_t)N), r = out32("rstd", (size_t)N);
    struct Tensor x = tensor("x", 2, n, 1, 0, 1);
    struct Tensor add = tensor("add", 2, n, 4, 0, 3);
    struct Tensor w = tensor("w", 2, (size_t)C, 2, 1, 0.5);
    struct Tensor b = tensor("b", 2, (size_t)C, 3, 0, 1);
    struct Tensor *to = in == 1 ? &x : in == 2 ? &add : &sum;
    residual_layernorm_bf16_fwd(to->ours, y.ours, m.ours, r.ours, x.ours,
                             add.ours, w.ours, b.ours, N, C);
    for (size_t i = 0; i < n; i++)      /* the sum as it is stored */
        to->plain[i] = bf16_to_float(
            float_to_bf16(x.plain[i] + add.plain[i]));
    for (size_t i = 0; i < n; i++)
        to->exact[i] = to->plain[i];
    plain_layernorm_f(y.plain, m.plain, r.plain, to->plain, w.plain,
                      b.plain, N, C);
    plain_layernorm_d(y.exact, m.exact, r.exact, to->exact, w.exact,
                      b.exact, N, C);
    tensor_fetch(to);
    for (size_t i = 0; i < n; i++)
        if (tensor_at(to, i) != to->exact[i])
            fail_msg("sum[%zu] is %g, should be %g", i, tensor_at(to, i),
                     to->exact[i]);
    tensor_check(&y);
    tensor_check(&m);
    tensor_check(&r);
    tensor_free(&sum);
    tensor_free(&x);
    tensor_free(&add);
    tensor_free(&w);
    tensor_free(&b);
}

/* res=0: without dres; 1: dres apart; 2: dres is dx.  accumulate=0 or 1;
 * bias=0: no dbias. */
/* T > 0: the sums of dx are those of T positions. */
static void layernorm_bwd_row(const struct Row *row)
{
    int N = row_int(row, "N"), C = row_int(row, "C");
    const int T = (int)row_number(row, "T", 0);
    const size_t sums = (size_t)C * (size_t)(T ? T : 1);
    int res = row_int(row, "res"), add = row_int(row, "accumulate");
    bool bias = row_number(row, "bias", 1) != 0;
    size_t n = (size_t)N * (size_t)C;
    double before = add ? 1 : NAN;
    struct Tensor m = out32("mean", (size_t)N), r = out32("rstd", (size_t)N);
    struct Tensor x = tensor("x", 2, n, 1, row_number(row, "mean", 0),
                             1.7320508);
    struct Tensor y = out16("y", n);
    struct Tensor w = tensor("w", 2, (size_t)C, 2, 1, 0.5);
    struct Tensor dy = tensor("dy", 2, n, 4, 0.125, 1);
    struct Tensor dres = tensor("dres", 2, n, 5, 0, 1);
    struct Tensor dx = tensor("dx", 2, n, 5, res == 2 ? 0 : NAN, 1);
    struct Tensor dw = tensor("dw", 4, (size_t)C, 6, 0, before);
    struct Tensor db = tensor("db", 4, (size_t)C, 7, 0, before);
    struct Tensor dbias = tensor("dbias", 4, sums, 8, 0, before);
    layernorm_bf16_fwd(y.ours, m.ours, r.ours, x.ours, w.ours, w.ours, N, C);
    plain_layernorm_f(y.plain, m.plain, r.plain, x.plain, w.plain, w.plain,
                      N, C);
    plain_layernorm_d(y.exact, m.exact, r.exact, x.exact, w.exact, w.exact,
                      N, C);
    for (size_t i = 0; i < n; i++) {
        dx.plain[i] = res ? dres.plain[i] : 0;
        dx.exact[i] = res ? dres.exact[i] : 0;
    }
    for (int c = 0; c < C && !add; c++) {
        dw.plain[c] = db.plain[c] = 0;
        dw.exact[c] = db.exact[c] = 0;
    }
    for (size_t i = 0; i < sums && !add; i++)
        dbias.plain[i] = dbias.exact[i] = 0;
    const bf16 *past = res == 0 ? NULL : res == 1 ? dres.ours : dx.ours;
    if (T)
        layernorm_bf16_bwd_positions(dx.ours, dw.ours, db.ours, dbias.ours,
                                  dy.ours, past, x.ours, m.ours, r.ours,
                                  w.ours, N, T, C, add);
    else
        layernorm_bf16_bwd(dx.ours, dw.ours, db.ours,
                        bias ? dbias.ours : NULL, dy.ours, past, x.ours,
                        m.ours, r.ours, w.ours, N, C, add);
    plain_layernorm_bwd_f(dx.plain, dw.plain, db.plain, dy.plain, x.plain,
                          m.plain, r.plain, w.plain, N, C);
    plain_layernorm_bwd_d(dx.exact, dw.exact, db.exact, dy.exact, x.exact,
                          m.exact, r.exact, w.exact, N, C);
    for (size_t i = 0; i < n; i++) {
        dbias.plain[i % sums] += dx.plain[i];
        dbias.exact[i % sums] += dx.exact[i];
    }
    tensor_check(&dx);
    tensor_check(&dw);
    tensor_check(&db);
    if (bias)
        tensor_check(&dbias);
    else
        tensor_free(&dbias);
    tensor_free(&m);
    tensor_free(&r);
    tensor_free(&x);
    tensor_free(&y);
    tensor_free(&w);
    tensor_free(&dy);
    tensor_free(&dres);
}

/* ---- sums of columns -------------------------------------------------- */

static void columns_row(const struct Row *row)
{
    int N = row_int(row, "N"), C = row_int(row, "C");
    int add = row_int(row, "accumulate");
    size_t n = (size_t)N * (size_t)C;
    struct Tensor x = tensor("x", 2, n, 1, 0.25, 1);
    struct Tensor sum = tensor("sum", 4, (size_t)C, 2, 0, add ? 1 : NAN);
    bias_grad_bf16(sum.ours, x.ours, N, C, add);
    for (int c = 0; c < C && !add; c++)
        sum.plain[c] = 0, sum.exact[c] = 0;
    for (size_t i = 0; i < n; i++) {
        sum.plain[i % (size_t)C] += x.plain[i];
        sum.exact[i % (size_t)C] += x.exact[i];
    }
    tensor_check(&sum);
    tensor_free(&x);
}

/* ---- gelu ------------------------------------------------------------- */

static void gelu_row(const struct Row *row)
{
    int n = row_int(row, "n");
    double size = row_number(row, "size", 4);
    struct Tensor x = tensor("x", 2, (size_t)n, 1, 0, size);
    struct Tensor dy = tensor("dy", 2, (size_t)n, 2, 0, 1);
    struct Tensor y = out16("y", (size_t)n), dx = out16("dx", (size_t)n);
    gelu_bf16_fwd(y.ours, x.ours, (size_t)n);
    gelu_bf16_bwd(dx.ours, dy.ours, x.ours, (size_t)n);
    plain_gelu_f(y.plain, x.plain, n);
    plain_gelu_d(y.exact, x.exact, n);
    plain_gelu_bwd_f(dx.plain, dy.plain, x.plain, n);
    plain_gelu_bwd_d(dx.exact, dy.exact, x.exact, n);
    tensor_expect(&y);
    tensor_expect(&dx);
    gelu_bf16_bwd(dy.ours, dy.ours, x.ours, (size_t)n);    /* in place */
    tensor_fetch(&dy);
    assert_true(tensor_same(&dy, &dx));
    gelu_bf16_fwd(x.ours, x.ours, (size_t)n);
    tensor_fetch(&x);
    assert_true(tensor_same(&x, &y));
    tensor_free(&x);
    tensor_free(&dy);
    tensor_free(&y);
    tensor_free(&dx);
}

static void gelu_large(const struct Row *row)
{
    static const double at[] = { 1e30, -1e30, 3e38, -3e38, -13, 0, NAN,
                                 INFINITY, 20 };
    static const double gelu[] = { 1e30, 0, 3e38, 0, 0, 0, NAN, INFINITY,
                                   20 };
    static const double slope[] = { 1, 0, 1, 0, 0, 0.5, NAN, 1, 1 };
    enum { n = sizeof at / sizeof *at };
    (void)row;
    struct Tensor x = tensor("x", 2, n, 1, 0, 1);
    struct Tensor dy = tensor("dy", 2, n, 1, 1, 0);
    struct Tensor y = out16("y", n), dx = out16("dx", n);
    for (size_t i = 0; i < n; i++)
        tensor_set(&x, i, at[i]);
    tensor_send(&x);
    gelu_bf16_fwd(y.ours, x.ours, n);
    gelu_bf16_bwd(dx.ours, dy.ours, x.ours, n);
    tensor_fetch(&y);
    tensor_fetch(&dx);
    for (size_t i = 0; i < n; i++) {
        double a = tensor_at(&y, i), b = tensor_at(&dx, i);
        if (isnan(gelu[i]) ? !isnan(a) || !isnan(b)
            : !(fabs(a - gelu[i]) <= unit(&y, gelu[i]) + 1e-20
                || a == gelu[i])
              || !(fabs(b - slope[i]) <= 1e-6))
            fail_msg("gelu(%g) is %g, its slope %g", at[i], a, b);
    }
    tensor_free(&x);
    tensor_free(&dy);
    tensor_free(&y);
    tensor_free(&dx);
}

/* ---- the classifier --------------------------------------------------- */

/* d, a row of logits, becomes the gradient, and f the same in float.  Not
 * by way of lse, which at 1e38 has no room for the logarithm. */
static void exact_gradient(float *f, double *d, int target, double scale,
                           int V)
{
    double most = -INFINITY, sum = 0;
    for (int v = 0; v < V; v++)
        most = d[v] > most ? d[v] : most;
    for (int v = 0; v < V; v++)
        sum += exp(d[v] - most);
    for (int v = 0; v < V; v++) {
        d[v] = scale * (exp(d[v] - most) / sum - (v == target));
        f[v] = (float)d[v];
    }
}

/* The columns from V on hold NaN and large numbers before. */
static void classifier_row(const struct Row *row)
{
    int N = row_int(row, "N"), V = row_int(row, "V"), Vp = row_int(row, "Vp");
    double size = row_number(row, "size", 4);
    float scale = (float)row_number(row, "scale", 1);
    int masked = (int)row_number(row, "masked", 1);     /* all but one in */
    size_t n = (size_t)N * (size_t)V;
    int32_t *targets = some_tokens(N, V);
    int32_t *d_targets = sent(targets, (size_t)N * sizeof *targets);
    struct Tensor loss = out32("losses", (size_t)N);
    struct Tensor again = out32("losses again", (size_t)N);
    struct Tensor x = tensor("logits", 2, (size_t)N * (size_t)Vp, 1,
                             row_number(row, "all", 0), size);
    float *f = malloc((n + 1) * sizeof *f), *lse = malloc((n + 1) * 4);
    double *d = malloc((n + 1) * sizeof *d), *dlse = malloc((n + 1) * 8);
    for (int i = 0; i < N; i++)
        for (int v = 0; v < Vp; v++) {
            const size_t at = (size_t)i * (size_t)Vp + (size_t)v;
            if (v != targets[i] && (v + i) % masked)
                tensor_set(&x, at, -INFINITY);
            if (v >= V)
                tensor_set(&x, at, v % 2 ? 1e30 : NAN);
            else
                d[i * V + v] = f[i * V + v] = x.plain[at];
        }
    tensor_send(&x);
    plain_crossentropy_f(loss.plain, lse, f, targets, N, V);
    plain_crossentropy_d(loss.exact, dlse, d, targets, N, V);
    for (int i = 0; i < N; i++)
        exact_gradient(f + i * V, d + i * V, targets[i], (double)scale, V);
    unsigned char *before = malloc(x.n * 2 + 2 * GUARD_BYTES);
    memcpy(before, x.host, x.n * 2 + 2 * GUARD_BYTES);
    classifier_bf16(again.ours, x.ours, d_targets, scale, N, V, Vp, false);
    tensor_fetch(&x);
    if (memcmp(before, x.host, x.n * 2 + 2 * GUARD_BYTES) != 0)
        fail_msg("without gradient the logits were written");
    classifier_bf16(loss.ours, x.ours, d_targets, scale, N, V, Vp, true);
    for (int i = 0; i < N; i++)
        for (int v = 0; v < Vp; v++) {
            const size_t at = (size_t)i * (size_t)Vp + (size_t)v;
            x.plain[at] = v < V ? f[i * V + v] : 0;
            x.exact[at] = v < V ? d[i * V + v] : 0;
        }
    tensor_fetch(&again);
    tensor_expect(&loss);
    assert_true(tensor_same(&loss, &again));
    tensor_check(&x);
    tensor_free(&loss);
    tensor_free(&again);
    backend_free(d_targets);
    free(targets);
    free(before);
    free(f);
    free(d);
    free(lse);
    free(dlse);
}

/* A NaN among the logits is a NaN of that row's loss, and of no other. */
static void classifier_nan_row(const struct Row *row)
{
    enum { N = 3, V = 2601, Vp = 2608 };
    (void)row;
    int32_t *targets = some_tokens(N, V);
    int32_t *d_targets = sent(targets, N * sizeof *targets);
    struct Tensor loss = out32("losses", N);
    struct Tensor x = tensor("logits", 2, N * Vp, 1, 0, 4);
    tensor_set(&x, 1 * Vp + 2600, NAN);
    tensor_send(&x);
    classifier_bf16(loss.ours, x.ours, d_targets, 1, N, V, Vp, true);
    tensor_fetch(&loss);
    tensor_fetch(&x);
    for (size_t n = 0; n < N; n++)
        for (size_t v = 0; v < V; v++)
            if (isnan(tensor_at(&loss, n)) != (n == 1) ||
                isnan(tensor_at(&x, n * Vp + v)) != (n == 1))
                fail_msg("row %zu, column %zu: loss %g, gradient %g", n, v,
                         tensor_at(&loss, n), tensor_at(&x, n * Vp + v));
    tensor_free(&loss);
    tensor_free(&x);
    backend_free(d_targets);
    free(targets);
}

/* ---- embedding -------------------------------------------------------- */

/* one=1: one token fills the batch. */
static int32_t *row_tokens(const struct Row *row, int n, int V)
{
    int32_t *tokens = some_tokens(n, V);
    for (int i = 0; i < n && row_number(row, "one", 0) != 0; i++)
        tokens[i] = V / 2;
    return tokens;
}

static void embedding_fwd_row(const struct Row *row)
{
    int B = row_int(row, "B"), T = row_int(row, "T");
    int C = row_int(row, "C"), V = row_int(row, "V");
    int32_t *tokens = row_tokens(row, B * T, V);
    int32_t *d_tokens = sent(tokens, (size_t)(B * T) * sizeof *tokens);
    struct Tensor x = out16("x", (size_t)(B * T * C));
    struct Tensor wte = tensor("wte", 2, (size_t)(V * C), 1, 0, 1);
    struct Tensor wpe = tensor("wpe", 2, (size_t)(T * C), 2, 0, 1);
    embedding_bf16_fwd(x.ours, d_tokens, wte.ours, wpe.ours, B, T, C);
    plain_embedding_f(x.plain, tokens, wte.plain, wpe.plain, B, T, C);
    plain_embedding_d(x.exact, tokens, wte.exact, wpe.exact, B, T, C);
    tensor_check(&x);
    tensor_free(&wte);
    tensor_free(&wpe);
    backend_free(d_tokens);
    free(tokens);
}

static void embedding_bwd_row(const struct Row *row)
{
    int B = row_int(row, "B"), T = row_int(row, "T");
    int C = row_int(row, "C"), V = row_int(row, "V");
    int32_t *tokens = row_tokens(row, B * T, V);
    int32_t *d_tokens = sent(tokens, (size_t)(B * T) * sizeof *tokens);
    struct Tensor dx = tensor("dx", 2, (size_t)(B * T * C), 3, 0.25, 1);
    struct Tensor dwte = tensor("dwte", 4, (size_t)(V * C), 1, 0, 1);
    struct Tensor dwpe = tensor("dwpe", 4, (size_t)(T * C), 2, 0, 1);
    void *list = backend_alloc(embedding_bf16_index_size(B * T), "a list");
    embedding_bf16_index(list, d_tokens, B * T, V);
    for (int k = 0; k <= row_number(row, "again", 0); k++) {
        embedding_bf16_bwd(dwte.ours, dx.ours, list, B * T, C);
        plain_embedding_bwd_f(dwte.plain, dwpe.plain, dx.plain, tokens, B,
                              T, C);
        plain_embedding_bwd_d(dwte.exact, dwpe.exact, dx.exact, tokens, B,
                              T, C);
    }
    tensor_check(&dwte);
    tensor_free(&dwpe);
    tensor_free(&dx);
    backend_free(list);
    backend_free(d_tokens);
    free(tokens);
}

/* ---- adamw ------------------------------------------------------------ */

/* Spans of odd sizes, with gaps between them that nobody may touch. */
static void adamw_row(const struct Row *row)
{
    enum { SPANS = 5 };
    const size_t size[SPANS] = { 1031, 1, 33, 256, 4099 };
    struct AdamwSpan span[SPANS];
    struct AdamwStep s = { .lr = 1e-2, .beta1 = 0.9, .beta2 = 0.95,
        .eps = 1e-8, .decay = 0.1, .scale = row_number(row, "scale", 1),
        .step = (int64_t)row_number(row, "step", 1) };
    const size_t shift = (size_t)row_number(row, "shift", 0);
    bool copy = row_number(row, "copy", 1) != 0;
    size_t n = shift, n16 = shift;
    for (int i = 0; i < SPANS; i++) {
        span[i] = (struct AdamwSpan){ n, size[i], n16, i % 2 == 0 };
        n += (size[i] + 15) / 16 * 16;
        n16 += (size[i] + 7) / 8 * 8;
    }
    struct Tensor w = tensor("w", 4, n, 1, 0, 1);
    struct Tensor g = tensor("g", 4, n, 2, 0, row_number(row, "size", 1));
    struct Tensor m = tensor("m", 4, n, 3, 0, s.step == 1 ? 0 : 0.1);
    struct Tensor v = tensor("v", 4, n, 4, s.step == 1 ? 0 : 0.02,
                             s.step == 1 ? 0 : 0.01);
    struct Tensor w16 = out16("w16", n16);
    adamw_all(w.ours, copy ? w16.ours : NULL, m.ours, v.ours, g.ours, span,
              SPANS, &s);
    for (int i = 0; i < SPANS; i++) {
        const size_t at = span[i].offset;
        struct AdamwStep mine = s;
        mine.decay = span[i].decays ? s.decay : 0;
        plain_adamw_f(w.plain + at, m.plain + at, v.plain + at,
                      g.plain + at, (int)size[i], &mine);
        plain_adamw_d(w.exact + at, m.exact + at, v.exact + at,
                      g.exact + at, (int)size[i], &mine);
    }
    tensor_expect(&w);
    tensor_check(&m);
    tensor_check(&v);
    tensor_fetch(&w16);
    for (int i = 0; i < SPANS; i++)
        for (size_t k = 0; k < n16 - span[i].offset16; k++) {
            double ours = tensor_at(&w16, span[i].offset16 + k), should = NAN;
            if (i + 1 < SPANS && span[i].offset16 + k >= span[i + 1].offset16)
                break;
            if (copy && k < size[i])
                should = bf16_to_float(float_to_bf16(
                    (float)tensor_at(&w, span[i].offset + k)));
            if (isnan(should) ? !isnan(ours) : !(ours == should))
                fail_msg("w16: span %d[%zu] is %g, should be %g", i, k,
                         ours, should);
        }
    tensor_free(&w);
    tensor_free(&g);
    tensor_free(&w16);
}

/* Stochastic rounding, of spans of odd sizes.  The weight must go to one of
 * its two neighbours, to the upper one as often as it is near; other bits for
 * another step; the same bits for the same one, and those of base/rng.c. */
static void chance_row(const struct Row *row)
{
    enum { n = 40000, SPANS = 4 };
    const size_t size[SPANS] = { 35003, 1, 33, 4098 };
    struct AdamwSpan span[SPANS];
    bool in_span[n] = { false };
    const size_t shift = (size_t)row_number(row, "shift", 0);
    size_t at = 0;
    for (int i = 0; i < SPANS; i++, at = (at + 15) / 16 * 16) {
        at += shift;
        span[i] = (struct AdamwSpan){ at, size[i], at, false };
        for (size_t k = 0; k < size[i]; k++)
            in_span[at++] = true;
    }
    assert_true(at <= n);
    struct AdamwStep s = { .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.95,
        .eps = 1e-8, .scale = 1, .step = 3, .seed = 0x123456789abcdefu };
    struct Tensor w16 = tensor("w16", 2, n, 1, 1.5, 0.4);
    struct Tensor w = tensor("w", 4, n, 1, 0, 0);
    struct Tensor g = tensor("g", 4, n, 2, 0, 1);
    struct Tensor m = tensor("m", 4, n, 3, 0, 0.1);
    struct Tensor v = tensor("v", 4, n, 4, 0.02, 0.01);
    unsigned char *first = malloc(2 * n + 2 * GUARD_BYTES);
    uint16_t old[n];
    for (size_t i = 0; i < n; i++) {
        old[i] = float_to_bf16((float)tensor_at(&w16, i)).bits;
        tensor_set(&w, i, tensor_at(&w16, i));
    }
    tensor_send(&w);
    struct Tensor m2 = tensor("m", 4, n, 3, 0, 0.1);
    struct Tensor v2 = tensor("v", 4, n, 4, 0.02, 0.01);
    adamw_all(w.ours, NULL, m2.ours, v2.ours, g.ours, span, SPANS, &s);
    adamw_all(NULL, w16.ours, m.ours, v.ours, g.ours, span, SPANS, &s);
    tensor_fetch(&w);
    tensor_fetch(&w16);
    memcpy(first, w16.host, 2 * n + 2 * GUARD_BYTES);
    double off = 0;
    int ups = 0;
    for (size_t i = 0; i < n; i++) {
        const float exact = (float)tensor_at(&w, i);
        uint32_t bits, random[4];
        memcpy(&bits, &exact, 4);
        const uint32_t counter[4] = { (uint32_t)(i / 8), 0, 3, 0 };
        const uint32_t key[2] = { 0x89abcdefu, 0x01234567u };
        philox(random, counter, key);
        const uint32_t word = random[i % 8 / 2];
        const uint32_t add = !in_span[i] ? 0
                           : i % 2 ? word >> 16 : word & 0xffff;
        const bf16 should = { (uint16_t)((bits + add) >> 16) };
        if (tensor_at(&w16, i) != bf16_to_float(should))
            fail_msg("w16[%zu] is %g, should be %g of %.9g", i,
                     tensor_at(&w16, i), (double)bf16_to_float(should),
                     (double)exact);
        ups += (bits + add) >> 16 != bits >> 16;
        off += tensor_at(&w16, i) - exact;
    }
    if (!(ups > n / 4 && ups < n * 3 / 4))
        fail_msg("%d of %d were rounded up", ups, n);
    if (!(fabs(off / n) <= 5 * 0.0078125 / 2 / sqrt(n)))
        fail_msg("rounding moves the weights by %g on average", off / n);
    s.step = 4;                         /* other random bits */
    for (size_t i = 0; i < n; i++)
        tensor_set(&w16, i, bf16_to_float((bf16){ old[i] }));
    tensor_send(&w16);
    tensor_send(&m2);                   /* as they were before */
    tensor_send(&v2);
    adamw_all(NULL, w16.ours, m2.ours, v2.ours, g.ours, span, SPANS, &s);
    tensor_fetch(&w16);
    int same = 0;
    for (size_t i = 0; i < n; i++)
        same += memcmp(w16.host + GUARD_BYTES + 2 * i,
                       first + GUARD_BYTES + 2 * i, 2) == 0;
    if (same > n * 9 / 10)
        fail_msg("%d of %d weights were rounded as in the step before",
                 same, n);
    free(first);
    tensor_free(&w16);
    tensor_free(&w);
    tensor_free(&g);
    tensor_free(&m);
    tensor_free(&v);
    tensor_free(&m2);
    tensor_free(&v2);
}

/* More tensors than a launch takes, of several blocks each. */
static void many_spans_row(const struct Row *row)
{
    int spans = row_int(row, "spans");
    const size_t size = 17, n = (size_t)spans * 32;
    struct AdamwSpan *span = malloc((size_t)spans * sizeof *span);
    struct AdamwStep s = { .lr = 0.5, .beta1 = 0, .beta2 = 0,
        .eps = 1e-8, .decay = 0.5, .scale = 1, .step = 1 };
    struct Tensor w = tensor("w", 4, n, 1, 1, 0);
    struct Tensor g = tensor("g", 4, n, 1, 1, 0);
    struct Tensor m = tensor("m", 4, n, 1, 0, 0);
    struct Tensor v = tensor("v", 4, n, 1, 0, 0);
    struct Tensor w16 = out16("w16", n);
    for (int i = 0; i < spans; i++)
        span[i] = (struct AdamwSpan){ (size_t)i * 32, size, (size_t)i * 32,
                                      i % 3 == 0 };
    adamw_all(w.ours, w16.ours, m.ours, v.ours, g.ours, span, spans, &s);
    tensor_fetch(&w);
    tensor_fetch(&w16);
    for (size_t i = 0; i < n; i++) {
        const double should = i % 32 >= size ? 1 : i / 32 % 3 ? 0.5 : 0.25;
        if (!(fabs(tensor_at(&w, i) - should) <= 1e-6) ||
            (i % 32 < size
             && !(fabs(tensor_at(&w16, i) - should) <= 1e-2)))
            fail_msg("number %zu of tensor %zu is %g and %g, should be %g",
                     i % 32, i / 32, tensor_at(&w, i), tensor_at(&w16, i),
                     should);
    }
    tensor_free(&w);
    tensor_free(&g);
    tensor_free(&m);
    tensor_free(&v);
    tensor_free(&w16);
    free(span);
}

/* ---- norm ------------------------------------------------------------- */

static void norm_row(const struct Row *row)
{
    size_t n = (size_t)row_int(row, "n");
    struct Tensor g = tensor("g", 4, n, 1, 0, row_number(row, "size", 1));
    double ours = sum_squares(g.ours, n), exact;
    long double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (long double)g.exact[i] * g.exact[i];
    exact = (double)sum;
    if (!(fabs(ours - exact) <= 1e-14 * exact))
        fail_msg("sum of squares is %.17g, should be %.17g", ours, exact);
    tensor_free(&g);
}

static const struct Row rows[] = {
{ "layernorm_bf16_fwd N=1 C=768", layernorm_fwd_row,
  "variance over C - 1" },
{ "layernorm_bf16_fwd N=257 C=33", layernorm_fwd_row,
  "guard n > N; packs of eight in rows that do not have them" },
{ "layernorm_bf16_fwd N=3 C=1", layernorm_fwd_row,
  "no epsilon: 0/0 in a row of equal numbers" },
{ "layernorm_bf16_fwd N=9 C=1024 std=1e-3", layernorm_fwd_row,
  "epsilon added to the standard deviation" },
{ "layernorm_bf16_fwd N=5 C=1280", layernorm_fwd_row,
  "three steps written as a constant" },
{ "layernorm_bf16_fwd N=3 C=1600", layernorm_fwd_row,
  "lanes beyond the row's end take part" },
{ "layernorm_bf16_fwd N=33 C=40 mean=100", layernorm_fwd_row,
  "one-pass variance" },
{ "layernorm_bf16_fwd N=2 C=301", layernorm_fwd_row,
  "odd rows of more than 288" },
{ "layernorm_bf16_fwd with NaN and infinity", layernorm_nan_row,
  "a NaN lost in a maximum; a row that leaks into the next" },
{ "residual_layernorm_bf16_fwd N=17 C=768 in=0", residual_row,
  "statistics of the sum before it is rounded" },
{ "residual_layernorm_bf16_fwd N=9 C=33 in=1", residual_row,
  "x read again after it was overwritten" },
{ "residual_layernorm_bf16_fwd N=9 C=1024 in=2", residual_row,
  "add read again after it was overwritten" },
{ "layernorm_bf16_bwd N=1 C=33 res=0 accumulate=0", layernorm_bwd_row,
  "sums not cleared; dres read though there is none" },
{ "layernorm_bf16_bwd N=33 C=48 res=1 accumulate=0", layernorm_bwd_row,
  "dres left out; the mean of g left out" },
{ "layernorm_bf16_bwd N=257 C=768 res=2 accumulate=1", layernorm_bwd_row,
  "the last rows forgotten; added to twice" },
{ "layernorm_bf16_bwd N=6 C=1600 res=1 accumulate=1 bias=0",
  layernorm_bwd_row, "dbias written where none is wanted" },
{ "layernorm_bf16_bwd N=5 C=1280 res=1 accumulate=0", layernorm_bwd_row,
  "sums of as many warps as another width has" },
{ "layernorm_bf16_bwd N=34 C=257 res=0 accumulate=1 mean=10",
  layernorm_bwd_row, "x for x - mean" },
{ "layernorm_bf16_bwd N=4500 C=8 res=1 accumulate=0", layernorm_bwd_row,
  "more rows than warps: the next one in the place of this" },
{ "layernorm_bf16_bwd N=2300 C=272 res=1 accumulate=0", layernorm_bwd_row,
  "the same where a lane has two packs; the mean of the row before" },
{ "layernorm_bf16_bwd N=114 C=33 T=38 res=1 accumulate=0", layernorm_bwd_row,
  "the sums of a position not cleared, or only its last row's" },
{ "layernorm_bf16_bwd N=192 C=768 T=64 res=2 accumulate=1", layernorm_bwd_row,
  "positions' gradients not added to" },
{ "layernorm_bf16_bwd N=9000 C=8 T=4500 res=1 accumulate=0",
  layernorm_bwd_row, "more positions than warps" },
{ "bias_grad_bf16 N=1 C=8 accumulate=0", columns_row, "not cleared" },
{ "bias_grad_bf16 N=257 C=33 accumulate=1", columns_row, "not added to" },
{ "bias_grad_bf16 N=33 C=776 accumulate=0", columns_row,
  "a last tile written whole" },
{ "bias_grad_bf16 N=60000 C=8 accumulate=0", columns_row,
  "a warp of more than 128 rows takes some of them again" },
{ "bias_grad_bf16 N=9000 C=8 accumulate=0", columns_row,
  "the last piece longer than the rows" },
{ "gelu_bf16 n=1", gelu_row, "the erf form; a pack written whole" },
{ "gelu_bf16 n=8", gelu_row, "the slope without the 3 of the cube" },
{ "gelu_bf16 n=9001", gelu_row, "a second pack at the first one's place" },
{ "gelu_bf16 n=257 size=0.01", gelu_row, "tanh by a coarse instruction" },
{ "gelu_bf16 n=263 size=10", gelu_row, "the cube's overflow" },
{ "gelu_bf16 at 1e30, -1e30, 3e38, -13, 0, NaN", gelu_large,
  "infinity times zero; NaN becomes a number in a clamp" },
{ "classifier_bf16 N=1 V=1 Vp=8", classifier_row, "padding in the sum" },
{ "classifier_bf16 N=33 V=257 Vp=264", classifier_row,
  "the target of row 0 for every row" },
{ "classifier_bf16 N=3 V=33 Vp=33 size=1e4", classifier_row,
  "exp without subtracting the maximum; packs in odd rows" },
{ "classifier_bf16 N=900 V=9 Vp=16", classifier_row,
  "more rows than blocks: the row after next in the place of the next" },
{ "classifier_bf16 N=2 V=50257 Vp=50304", classifier_row,
  "a target read as 16 bits with a sign" },
{ "classifier_bf16 N=3 V=131 Vp=136 all=3e4 size=0", classifier_row,
  "loss rounded as lse - logit" },
{ "classifier_bf16 N=5 V=300 Vp=304 masked=3", classifier_row,
  "-inf at the place of the maximum" },
{ "classifier_bf16 N=5 V=300 Vp=304 masked=64", classifier_row,
  "-inf minus -inf, where a thread has nothing else" },
{ "classifier_bf16 N=3 V=9001 Vp=9008 size=3e38", classifier_row,
  "x log2(e) overflows" },
{ "classifier_bf16 N=7 V=1031 Vp=1031 scale=0.25", classifier_row,
  "scale forgotten at the target" },
{ "classifier_bf16 N=300 V=63 Vp=64", classifier_row,
  "blocks that take several rows keep the first one's numbers" },
{ "classifier_bf16 N=600 V=5203 Vp=5208", classifier_row,
  "the next row's packs in the places of this one's: two turns" },
{ "classifier_bf16 with a NaN in one row", classifier_nan_row,
  "NaN lost in a maximum" },
{ "embedding_bf16_fwd B=3 T=19 C=48 V=7", embedding_fwd_row,
  "the position counted over the batch" },
{ "embedding_bf16_fwd B=1 T=33 C=33 V=257", embedding_fwd_row,
  "packs in odd rows" },
{ "embedding_bf16_bwd B=3 T=19 C=48 V=7", embedding_bwd_row,
  "= for +=: the last of equal tokens wins" },
{ "embedding_bf16_bwd B=1 T=2 C=80 V=300", embedding_bwd_row,
  "tokens of one digit only" },
{ "embedding_bf16_bwd B=2 T=70 C=5 V=2", embedding_bwd_row,
  "packs in odd rows" },
{ "embedding_bf16_bwd B=5 T=257 C=33 V=1000", embedding_bwd_row,
  "a second tile of tokens" },
{ "embedding_bf16_bwd B=4 T=700 C=24 V=9 one=1", embedding_bwd_row,
  "one token that fills the batch: sums of pieces lost" },
{ "embedding_bf16_bwd B=4 T=700 C=24 V=9 one=1 again=1", embedding_bwd_row,
  "a list that serves once" },
{ "embedding_bf16_bwd B=9 T=300 C=8 V=70000", embedding_bwd_row,
  "tokens above 65,535" },
{ "adamw_all step=1", adamw_row, "no bias correction; decay everywhere" },
{ "adamw_all step=100 scale=0.25", adamw_row,
  "the gradient not scaled; a gap between tensors written" },
{ "adamw_all step=1 size=0", adamw_row, "0/0 where nothing moved" },
{ "adamw_all step=7 shift=3", adamw_row,
  "four numbers at a time where they do not lie so" },
{ "adamw_all step=2 copy=0", adamw_row, "a bf16 copy that nobody wants" },
{ "adamw_all spans=1200", many_spans_row,
  "tensors beyond the list of one launch" },
{ "norm n=1048579", norm_row, "the last numbers, which are not four" },
{ "norm n=1200000 size=1e18", norm_row, "squares in float" },
{ "adamw_all rounding by chance shift=3", chance_row,
  "bits of the first of four for all, where a tensor begins at an odd place" },
{ "adamw_all rounding by chance", chance_row,
  "the same random bits for each step, or for two neighbours" },
};

int main(void)
{
    return rows_run("fused", rows, sizeof rows / sizeof *rows);
}
