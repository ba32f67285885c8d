/* What ops/fp32/fp32.h adds to the operators on floats, against the same
 * formulas in double.  The rule of the tolerances is that of tests/rows.h;
 * the plain version is in float, and for attention by "tf32" whatever
 * enters a product is first rounded to 11 bits. */
#include "ops_fixture.h"
#include "ops/attention/attention.h"
#include "ops/embedding/embedding.h"
#include "ops/fp32/fp32.h"
#include "ops/gelu/gelu.h"
#include "ops/layernorm/layernorm.h"
#include "plain_flash.h"
#include "tensor.h"

static const char *const impls[] = { "tf32", "3xtf32" };
enum { BODIES = 2 };

/* ---- the plain version, rounded to 11 bits ---------------------------- */

/* To nearest; ties away from zero, as cvt.rna.tf32 does. */
static float eleven(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + 0x1000) & ~0x1fffu;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void plain11(float *y, float *lse, const float *qkv, int B, int T,
                    int C, int NH)
{
    int HS = C / NH, W = 3 * C;
    float *s = malloc((size_t)T * sizeof *s);
    for (int i = 0; i < B * NH * T; i++) {
        int b = i / T / NH, h = i / T % NH, t = i % T;
        const float *q = qkv + (b * T + t) * W + h * HS;
        const float *k = qkv + b * T * W + C + h * HS;
        float most = -INFINITY, sum = 0;
        for (int u = 0; u <= t; u++) {
            s[u] = plain_dot(q, k + u * W, HS, eleven) / sqrtf((float)HS);
            most = fmaxf(most, s[u]);
        }
        for (int u = 0; u <= t; u++)
            sum += s[u] = expf(s[u] - most);
        for (int d = 0; d < HS; d++) {
            float o = 0;
            for (int u = 0; u <= t; u++)
                o += eleven(s[u]) * eleven(k[u * W + C + d]);
            y[(b * T + t) * C + h * HS + d] = o / sum;
        }
        lse[i] = most + logf(sum);
    }
    free(s);
}

/* ---- one attention, its reference and its implementations ---------------------- */

struct Case {
    int B, T, C, NH;
    struct Tensor qkv, y, lse, dy, dqkv;
    float *y11, *lse11, *dqkv11;        /* by the plain version of tf32 */
};

static struct Case new_case(const struct Row *row)
{
    int B = row_int(row, "B"), T = row_int(row, "T");
    int NH = row_int(row, "NH"), HS = row_int(row, "HS"), C = NH * HS;
    double size = row_number(row, "size", 1);
    size_t n = (size_t)B * (size_t)T * (size_t)C, heads = n / (size_t)HS;
    struct Case c = { B, T, C, NH, tensor("qkv", 4, 3 * n, 1, 0, 2),
                      out32("y", n), out32("lse", heads),
                      tensor("dy", 4, n, 2, 0, 1), out32("dqkv", 3 * n),
                      calloc(n, sizeof(float)), calloc(heads, sizeof(float)),
                      calloc(3 * n, sizeof(float)) };
    for (size_t i = 0; i < 3 * n; i++)
        if ((int)(i % (3 * (size_t)C)) < 2 * C)
            tensor_set(&c.qkv, i, size * c.qkv.exact[i]);
    tensor_send(&c.qkv);
    return c;
}

static void free_case(struct Case *c)
{
    tensor_free(&c->qkv);
    tensor_free(&c->y);
    tensor_free(&c->lse);
    tensor_free(&c->dy);
    tensor_free(&c->dqkv);
    free(c->y11);
    free(c->lse11);
    free(c->dqkv11);
    fp32_mode_set("simple");
}

static void reference(struct Case *c)
{
    int B = c->B, T = c->T, C = c->C, NH = c->NH;
    const float *x = c->qkv.plain, *dy = c->dy.plain;
    plain_attention_d(c->y.exact, c->lse.exact, c->qkv.exact, B, T, C, NH);
    plain_attention_bwd_d(c->dqkv.exact, c->dy.exact, c->qkv.exact,
                          c->lse.exact, B, T, C, NH);
    plain11(c->y11, c->lse11, x, B, T, C, NH);
    plain_flash_bwd(c->dqkv11, dy, x, c->y11, c->lse11, B, T, C, NH, eleven);
    plain_attention_f(c->y.plain, c->lse.plain, x, B, T, C, NH);
    plain_attention_bwd_f(c->dqkv.plain, dy, x, c->lse.plain, B, T, C, NH);
}

static void forward(struct Case *c)
{
    tensor_clear(&c->y);
    tensor_clear(&c->lse);
    attention_fwd(c->y.ours, c->lse.ours, c->qkv.ours, c->B, c->T, c->C,
                  c->NH);
    tensor_fetch(&c->y);
    tensor_fetch(&c->lse);
}

static void backward(struct Case *c)
{
    tensor_clear(&c->dqkv);
    attention_bwd(c->dqkv.ours, c->dy.ours, c->qkv.ours, c->y.ours,
                  c->lse.ours, c->B, c->T, c->C, c->NH);
    tensor_fetch(&c->dqkv);
}

/* The floats that t holds. */
static const float *floats(const struct Tensor *t)
{
    return (const float *)(const void *)(t->host + GUARD_BYTES);
}

/* The rule, for columns first to first + C of rows of W. */
static void close_to(int impl, const char *what, const struct Tensor *t,
                     const float *plain11, size_t first, size_t C, size_t W)
{
    const float *from = impl == 0 ? plain11 : t->plain;
    size_t n = 0;
    float *ours = malloc(t->n * sizeof *ours);
    float *plain = malloc(t->n * sizeof *plain);
    double *exact = malloc(t->n * sizeof *exact), e = 0, f = 0;
    char name[40];
    for (size_t i = 0; i < t->n; i++)
        if (i % W >= first && i % W < first + C) {
            ours[n] = floats(t)[i];
            plain[n] = from[i];
            exact[n] = t->exact[i];
            e = fmax(e, fabs((double)ours[n] - exact[n]));
            f = fmax(f, fabs((double)plain[n] - exact[n]));
            n++;
        }
    if (getenv("FACTS"))
        printf("%s.%s,%.3g of plain %.3g\n", impls[impl], what, e, f);
    snprintf(name, sizeof name, "%s: %s", impls[impl], what);
    expect_close(name, ours, plain, exact, n);
    free(ours);
    free(plain);
    free(exact);
}

static void close_fwd(int impl, struct Case *c)
{
    close_to(impl, "y", &c->y, c->y11, 0, 1, 1);
    close_to(impl, "lse", &c->lse, c->lse11, 0, 1, 1);
}

/* dq, dk and dv are of different sizes: each by itself. */
static void close_bwd(int impl, struct Case *c)
{
    static const char *const part[] = { "dq", "dk", "dv" };
    size_t C = (size_t)c->C;
    for (size_t i = 0; i < 3; i++)
        close_to(impl, part[i], &c->dqkv, c->dqkv11, i * C, C, 3 * C);
}

static void both(const struct Row *row)
{
    struct Case c = new_case(row);
    reference(&c);
    for (int i = 0; i < BODIES; i++) {
        if (!fp32_mode_set(impls[i]))
            fail_msg("no implementation %s", impls[i]);
        forward(&c);
        close_fwd(i, &c);
        backward(&c);
        close_bwd(i, &c);
    }
    free_case(&c);
}

/* Neither is in use for heads of 48: the simple impl computes. */
static void other_heads(const struct Row *row)
{
    struct Case c = new_case(row);
    size_t n = c.y.n * sizeof(float);
    float *y = malloc(n);
    forward(&c);
    memcpy(y, floats(&c.y), n);
    fp32_mode_set("3xtf32");
    forward(&c);
    if (memcmp(y, floats(&c.y), n) != 0)
        fail_msg("y of heads that no kernel takes has other bits");
    free(y);
    free_case(&c);
}

static void same_bits(const struct Row *row)
{
    struct Case c = new_case(row);
    size_t ny = c.y.n * sizeof(float), ng = c.dqkv.n * sizeof(float);
    float *y = malloc(ny), *g = malloc(ng);
    for (int i = 0; i < BODIES; i++) {
        fp32_mode_set(impls[i]);
        forward(&c);
        backward(&c);
        memcpy(y, floats(&c.y), ny);
        memcpy(g, floats(&c.dqkv), ng);
        forward(&c);
        backward(&c);
        if (memcmp(y, floats(&c.y), ny) != 0
            || memcmp(g, floats(&c.dqkv), ng) != 0)
            fail_msg("%s: other bits the second time", impls[i]);
    }
    free(y);
    free(g);
    free_case(&c);
}

/* NaN in the query of row 40, key of row 50, value of row 60, in turn:
 * everything that depends on it says so, and nothing of another head. */
static void not_a_number(const struct Row *row)
{
    struct Case c = new_case(row);
    size_t W = 3 * (size_t)c.C, HS = (size_t)(c.C / c.NH), C = W / 3;
    for (size_t k = 0; k < 3 * BODIES; k++) {
        size_t part = k % 3, hit = 40 + 10 * part, i = hit * W + part * C;
        double was = c.qkv.exact[i + 5];
        tensor_set(&c.qkv, i + 5, NAN);
        tensor_send(&c.qkv);
        tensor_set(&c.qkv, i + 5, was);
        fp32_mode_set(impls[k / 3]);
        forward(&c);
        for (size_t t = hit; t < (size_t)c.T; t++)
            if (!isnan(floats(&c.y)[t * C + 5]) && (part || t == hit))
                fail_msg("%s: NaN in row %zu of %c is lost in row %zu of y",
                         impls[k / 3], hit, "qkv"[part], t);
        for (size_t t = 0; t < (size_t)c.T; t++)
            if (isnan(floats(&c.y)[t * C + HS]))
                fail_msg("%s: NaN of the first head in the second, row %zu",
                         impls[k / 3], t);
    }
    free_case(&c);
}

/* ---- GELU and the loss ------------------------------------------------- */

static void tensor_close(struct Tensor *t)
{
    tensor_fetch(t);
    expect_close(t->name, floats(t), t->plain, t->exact, t->n);
}

static void gelu_row(const struct Row *row)
{
    int n = row_int(row, "n");
    double size = row_number(row, "size", 5);
    struct Tensor x = tensor("x", 4, (size_t)n, 1, 0, size);
    struct Tensor dy = tensor("dy", 4, (size_t)n, 2, 0, 1);
    struct Tensor y = out32("y", (size_t)n), dx = out32("dx", (size_t)n);
    fp32_mode_set("tf32");
    gelu_fwd(y.ours, x.ours, (size_t)n);
    gelu_bwd(dx.ours, dy.ours, x.ours, (size_t)n);
    fp32_mode_set("simple");
    plain_gelu_f(y.plain, x.plain, n);
    plain_gelu_d(y.exact, x.exact, n);
    plain_gelu_bwd_f(dx.plain, dy.plain, x.plain, n);
    plain_gelu_bwd_d(dx.exact, dy.exact, x.exact, n);
    tensor_close(&y);
    tensor_close(&dx);
    tensor_free(&x);
    tensor_free(&dy);
    tensor_free(&y);
    tensor_free(&dx);
}

/* Rows of V logits, Vp apart; the gradient is written over them, and zeros
 * behind them. */
static void loss_row(const struct Row *row)
{
    int N = row_int(row, "N"), V = row_int(row, "V");
    int Vp = V + (int)row_number(row, "more", 0);
    size_t n = (size_t)N, size = n * (size_t)V;
    float scale = 0.25f;
    struct Tensor x = tensor("logits", 4, size, 1,
                             row_number(row, "mean", 0), 5);
    struct Tensor loss = out32("loss", n), lse = out32("lse", n);
    struct Tensor dx = tensor("dlogits", 4, n * (size_t)Vp, 3, 0, 1);
    int32_t *t = some_tokens(N, V), *targets = sent(t, n * sizeof *t);
    double *exact = calloc(size, sizeof *exact);
    float *plain = calloc(size, sizeof *plain);
    plain_crossentropy_f(loss.plain, lse.plain, x.plain, t, N, V);
    plain_crossentropy_d(loss.exact, lse.exact, x.exact, t, N, V);
    plain_crossentropy_bwd_f(plain, x.plain, lse.plain, t, scale, N, V);
    plain_crossentropy_bwd_d(exact, x.exact, lse.exact, t, scale, N, V);
    for (size_t i = 0; i < dx.n; i++) {
        size_t r = i / (size_t)Vp, v = i % (size_t)Vp;
        if (v < (size_t)V)
            tensor_set(&dx, i, x.exact[r * (size_t)V + v]);
    }
    tensor_send(&dx);
    fp32_mode_set("3xtf32");
    fp32_crossentropy_fwd(loss.ours, lse.ours, dx.ours, targets, N, V, Vp);
    fp32_crossentropy_bwd(dx.ours, dx.ours, lse.ours, targets, scale, N, V,
                            Vp);
    fp32_mode_set("simple");
    for (size_t i = 0; i < dx.n; i++) {
        size_t r = i / (size_t)Vp, v = i % (size_t)Vp;
        dx.plain[i] = v < (size_t)V ? plain[r * (size_t)V + v] : 0;
        dx.exact[i] = v < (size_t)V ? exact[r * (size_t)V + v] : 0;
    }
    tensor_close(&loss);
    tensor_close(&lse);
    tensor_close(&dx);
    tensor_free(&x);
    tensor_free(&dx);
    tensor_free(&loss);
    tensor_free(&lse);
    backend_free(targets);
    free(t);
    free(exact);
    free(plain);
}

/* Logits of -inf: probability and gradient zero, the loss finite. */
static void infinite(const struct Row *row)
{
    int V = row_int(row, "V");
    struct Tensor x = tensor("logits", 4, (size_t)V, 1, 0, 5);
    struct Tensor loss = out32("loss", 1), lse = out32("lse", 1);
    int32_t t = V / 2, *target = sent(&t, sizeof t);
    for (int v = 0; v < V; v++)
        if (v != t)
            tensor_set(&x, (size_t)v, -INFINITY);
    tensor_send(&x);
    fp32_mode_set("tf32");
    fp32_crossentropy_fwd(loss.ours, lse.ours, x.ours, target, 1, V, V);
    fp32_crossentropy_bwd(x.ours, x.ours, lse.ours, target, 1, 1, V, V);
    fp32_mode_set("simple");
    tensor_fetch(&x);
    tensor_fetch(&loss);
    if (!(fabsf(floats(&loss)[0]) <= 1e-6f))
        fail_msg("the loss is %g, should be 0", (double)floats(&loss)[0]);
    for (int v = 0; v < V; v++)
        if (!(fabsf(floats(&x)[v]) <= 1e-6f))
            fail_msg("gradient %d is %g, should be 0", v,
                     (double)floats(&x)[v]);
    tensor_free(&x);
    tensor_free(&loss);
    tensor_free(&lse);
    backend_free(target);
}

/* ---- sums over rows ---------------------------------------------------- */

static void *copied(const void *from, size_t bytes)
{
    return memcpy(malloc(bytes), from, bytes);
}

/* Run it, fetch what it writes, run it again on what was there before: the
 * same bits. */
static void run_twice(struct Tensor *const out[], size_t n,
                      void (*run)(const void *), const void *job)
{
    void *before[4], *first[4];
    for (size_t k = 0; k < n; k++)
        before[k] = copied(out[k]->host, tensor_bytes(out[k]));
    run(job);
    for (size_t k = 0; k < n; k++) {
        tensor_fetch(out[k]);
        first[k] = copied(out[k]->host, tensor_bytes(out[k]));
        memcpy(out[k]->host, before[k], tensor_bytes(out[k]));
        tensor_send(out[k]);
    }
    run(job);
    for (size_t k = 0; k < n; k++) {
        tensor_fetch(out[k]);
        if (memcmp(out[k]->host, first[k], tensor_bytes(out[k])) != 0)
            fail_msg("%s: other bits the second time", out[k]->name);
        free(before[k]);
        free(first[k]);
    }
}

struct Words {
    int B, T, C;
    int32_t *tokens;
    struct Tensor dx, dwte, dwpe;
};

static void run_words(const void *job)
{
    const struct Words *w = job;
    embedding_bwd(w->dwte.ours, w->dwpe.ours, w->dx.ours, w->tokens, w->B,
                  w->T, w->C);
}

/* one=1: one token fills the batch; far=1: two that differ by 65,536 take
 * turns. */
static void words_row(const struct Row *row)
{
    int B = row_int(row, "B"), T = row_int(row, "T"), V = row_int(row, "V");
    int C = row_int(row, "C");
    int32_t *t = some_tokens(B * T, V);
    for (int i = 0; i < B * T && row_number(row, "one", 0) != 0; i++)
        t[i] = V / 2;
    for (int i = 0; i < B * T && row_number(row, "far", 0) != 0; i++)
        t[i] = 7 + i % 2 * 65536;
    struct Words w = { B, T, C, sent(t, (size_t)(B * T) * sizeof *t),
                       tensor("dx", 4, (size_t)(B * T * C), 3, 0.25, 1),
                       tensor("dwte", 4, (size_t)(V * C), 1, 0, 1),
                       tensor("dwpe", 4, (size_t)(T * C), 2, 0, 1) };
    fp32_mode_set("tf32");
    run_twice((struct Tensor *[]){ &w.dwte, &w.dwpe }, 2, run_words, &w);
    fp32_mode_set("simple");
    plain_embedding_bwd_f(w.dwte.plain, w.dwpe.plain, w.dx.plain, t, B, T, C);
    plain_embedding_bwd_d(w.dwte.exact, w.dwpe.exact, w.dx.exact, t, B, T, C);
    tensor_close(&w.dwte);
    tensor_close(&w.dwpe);
    tensor_free(&w.dwte);
    tensor_free(&w.dwpe);
    tensor_free(&w.dx);
    backend_free(w.tokens);
    free(t);
}

struct Norm {
    int N, C;
    struct Tensor dx, dw, db, dy, x, mean, rstd, w;
};

static void run_norm(const void *job)
{
    const struct Norm *n = job;
    layernorm_bwd(n->dx.ours, n->dw.ours, n->db.ours, n->dy.ours, n->x.ours,
                  n->mean.ours, n->rstd.ours, n->w.ours, n->N, n->C);
}

static void norm_row(const struct Row *row)
{
    int N = row_int(row, "N"), C = row_int(row, "C");
    size_t c = (size_t)C, n = (size_t)N * c;
    struct Norm j = { N, C, tensor("dx", 4, n, 5, 0, 1),
                      tensor("dw", 4, c, 6, 0, 1), tensor("db", 4, c, 7, 0, 1),
                      tensor("dy", 4, n, 4, 0.125, 1),
                      tensor("x", 4, n, 1, row_number(row, "mean", 0), 2),
                      out32("mean", (size_t)N), out32("rstd", (size_t)N),
                      tensor("w", 4, c, 2, 1, 0.5) };
    struct Tensor y = out32("y", n);
    layernorm_fwd(y.ours, j.mean.ours, j.rstd.ours, j.x.ours, j.w.ours,
                  j.w.ours, N, C);
    fp32_mode_set("3xtf32");
    run_twice((struct Tensor *[]){ &j.dx, &j.dw, &j.db }, 3, run_norm, &j);
    fp32_mode_set("simple");
    plain_layernorm_f(y.plain, j.mean.plain, j.rstd.plain, j.x.plain,
                      j.w.plain, j.w.plain, N, C);
    plain_layernorm_d(y.exact, j.mean.exact, j.rstd.exact, j.x.exact,
                      j.w.exact, j.w.exact, N, C);
    plain_layernorm_bwd_f(j.dx.plain, j.dw.plain, j.db.plain, j.dy.plain,
                          j.x.plain, j.mean.plain, j.rstd.plain, j.w.plain,
                          N, C);
    plain_layernorm_bwd_d(j.dx.exact, j.dw.exact, j.db.exact, j.dy.exact,
                          j.x.exact, j.mean.exact, j.rstd.exact, j.w.exact,
                          N, C);
    struct Tensor *all[] = { &j.dx, &j.dw, &j.db, &j.dy, &j.x, &j.mean,
                             &j.rstd, &j.w, &y };
    for (int i = 0; i < 3; i++)
        tensor_close(all[i]);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tensor_free(all[i]);
}

struct Bias {
    int N, C;
    bool add;
    struct Tensor db, dy;
};

static void run_bias(const void *job)
{
    const struct Bias *b = job;
    if (!fp32_bias_bwd(b->db.ours, b->dy.ours, b->N, b->C, b->add))
        fail_msg("no sums of %d columns", b->C);
}

static void bias_row(const struct Row *row)
{
    int N = row_int(row, "N"), C = row_int(row, "C");
    bool add = row_int(row, "accumulate");
    size_t c = (size_t)C, n = (size_t)N * c;
    struct Bias b = { N, C, add, tensor("db", 4, c, 2, 0, add ? 1 : NAN),
                      tensor("dy", 4, n, 1, 0.25, 1) };
    fp32_mode_set("tf32");
    run_twice((struct Tensor *[]){ &b.db }, 1, run_bias, &b);
    fp32_mode_set("simple");
    for (size_t i = 0; i < c && !add; i++)
        b.db.plain[i] = 0, b.db.exact[i] = 0;
    for (size_t i = 0; i < n; i++) {
        b.db.plain[i % c] += b.dy.plain[i];
        b.db.exact[i % c] += b.dy.exact[i];
    }
    tensor_close(&b.db);
    tensor_free(&b.db);
    tensor_free(&b.dy);
}

/* Rows that are no whole packs, or begin between two: none of the three
 * takes them, nor anything while "simple" is in use. */
static void not_taken(const struct Row *row)
{
    enum { N = 2 };
    int C = row_int(row, "C"), off = (int)row_number(row, "off", 0);
    const char *impl = row_number(row, "simple", 0) != 0 ? "simple" : "tf32";
    const int32_t zeros[N] = { 0 };
    int32_t *tokens = sent(zeros, sizeof zeros);
    struct Tensor a = tensor("numbers", 4, (size_t)(N * C + off), 1, 0, 1);
    float *p = (float *)a.ours + off;
    fp32_mode_set(impl);
    if (fp32_embedding_bwd(p, p, tokens, N, C)
        || fp32_layernorm_bwd(p, p, p, p, p, p, p, p, N, C)
        || fp32_bias_bwd(p, p, N, C, true))
        fail_msg("%s: a faster impl took rows of %d", impl, C);
    fp32_mode_set("simple");
    tensor_free(&a);
    backend_free(tokens);
}

static const struct Row rows[] = {
    { "attention B=2 T=33 NH=3 HS=64", both,
      "writes behind row T; the head's or batch's offset" },
    { "attention B=1 T=65 NH=2 HS=32", both, "64 written as a constant" },
    { "attention B=1 T=130 NH=1 HS=64", both,
      "sums so far not scaled; stages mixed up" },
    { "attention B=3 T=65 NH=1 HS=80", both, "a head of powers of 2" },
    { "attention B=1 T=70 NH=1 HS=128", both, "48 KB of shared memory" },
    { "attention B=1 T=100 NH=1 HS=64 size=2", both,
      "a maximum that is not brought up; lse of base 2" },
    { "attention B=1 T=40 NH=2 HS=48", other_heads,
      "a kernel for heads that it was not made for" },
    { "attention same bits B=1 T=130 NH=2 HS=64", same_bits,
      "sums in the order of arrival" },
    { "attention NaN B=1 T=80 NH=2 HS=64", not_a_number,
      "fmax drops NaN: y of one maximum" },
    { "gelu n=1", gelu_row, "four numbers written where there is one" },
    { "gelu n=4099", gelu_row, "the last three, or one block" },
    { "gelu n=1000 size=100", gelu_row, "exp(-u) overflows: infinity times zero" },
    { "loss N=1 V=1", loss_row, "a four that is not there" },
    { "loss N=7 V=33", loss_row, "rows that begin at odd addresses" },
    { "loss N=5 V=4097", loss_row, "one round of the block" },
    { "loss N=6 V=301 more=83", loss_row,
      "padding that counts, or is left as it was" },
    { "loss N=3 V=1026 mean=200", loss_row, "no maximum subtracted" },
    { "loss of -inf V=101", infinite, "-inf minus -inf" },
    { "words B=3 T=19 C=48 V=7", words_row,
      "= for +=; the right half of a row at the place of the left" },
    { "words B=5 T=257 C=8 V=1000", words_row, "a second tile of tokens" },
    { "words B=4 T=300 C=24 V=9 one=1", words_row,
      "one token that fills the batch: sums of tasks lost" },
    { "words B=2 T=300 C=8 V=70000 far=1", words_row,
      "tokens above 65,535" },
    { "words B=1 T=9 C=2048 V=3", words_row, "more columns than threads" },
    { "words B=2 T=33 C=33 V=257", words_row, "packs in odd rows" },
    { "norm N=1 C=4", norm_row, "a lane without a pack" },
    { "norm N=33 C=48", norm_row, "dx overwritten; the mean of g left out" },
    { "norm N=257 C=768", norm_row,
      "rows and sums for which there is no room" },
    { "norm N=5 C=1280", norm_row, "half as many packs for each lane" },
    { "norm N=3 C=2048", norm_row, "a gain that is not kept, nor read" },
    { "norm N=34 C=257 mean=10", norm_row, "packs in odd rows" },
    { "norm N=2300 C=272", norm_row,
      "the next row in the place of this; the mean of the row before" },
    { "bias N=1 C=8 accumulate=0", bias_row, "not cleared" },
    { "bias N=257 C=36 accumulate=1", bias_row, "not added to" },
    { "bias N=33 C=388 accumulate=0", bias_row, "a last tile written whole" },
    { "bias N=9000 C=4 accumulate=0", bias_row,
      "the last piece longer than the rows" },
    { "sums simple=1 C=8", not_taken, "other bits where none are wanted" },
    { "sums C=33", not_taken, "packs in odd rows" },
    { "sums C=8 off=1", not_taken, "packs between two multiples of 16" },
};

/* Sizes that the software GPU would work on for minutes. */
static const struct Row large[] = {
    { "attention large B=1 T=1024 NH=2 HS=64", both, "a race, many tiles" },
    { "attention large B=1 T=513 NH=1 HS=128", both, "a race, many tiles" },
    { "words large B=8 T=1024 C=768 V=500", words_row, "a race, many tasks" },
    { "norm large N=9000 C=768", norm_row, "a race, many rows" },
    { "norm large N=5000 C=1280", norm_row, "a race, seven warps" },
    { "bias large N=20000 C=768 accumulate=1", bias_row, "a race" },
};

int main(void)
{
    int failed = rows_run("gpu_fp32", rows, sizeof rows / sizeof *rows);
    if (backend_kind() == BACKEND_CUDA)
        return failed + rows_run("gpu_fp32, large", large,
                                 sizeof large / sizeof *large);
    printf("# %zu rows of large sizes are for a build by nvcc\n",
           sizeof large / sizeof *large);
    return failed;
}
