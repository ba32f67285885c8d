/* What fewer bits do to GPT-2: a small model is trained in double, and all
 * of its matrix products are given operands in other formats.  Compared with
 * the files figures/data/low-precision*.csv; UPDATE_FACTS=DATE writes them.
 *
 * Linked with --wrap: the model's calls of gemm, gemm_bias and gemm_sumsq
 * arrive here. */
#include "base/alloc.h"
#include "base/rng.h"
#include "base/schemes.h"
#include "gpt2/model.h"
#include "gpt2/optimizer.h"
#include "ops/adamw/adamw.h"
#include "ops/matmul/matmul.h"
#include "rows.h"

#define FACTS "lowp"
#define WHERE "build/tests-f64/"
#define PROGRAM "f64_low_precision"
#include "facts.h"

enum { V = 256, L = 4, NH = 4, C = 128, B = 4, T = 32, N = B * T,
       STEPS = 100 };

static struct Error error;

/* ---- schemes ---- */

#define FULL 0, 0
#define ROW 1, 0
static struct Scheme scheme[] = {
    { "tf32", NULL, NO_SCALE, FULL },
    { "bf16", NULL, NO_SCALE, FULL },
    { "fp16", NULL, NO_SCALE, FULL },
    { "e4m3", NULL, SCALE_FP32, FULL },
    { "e4m3-row", NULL, SCALE_FP32, ROW },
    { "e4m3-128", NULL, SCALE_FP32, 1, 128 },
    { "e4m3-mx", NULL, SCALE_POWER, 1, 32 },
    { "e4m3-up", NULL, SCALE_POWER_UP, 1, 32 },
    { "e5m2", NULL, SCALE_FP32, FULL },
    { "e5m2-row", NULL, SCALE_FP32, ROW },
    { "e5m2-up", NULL, SCALE_POWER_UP, 1, 32 },
    { "int8", NULL, SCALE_FP32, FULL },
    { "int8-row", NULL, SCALE_FP32, ROW },
    { "int8-128", NULL, SCALE_FP32, 1, 128 },
    { "int4", NULL, SCALE_FP32, FULL },
    { "int4-row", NULL, SCALE_FP32, ROW },
    { "int4-32", NULL, SCALE_FP32, 1, 32 },
    { "e2m1", NULL, SCALE_FP32, FULL },
    { "e2m1-row", NULL, SCALE_FP32, ROW },
    { "e2m1-mx", NULL, SCALE_POWER, 1, 32 },
    { "e2m1-up", NULL, SCALE_POWER_UP, 1, 32 },
    { "e2m1-nv", NULL, SCALE_E4M3, 1, 16 },
    { "e4m3-raw", NULL, NO_SCALE, FULL },
    { "e5m2-raw", NULL, NO_SCALE, FULL },
    { "e4m3-square", NULL, SCALE_FP32, 128, 128 },
};
enum { SCHEMES = sizeof scheme / sizeof *scheme };

static void schemes_new(void)
{
    for (int i = 0; i < SCHEMES; i++) {
        char name[8];
        snprintf(name, sizeof name, "%.4s", scheme[i].name);
        scheme[i].format = format_named(name);
        assert_non_null(scheme[i].format);
    }
}

static const struct Scheme *scheme_named(const char *name)
{
    for (int i = 0; i < SCHEMES; i++)
        if (strcmp(scheme[i].name, name) == 0)
            return &scheme[i];
    fail_msg("no scheme %s", name);
    return NULL;
}

/* ---- products ---- */

enum Role { ACTIVATION, WEIGHT, GRADIENT, ROLES };

/* One call of a product: c[M,N] = op(a)[M,K] op(b)[K,N]. */
struct Product {
    const real *a, *b;
    int M, N, K, flags;
    enum Role a_is, b_is;
    int call;                       /* of this step */
};

static const struct Scheme *recipe[ROLES];  /* NULL: as it is */
static void (*look)(const struct Product *p);
static int calls;
static int64_t now;                 /* the step of a run */

/* A stored matrix [rows][columns]; `down`: the product's sums run down its
 * columns, and so do the blocks. */
static real *kept(const real *x, int rows, int columns, bool down,
                  const struct Scheme *s)
{
    struct Scheme along = *s;
    real *y = xcalloc((size_t)rows * (size_t)columns, sizeof *y);
    if (down)
        along.rows = s->columns, along.columns = s->rows;
    scheme_apply(y, x, rows, columns, &along);
    return y;
}

static real *a_kept(const struct Product *p, const struct Scheme *s)
{
    const bool ta = p->flags & GEMM_TA;
    return kept(p->a, ta ? p->K : p->M, ta ? p->M : p->K, ta, s);
}

static real *b_kept(const struct Product *p, const struct Scheme *s)
{
    const bool tb = p->flags & GEMM_TB;
    return kept(p->b, tb ? p->N : p->K, tb ? p->K : p->N, !tb, s);
}

/* The operands as the recipe has them; freed by the caller. */
static void operands(struct Product *p, real **a, real **b)
{
    p->call = calls++;
    if (look)
        look(p);
    *a = *b = NULL;
    if (p->M == V || p->N == V || p->K == V)
        return;                     /* the classifier stays as it is */
    if (recipe[p->a_is])
        p->a = *a = a_kept(p, recipe[p->a_is]);
    if (recipe[p->b_is])
        p->b = *b = b_kept(p, recipe[p->b_is]);
}

/* y[M] = x[N] transposed over */
static real *transposed(const real *x, int rows, int columns)
{
    real *y = xcalloc((size_t)rows * (size_t)columns, sizeof *y);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            y[c * rows + r] = x[r * columns + c];
    return y;
}

/* A row of c += a row of a times b, four rows of b at a time. */
SIMD_CLONES
static void row_times(real *restrict c, const real *restrict a,
                      const real *restrict b, int N_, int K_)
{
    int k = 0;
    for (; k + 3 < K_; k += 4) {
        const real *b0 = b + k * N_, *b1 = b0 + N_, *b2 = b1 + N_;
        const real *b3 = b2 + N_;
        for (int n = 0; n < N_; n++)
            c[n] += a[k] * b0[n] + a[k + 1] * b1[n] + a[k + 2] * b2[n]
                  + a[k + 3] * b3[n];
    }
    for (; k < K_; k++)
        for (int n = 0; n < N_; n++)
            c[n] += a[k] * b[k * N_ + n];
}

/* c = op(a) op(b) + bias; in double the library's has no fast kernel. */
static void multiply(real *c, const struct Product *p, const real *bias)
{
    const bool ta = p->flags & GEMM_TA, tb = p->flags & GEMM_TB;
    real *a = ta ? transposed(p->a, p->K, p->M) : NULL;
    real *b = tb ? transposed(p->b, p->N, p->K) : NULL;
    #pragma omp parallel for
    for (int m = 0; m < p->M; m++) {
        real *row = c + m * p->N;
        for (int n = 0; n < p->N; n++)
            row[n] = (p->flags & GEMM_ADD ? row[n] : 0)
                   + (bias ? bias[n] : 0);
        row_times(row, (a ? a : p->a) + m * p->K, b ? b : p->b, p->N, p->K);
    }
    free(a), free(b);
}

static void product(real *c, struct Product p, const real *bias)
{
    real *a, *b;
    operands(&p, &a, &b);
    multiply(c, &p, bias);
    free(a), free(b);
}

void __wrap_gemm(real *c, const real *a, const real *b, int M_, int N_,
                 int K_, int flags);
void __wrap_gemm_bias(real *c, const real *a, const real *b,
                      const real *bias, int M_, int N_, int K_, int flags);
void __wrap_gemm_sumsq(real *c, const real *a, const real *b, int M_,
                       int N_, int K_, int flags, double *sumsq);

/* Logits, or the gradient of what came into a layer or the logits. */
void __wrap_gemm(real *c, const real *a, const real *b, int M_, int N_,
                 int K_, int flags)
{
    const bool logits = N_ == V && flags & GEMM_TB;
    product(c, (struct Product){ a, b, M_, N_, K_, flags,
            logits ? ACTIVATION : GRADIENT, WEIGHT, 0 }, NULL);
}

/* A layer, forward. */
void __wrap_gemm_bias(real *c, const real *a, const real *b,
                      const real *bias, int M_, int N_, int K_, int flags)
{
    product(c, (struct Product){ a, b, M_, N_, K_, flags, ACTIVATION,
            WEIGHT, 0 }, bias);
}

/* The gradient of a weight; the classifier's has its operands exchanged. */
void __wrap_gemm_sumsq(real *c, const real *a, const real *b, int M_,
                       int N_, int K_, int flags, double *sumsq)
{
    const bool logits = M_ == V;
    (void)sumsq;
    product(c, (struct Product){ a, b, M_, N_, K_, flags,
            logits ? GRADIENT : ACTIVATION, logits ? ACTIVATION : GRADIENT,
            0 }, NULL);
}

/* ---- a language, and a model that learns it ---- */

static uint32_t hash(uint32_t z)
{
    z = (z ^ (z >> 16)) * 0x85ebca6bu;
    z = (z ^ (z >> 13)) * 0xc2b2ae35u;
    return z ^ (z >> 16);
}

/* One of eight successors of a token, the k-th with probability 1/2^k; some
 * tokens are successors of many. */
static int32_t successor(int32_t token, struct Rng *r)
{
    const uint32_t u = rng_u32(r);
    uint32_t k = 0;
    while (k < 7 && u >> k & 1)
        k++;
    const uint32_t h = hash((uint32_t)token * 8 + k);
    return (int32_t)((uint64_t)(h % V) * (h / V % V) / V);
}

/* B rows of T + 1 tokens; one in four is what was seven places before. */
static void batch(int32_t *tokens, int32_t *targets, uint64_t step)
{
    for (int b = 0; b < B; b++) {
        struct Rng r = rng_new(11, step * B + (uint64_t)b);
        int32_t row[T + 1];
        row[0] = (int32_t)rng_below(&r, V);
        for (int t = 1; t <= T; t++)
            row[t] = t >= 7 && rng_u32(&r) % 4 == 0 ? row[t - 7]
                   : successor(row[t - 1], &r);
        memcpy(tokens + b * T, row, T * sizeof *row);
        memcpy(targets + b * T, row + 1, T * sizeof *row);
    }
}

static const struct Config config = { .V = V, .T = T, .L = L, .NH = NH,
                                      .C = C };

struct Run {
    struct Model model;
    struct Optimizer optimizer;
    int64_t step;
};

static void run_new(struct Run *r)
{
    const struct OptimizerConfig o = { .beta1 = 0.9, .beta2 = 0.95,
        .eps = 1e-8, .decay = 0.1, .clip = 1 };
    memset(r, 0, sizeof *r);
    assert_true(model_create(&r->model, &config, B, T, true, &error));
    model_init(&r->model, 3);
    assert_true(optimizer_create(&r->optimizer, &r->model, &o, 0, &error));
}

static void run_free(struct Run *r)
{
    optimizer_free(&r->optimizer);
    model_free(&r->model);
}

/* The gradient of scale times the loss; returns the loss. */
static double gradient(struct Run *r, uint64_t data, double scale)
{
    int32_t tokens[N], targets[N];
    batch(tokens, targets, data);
    calls = 0;
    return model_forward_backward(&r->model, tokens, targets, B, T, scale,
                                  false);
}

/* A step; true if the gradient was finite, and a step was made. */
static bool step(struct Run *r, double scale, double *loss)
{
    const double rate = 3e-3 * fmin(1, (double)(r->step + 1) / 20);
    *loss = gradient(r, (uint64_t)r->step, scale);
    r->step++;
    for (size_t i = 0; scale != 1 && i < r->model.table.total; i++)
        r->model.g.base[i] /= scale;
    const double norm = sqrt(sum_squares(r->model.g.base,
                                         r->model.table.total));
    if (!isfinite(norm))
        return false;
    optimizer_step(&r->optimizer, rate, norm, r->step);
    return true;
}

/* The mean of the last 20 losses of a run of STEPS steps. */
static double train(struct Run *r, double scale)
{
    double sum = 0, loss;
    run_new(r);
    for (now = 0; now < STEPS; now++) {
        step(r, scale, &loss);
        sum += now >= STEPS - 20 ? loss / 20 : 0;
    }
    return sum;
}

/* ---- errors of products ---- */

static double distance(const real *x, const real *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum;
}

static double squares_of(const real *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

enum Kind { FORWARD, BACKWARD, OF_WEIGHTS, CLASSIFIER, KINDS };
static const char *const kind_name[KINDS] = { "forward", "backward",
    "weights", "classifier" };

static enum Kind kind_of(const struct Product *p)
{
    if (p->M == V || p->N == V || p->K == V)
        return CLASSIFIER;
    return p->a_is == GRADIENT ? BACKWARD
         : p->b_is == GRADIENT ? OF_WEIGHTS : FORWARD;
}

/* Sums of squares, of relative errors mostly, and how many. */
struct Mean { double sum; int n; };

static void mean_add(struct Mean *m, double x)
{
    m->sum += x;
    m->n++;
}

static double percent(const struct Mean *m)
{
    return 100 * sqrt(m->sum / m->n);
}

static struct Mean product_error[SCHEMES][KINDS], kept_error[SCHEMES][ROLES],
                   outlier_error[SCHEMES], length[KINDS];

static double relative(const real *x, const real *exact, size_t n)
{
    return distance(x, exact, n) / squares_of(exact, n);
}

/* Channel 5 of the activations times 64, of the weights by 64: the same
 * product. */
static void stretched(real *a, real *b, const struct Product *p)
{
    for (int m = 0; m < p->M; m++)
        a[m * p->K + 5] *= 64;
    for (int n = 0; n < p->N; n++)
        b[5 * p->N + n] /= 64;
}

static real *copy_of(const real *x, size_t n)
{
    real *y = xcalloc(n, sizeof *y);
    memcpy(y, x, n * sizeof *y);
    return y;
}

static void measure_outlier(const struct Product *p, const real *exact)
{
    const size_t na = (size_t)p->M * (size_t)p->K;
    const size_t nb = (size_t)p->K * (size_t)p->N;
    const size_t nc = (size_t)p->M * (size_t)p->N;
    real *a = copy_of(p->a, na), *b = copy_of(p->b, nb);
    real *c = xcalloc(nc, sizeof *c);
    stretched(a, b, p);
    for (int i = 0; i < SCHEMES; i++) {
        struct Product q = *p;
        q.a = a, q.b = b;
        real *ka = a_kept(&q, &scheme[i]), *kb = b_kept(&q, &scheme[i]);
        q.a = ka, q.b = kb;
        multiply(c, &q, NULL);
        mean_add(&outlier_error[i], relative(c, exact, nc));
        free(ka), free(kb);
    }
    free(a), free(b), free(c);
}

static void measure(const struct Product *p)
{
    const size_t na = (size_t)p->M * (size_t)p->K;
    const size_t nb = (size_t)p->K * (size_t)p->N;
    const size_t nc = (size_t)p->M * (size_t)p->N;
    real *exact = xcalloc(nc, sizeof *exact), *c = xcalloc(nc, sizeof *c);
    const enum Kind kind = kind_of(p);
    struct Product q = *p;
    q.flags &= ~GEMM_ADD;
    multiply(exact, &q, NULL);
    mean_add(&length[kind], squares_of(exact, nc) * p->K
                            / squares_of(p->a, na) / squares_of(p->b, nb));
    if (kind == FORWARD)
        measure_outlier(p, exact);
    for (int i = 0; i < SCHEMES; i++) {
        real *a = a_kept(p, &scheme[i]), *b = b_kept(p, &scheme[i]);
        q.a = a, q.b = b;
        multiply(c, &q, NULL);
        mean_add(&product_error[i][kind], relative(c, exact, nc));
        if (kind != CLASSIFIER) {
            mean_add(&kept_error[i][p->a_is], relative(a, p->a, na));
            mean_add(&kept_error[i][p->b_is], relative(b, p->b, nb));
        }
        free(a), free(b);
    }
    free(exact), free(c);
}

static void fact_of(const char *group, const char *name, const char *what,
                    double value, const char *unit)
{
    char full[60];
    snprintf(full, sizeof full, "%s.%s%s%s", group, name, *what ? "." : "",
             what);
    fact(full, value, unit);
}

static void products_measured(struct Run *r)
{
    static const char *const role_name[] = { "activations", "weights",
        "gradients" };
    look = measure;
    gradient(r, 5000, 1);
    look = NULL;
    for (int k = 0; k < KINDS; k++)
        fact_of("length", kind_name[k], "", percent(&length[k]) / 100, "");
    for (int i = 0; i < SCHEMES; i++) {
        for (int k = 0; k < KINDS; k++)
            fact_of("product", scheme[i].name, kind_name[k],
                    percent(&product_error[i][k]), "%");
        for (int k = 0; k < ROLES; k++)
            fact_of("kept", scheme[i].name, role_name[k],
                    percent(&kept_error[i][k]), "%");
        fact_of("outlier", scheme[i].name, "", percent(&outlier_error[i]),
                "%");
    }
}

/* ---- the gradient of the whole model, by recipe ---- */

static const struct Recipe { const char *name, *of[ROLES]; } recipes[] = {
    { "bf16", { "bf16", "bf16", "bf16" } },
    { "e4m3", { "e4m3", "e4m3", "e4m3" } },
    { "hybrid", { "e4m3", "e4m3", "e5m2" } },
    { "e5m2", { "e5m2", "e5m2", "e5m2" } },
    { "rows", { "e4m3-row", "e4m3-row", "e4m3-row" } },
    { "blocks", { "e4m3-128", "e4m3-square", "e4m3-128" } },
    { "mx", { "e4m3-mx", "e4m3-mx", "e4m3-mx" } },
    { "mx-up", { "e4m3-up", "e4m3-up", "e4m3-up" } },
    { "int8", { "int8", "int8", "int8" } },
    { "int8-row", { "int8-row", "int8-row", "int8-row" } },
    { "e2m1", { "e2m1", "e2m1", "e2m1" } },
    { "e2m1-mx", { "e2m1-mx", "e2m1-mx", "e2m1-mx" } },
    { "e2m1-nv", { "e2m1-nv", "e2m1-nv", "e2m1-nv" } },
    { "nv-gradients", { "e4m3", "e4m3", "e2m1-nv" } },
    { "nv-others", { "e2m1-nv", "e2m1-nv", "e4m3" } },
};
enum { RECIPES = sizeof recipes / sizeof *recipes };

static void take(const struct Recipe *r)
{
    for (int k = 0; k < ROLES; k++)
        recipe[k] = r ? scheme_named(r->of[k]) : NULL;
}

static void gradients_measured(struct Run *r)
{
    const size_t n = r->model.table.total;
    gradient(r, 5000, 1);
    real *exact = copy_of(r->model.g.base, n);
    for (int i = 0; i < RECIPES; i++) {
        take(&recipes[i]);
        gradient(r, 5000, 1);
        fact_of("gradient", recipes[i].name, "", 100 * sqrt(relative(
                r->model.g.base, exact, n)), "%");
    }
    take(NULL);
    gradient(r, 5001, 1);
    fact("gradient.other-batch", 100 * sqrt(relative(r->model.g.base, exact,
                                                     n)), "%");
    free(exact);
}

static void trainings(void)
{
    static const char *const which[] = { "hybrid", "e2m1", "e2m1-nv" };
    for (size_t k = 0; k < sizeof which / sizeof *which; k++)
        for (int i = 0; i < RECIPES; i++) {
            static struct Run r;
            if (strcmp(recipes[i].name, which[k]) != 0)
                continue;
            take(&recipes[i]);
            fact_of("train", which[k], "", train(&r, 1), "");
            take(NULL);
            run_free(&r);
        }
}

/* ---- fp16 and its range ---- */

static double largest(const real *x, size_t n)
{
    double amax = 0;
    for (size_t i = 0; i < n; i++)
        amax = fmax(amax, fabs(x[i]));
    return amax;
}

/* A batch of 65,536 tokens divides each gradient by that many. */
static const double large_batch = N / 65536.0;
static real *seen;
static size_t n_seen;

/* A query at the first position has one key, and its gradient is 0: what is
 * computed instead differs from processor to processor. */
static void collect(const struct Product *p)
{
    if (kind_of(p) != BACKWARD)
        return;
    const size_t n = (size_t)p->M * (size_t)p->K;
    seen = xrealloc(seen, (n_seen + n) * sizeof *seen);
    const double noise = 1e-13 * largest(p->a, n);
    for (size_t i = 0; i < n; i++)
        if (fabs(p->a[i]) > noise)
            seen[n_seen++] = p->a[i];
}

struct Range { double zero, subnormal, infinite; };     /* shares */

static struct Range range_in(const struct Format *f, double scale)
{
    struct Range r = { 0, 0, 0 };
    for (size_t i = 0; i < n_seen; i++) {
        const double y = format_round(f, seen[i] * scale, false);
        r.zero += y == 0;
        r.subnormal += y != 0 && fabs(y) < ldexp(1, 1 - f->bias);
        r.infinite += isinf(y);
    }
    r.zero *= 100.0 / (double)n_seen;
    r.subnormal *= 100.0 / (double)n_seen;
    r.infinite *= 100.0 / (double)n_seen;
    return r;
}

static char scale_csv[4000];

static void ranges(struct Run *r)
{
    const struct Format *fp16 = format_named("fp16");
    int lowest = 0;
    look = collect;
    gradient(r, 5000, large_batch);
    look = NULL;
    char *end = scale_csv;
    end += sprintf(end, "exponent,zero,subnormal,infinite\n");
    for (int k = -8; k <= 32; k++) {
        const struct Range s = range_in(fp16, ldexp(1, k));
        end += sprintf(end, "%d,%.3g,%.3g,%.3g\n", k, s.zero, s.subnormal,
                       s.infinite);
        lowest += k >= 0 && s.infinite == 0;
    }
    const struct Range plain = range_in(fp16, 1);
    fact("fp16.zero", plain.zero, "%");
    fact("fp16.subnormal", plain.subnormal, "%");
    fact("fp16.first-infinite", lowest, "");
    fact("bf16.zero", range_in(format_named("bf16"), 1).zero, "%");
    const struct Range scaled = range_in(fp16, ldexp(1, lowest - 1));
    fact("fp16.scaled.zero", scaled.zero, "%");
    fact("fp16.scaled.subnormal", scaled.subnormal, "%");
    free(seen);
}

/* Gradients in fp16 for a batch of 65,536 tokens, with the loss multiplied
 * by 2^exponent. */
static double train_fp16(int exponent)
{
    static struct Run r;
    recipe[GRADIENT] = scheme_named("fp16");
    const double loss = train(&r, ldexp(large_batch, exponent));
    recipe[GRADIENT] = NULL;
    run_free(&r);
    return loss;
}

/* How far the gradient is off, with gradients in fp16. */
static void fp16_gradients(struct Run *r)
{
    static const int exponent[] = { -6, 0, 16 };
    static const char *const name[] = { "fp16-4m", "fp16-64k",
                                        "fp16-scaled" };
    const size_t n = r->model.table.total;
    gradient(r, 5000, 1);
    real *exact = copy_of(r->model.g.base, n);
    recipe[GRADIENT] = scheme_named("fp16");
    for (int i = 0; i < 3; i++) {
        const double scale = ldexp(large_batch, exponent[i]);
        gradient(r, 5000, scale);
        for (size_t j = 0; j < n; j++)
            r->model.g.base[j] /= scale;
        fact_of("gradient", name[i], "", 100 * sqrt(relative(
                r->model.g.base, exact, n)), "%");
    }
    recipe[GRADIENT] = NULL;
    free(exact);
}

/* ---- delayed scales ---- */

enum { HISTORY = 16, MOST_CALLS = 64 };

static double history[MOST_CALLS][2][HISTORY];
static struct Mean delayed[2], current[2];      /* errors: early, late */
static int casts[2], over[2];
static double worst;

static double error_with(const real *x, size_t n, double amax)
{
    const struct Format *f = format_named("e4m3");
    const double scale = amax / format_largest(f);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double y = format_round(f, x[i] / scale, true) * scale;
        sum += (y - x[i]) * (y - x[i]);
    }
    return sum / squares_of(x, n);
}

static void remember(double *h, const real *x, size_t n)
{
    double before = 0;
    const double amax = largest(x, n);
    const bool late = now >= STEPS / 2;
    for (int i = 0; i < HISTORY; i++)
        before = fmax(before, h[i]);
    h[now % HISTORY] = amax;
    if (now == 0)
        return;
    casts[late]++;
    over[late] += amax > before;
    worst = fmax(worst, amax / before);
    if (now % 10 == 5) {
        mean_add(&delayed[late], error_with(x, n, before));
        mean_add(&current[late], error_with(x, n, amax));
    }
}

/* Each activation and each gradient once: as the left operand of a forward
 * and of a backward product. */
static void watch(const struct Product *p)
{
    const enum Kind kind = kind_of(p);
    assert_true(p->call < MOST_CALLS);
    if (kind == FORWARD || kind == BACKWARD)
        remember(history[p->call][kind == BACKWARD], p->a,
                 (size_t)p->M * (size_t)p->K);
}

static void delayed_measured(void)
{
    static const char *const when[] = { "early", "late" };
    for (int k = 0; k < 2; k++) {
        fact_of("delayed", "over", when[k], 100.0 * over[k] / casts[k], "%");
        fact_of("delayed", "error", when[k], percent(&delayed[k]), "%");
        fact_of("current", "error", when[k], percent(&current[k]), "%");
    }
    fact("delayed.worst", worst, "");
}

/* ---- sums ---- */

/* x without what is below 13 bits under 2^exponent. */
static double cut(double x, int exponent)
{
    const double unit = ldexp(1, exponent - 13);
    return trunc(x / unit) * unit;
}

/* What Hopper's tensor cores make of a total and 32 products of e4m3, by the
 * rule that matmul-e4m3 compares with the GPU. */
static double add_32(double total, const double *x, const double *y)
{
    int top = total != 0 ? ilogb(total) : -99;
    for (int i = 0; i < 32; i++)
        if (x[i] != 0 && y[i] != 0) {
            const int a = ilogb(x[i]), b = ilogb(y[i]);
            const int e = (a > -6 ? a : -6) + (b > -6 ? b : -6);
            top = e > top ? e : top;
        }
    double sum = cut(total, top);
    for (int i = 0; i < 32; i++)
        sum += cut(x[i] * y[i], top);
    return sum != 0 ? cut(sum, ilogb(sum)) : 0;
}

enum Sum { IN_FP32, IN_BF16, IN_FP16, IN_14_BITS, IN_PARTS, SUMS };

/* Of products of e4m3; where the total is not a tensor core's, 32 are added
 * exactly, and their sum to the total. */
static double summed(const double *x, const double *y, int K, enum Sum how)
{
    double total = 0, part = 0;
    for (int k = 0; k < K; k += 32) {
        double s = 0;
        for (int i = k; i < k + 32; i++)
            s += x[i] * y[i];
        switch (how) {
        case IN_FP32: total = (double)(float)(total + s); break;
        case IN_BF16: total = format_round(format_named("bf16"), total + s,
                                           true); break;
        case IN_FP16: total = format_round(format_named("fp16"), total + s,
                                           true); break;
        case IN_14_BITS: total = add_32(total, x + k, y + k); break;
        default: part = add_32(part, x + k, y + k);
            if (k % 128 == 96)
                total = (double)(float)(total + part), part = 0;
        }
    }
    return total;
}

static void sums_measured(void)
{
    static const char *const how[] = { "fp32", "bf16", "fp16", "cut",
                                       "parts" };
    static double x[65536], y[65536];
    static const int depth[] = { 768, 4096, 65536 };
    struct Rng r = rng_new(5, 0);
    const struct Format *f = format_named("e4m3");
    for (int d = 0; d < 3; d++) {
        double off[SUMS] = { 0 }, size = 0;
        for (int n = 0; n < 32; n++) {
            double exact = 0;
            for (int k = 0; k < depth[d]; k++) {
                x[k] = format_round(f, (double)rng_normal(&r), true);
                y[k] = format_round(f, (double)rng_normal(&r), true);
                exact += x[k] * y[k];
            }
            for (int i = 0; i < SUMS; i++)
                off[i] += pow(summed(x, y, depth[d], (enum Sum)i)
                                - exact, 2);
            size += exact * exact;
        }
        for (int i = 0; i < SUMS; i++) {
            char name[20];
            snprintf(name, sizeof name, "%d", depth[d]);
            fact_of("sum", how[i], name, 100 * sqrt(off[i] / size), "%");
        }
    }
}

/* ---- comparing ---- */

static const char *as_printed(const struct Fact *f)
{
    static char text[40];
    snprintf(text, sizeof text, "%.3g", f->value);
    return text;
}

static void the_chapter_is_not_stale(void **state)
{
    (void)state;
    static struct Run r;
    schemes_new();
    look = watch;
    fact("train.exact", train(&r, 1), "");
    look = NULL;
    delayed_measured();
    products_measured(&r);
    gradients_measured(&r);
    ranges(&r);
    fp16_gradients(&r);
    run_free(&r);
    trainings();
    fact("train.fp16-4m", train_fp16(-6), "");
    fact("train.fp16-64k", train_fp16(0), "");
    sums_measured();
    facts_are_in("figures/data/low-precision.csv", as_printed);
}

static void the_figure_is_not_stale(void **state)
{
    (void)state;
    rows_are_in("figures/data/low-precision-scale.csv", scale_csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chapter_is_not_stale),
        cmocka_unit_test(the_figure_is_not_stale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
