/* The bf16 model against the same model written plainly in double.  A
 * tolerance is twice the error of the plain model in the same precision:
 * in double, but with every buffer that the model keeps in bf16 rounded to
 * it.  Only a GPU, real or simulated, has a bf16 model. */
#include "base/alloc.h"
#include "gpt2/memory.h"
#include "gpt2/model_bf16.h"
#include "programs/kernels.h"
#include "gpt2/trainer.h"
#include "io/checkpoint_dir.h"
#include "ops/adamw/adamw.h"
#include "backend/backend.h"
#include "layouts.h"
#include "rows.h"               /* last: cmocka has a macro called fail */

#include "plain_model.h"

/* ---- a model of ours with random weights and tokens ---- */

static struct Error error;

struct Case {
    struct Model m;
    int B, T;
    int32_t *tokens, *targets;
    real *w;                                /* the weights, on the host */
};

static void tokens_of(const struct Row *row, struct Case *k)
{
    const int N = k->B * k->T, V = k->m.config.V;
    k->tokens = backend_host_alloc((size_t)N * sizeof(int32_t), "tokens");
    k->targets = backend_host_alloc((size_t)N * sizeof(int32_t), "targets");
    for (int i = 0; i < N; i++) {
        k->tokens[i] = (int32_t)((noise(7, (uint64_t)i) + 1) / 2 * V);
        k->targets[i] = (int32_t)((noise(8, (uint64_t)i) + 1) / 2 * V);
        if (row_number(row, "one", 0))
            k->tokens[i] = V - 1;
    }
}

static void weights_of(struct Case *k)
{
    k->w = model_borrow(&k->m);
    for (int i = 0; i < k->m.table.n; i++) {
        const struct Param *p = &k->m.table.row[i];
        for (size_t j = 0; j < p->size; j++)
            k->w[p->offset + j] = (real)(0.25 * noise((uint64_t)i, j)
                                         + (p->init == INIT_ONE));
    }
    real *copy = xcalloc(k->m.table.total, sizeof *copy);
    memcpy(copy, k->w, k->m.table.total * sizeof *copy);
    model_return(&k->m, k->w, true);
    k->w = copy;
}

static void case_open(const struct Row *row, struct Case *k,
                      struct ModelOptions o, bool training)
{
    const struct Config c = {
        .V = row_int(row, "V"), .T = row_int(row, "T") + 3,
        .L = row_int(row, "L"), .NH = row_int(row, "NH"),
        .C = row_int(row, "C"),
    };
    *k = (struct Case){ .B = row_int(row, "B"), .T = row_int(row, "T") };
    o.precision = BF16;
    o.rows = (int)row_number(row, "rows", 0);
    if (!model_create_as(&k->m, &c, k->B + 1, k->T, training, &o, &error))
        fail_msg("%s", error.text);
    tokens_of(row, k);
    weights_of(k);
}

static void case_close(struct Case *k)
{
    model_free(&k->m);
    backend_host_free(k->tokens);
    backend_host_free(k->targets);
    free(k->w);
}

static real *gradient(struct Case *k)
{
    const size_t n = k->m.table.total;
    real *g = xcalloc(n, sizeof *g);
    backend_get(g, k->m.g.base, n * sizeof *g);
    return g;
}

/* ---- comparisons ---- */

static double norm_of(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static double distance(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

/* Every tensor of g as near to exact as twice the plain one. */
static void near(const struct Case *k, const real *g,
                 const struct Plain *exact, const struct Plain *plain)
{
    double *x = room(k->m.table.total), worst = 0;
    for (size_t i = 0; i < k->m.table.total; i++)
        x[i] = (double)g[i];
    for (int i = 0; i < k->m.table.n; i++) {
        const struct Param *p = &k->m.table.row[i];
        const size_t at = p->offset;
        const double size = norm_of(exact->g + at, p->size);
        double err = distance(x + at, exact->g + at, p->size);
        double allowed = 2 * distance(plain->g + at, exact->g + at,
                                      p->size);
        if (!(err <= allowed))
            fail_msg("gradient of %s: error %.2e of its length, allowed "
                     "%.2e", p->name, err / size, allowed / size);
        if (getenv("SHOW_ERRORS"))
            printf("# %-28s error %.2e allowed %.2e\n", p->name,
                   err / size, allowed / size);
        worst = fmax(worst, err / size);
    }
    printf("# largest relative error of a gradient %.2e\n", worst);
    free(x);
}

static void same(const struct Case *k, const real *a, const real *b,
                 const char *but)
{
    for (int i = 0; i < k->m.table.n; i++) {
        const struct Param *p = &k->m.table.row[i];
        if (but && strstr(p->name, but))
            continue;
        if (memcmp(a + p->offset, b + p->offset, p->size * sizeof *a))
            fail_msg("%s differs", p->name);
    }
}

static double train(struct Case *k)
{
    return model_forward_backward(&k->m, k->tokens, k->targets, k->B, k->T, 1, false);
}

static void poison(struct Case *k)
{
    const size_t n = k->m.table.total;
    real *g = xcalloc(n, sizeof *g);
    for (size_t i = 0; i < n; i++)
        g[i] = (real)NAN;
    backend_put(k->m.g.base, g, n * sizeof *g);
    free(g);
}

/* ---- rows ---- */

static struct ModelOptions options_of(const struct Row *row)
{
    return (struct ModelOptions){
        .recompute = (enum Recompute)(int)row_number(row, "redo", 0),
        .no_master = row_number(row, "master", 1) == 0 };
}

static void gradient_row(const struct Row *row)
{
    struct Case k;
    struct Plain exact, plain;
    case_open(row, &k, options_of(row), true);
    poison(&k);
    double loss = train(&k);
    real *g = gradient(&k);
    plain_model(&exact, &k.m, k.w, k.tokens, k.targets, k.B, k.T,
                ROUND_NONE);
    plain_model(&plain, &k.m, k.w, k.tokens, k.targets, k.B, k.T,
                ROUND_OURS);
    near(&k, g, &exact, &plain);
    /* of one number, twice an error that may happen to be nothing is no
     * measure: a token's loss may be off by a unit of its logit */
    double allowed = 2 * fmax(fabs(plain.loss - exact.loss),
                              exact.spread / 256 / sqrt(k.B * k.T));
    if (!(fabs(loss - exact.loss) <= allowed))
        fail_msg("loss %.6f, exact %.6f, allowed %.2e", loss, exact.loss,
                 allowed);
    plain_free(&exact), plain_free(&plain);
    free(g);
    case_close(&k);
}

/* Two halves of a batch, added. */
static void accumulate_row(const struct Row *row)
{
    struct Case k;
    struct Plain exact, plain;
    case_open(row, &k, options_of(row), true);
    const int half = k.B / 2;
    poison(&k);
    model_train_start(&k.m, k.tokens, k.targets, half, k.T, 0.5f, false);
    model_train_start(&k.m, k.tokens + half * k.T, k.targets + half * k.T,
                      half, k.T, 0.5f, true);
    double loss = model_train_loss(&k.m) / 2;
    real *g = gradient(&k);
    plain_model(&exact, &k.m, k.w, k.tokens, k.targets, k.B, k.T,
                ROUND_NONE);
    plain_model(&plain, &k.m, k.w, k.tokens, k.targets, k.B, k.T,
                ROUND_OURS);
    near(&k, g, &exact, &plain);
    if (!(fabs(loss - exact.loss) <= exact.spread / 64))
        fail_msg("loss %.6f, exact %.6f", loss, exact.loss);
    plain_free(&exact), plain_free(&plain);
    free(g);
    case_close(&k);
}

/* Logits of the last positions, and the loss alone. */
static void forward_row(const struct Row *row)
{
    struct Case k;
    struct Plain exact, plain;
    case_open(row, &k, options_of(row), false);
    const size_t V = (size_t)k.m.config.V, n = (size_t)k.B * V;
    real *got = xcalloc(n, sizeof *got);
    double *x = room(n), *y = room(n), *z = room(n);
    model_logits(&k.m, got, k.tokens, k.B, k.T);
    double loss = model_loss(&k.m, k.tokens, k.targets, k.B, k.T);
    plain_model(&exact, &k.m, k.w, k.tokens, k.targets, k.B, k.T,
                ROUND_NONE);
    plain_model(&plain, &k.m, k.w, k.tokens, k.targets, k.B, k.T,
                ROUND_OURS);
    for (size_t i = 0; i < n; i++) {
        size_t at = ((i / V + 1) * (size_t)k.T - 1) * V + i % V;
        x[i] = (double)got[i];
        y[i] = exact.logits[at];
        z[i] = plain.logits[at];
    }
    if (!(distance(x, y, n) <= 2 * distance(z, y, n)))
        fail_msg("logits: error %.2e, allowed %.2e", distance(x, y, n),
                 2 * distance(z, y, n));
    if (!(fabs(loss - exact.loss) <= exact.spread / 64))
        fail_msg("loss %.6f, exact %.6f", loss, exact.loss);
    free(x), free(y), free(z), free(got);
    plain_free(&exact), plain_free(&plain);
    case_close(&k);
}

/* The same three times (on a real GPU: launched one by one, captured in a
 * graph, from the graph); and the same loss without a gradient. */
static void again_row(const struct Row *row)
{
    struct Case k;
    case_open(row, &k, options_of(row), true);
    double first = train(&k);
    real *g = gradient(&k);
    for (int i = 0; i < 3; i++) {
        poison(&k);
        double loss = train(&k);
        real *h = gradient(&k);
        same(&k, g, h, NULL);
        assert_true(loss == first);
        free(h);
    }
    assert_true(first == model_loss(&k.m, k.tokens, k.targets, k.B, k.T));
    free(g);
    case_close(&k);
}

/* What is made again is what was there: all bits the same, but for the
 * GELU of a rounded number, which only the gradient of mlp.c_proj reads. */
static void redo_row(const struct Row *row)
{
    struct Case k, again;
    struct ModelOptions o = options_of(row), none = o;
    none.recompute = KEEP_ALL;
    case_open(row, &k, none, true);
    case_open(row, &again, o, true);
    const size_t kept = k.m.plan.total_bytes;
    assert_true(again.m.plan.total_bytes < kept || k.m.config.L == 1);
    poison(&again);
    assert_true(train(&k) == train(&again));
    real *g = gradient(&k), *h = gradient(&again);
    same(&k, g, h, o.recompute == REDO_BLOCK ? NULL : "mlp.c_proj.weight");
    free(g), free(h);
    case_close(&k), case_close(&again);
}

/* The same lives in other layouts: all bits the same.  Launched kernel by
 * kernel, since a graph keeps the addresses that it saw. */
static void layouts_row(const struct Row *row)
{
    struct Case k;
    struct ModelOptions o = options_of(row);
    o.no_graph = true;
    case_open(row, &k, o, true);
    struct Rng r = rng_new(4, 0);
    double loss = train(&k);
    real *g = gradient(&k);
    for (int i = 0; i < 8; i++) {
        void *memory = backend_alloc(lay_out(&k.m.plan, &r), "a test");
        memset(k.m.bf16->again, 0,
               (size_t)k.m.config.L * sizeof *k.m.bf16->again);
        plan_bind(&k.m.plan, memory);
        bf16_keep(&k.m);
        poison(&k);
        assert_true(train(&k) == loss);
        real *h = gradient(&k);
        same(&k, g, h, NULL);
        free(h);
        backend_free(memory);
    }
    free(g);
    case_close(&k);
}

/* Weights that go in come out, rounded if there is no fp32 copy. */
static void weights_row(const struct Row *row)
{
    struct Case k;
    struct ModelOptions o = options_of(row);
    case_open(row, &k, o, false);
    real *w = model_borrow(&k.m);
    for (int i = 0; i < k.m.table.n; i++) {
        const struct Param *p = &k.m.table.row[i];
        for (size_t j = p->offset; j < p->offset + p->size; j++) {
            real want = o.no_master
                ? (real)bf16_to_float(float_to_bf16((float)k.w[j]))
                : k.w[j];
            if (w[j] != want)
                fail_msg("%s: %g came back as %g", p->name,
                         (double)k.w[j], (double)w[j]);
        }
    }
    model_return(&k.m, w, false);
    case_close(&k);
}

/* ---- GPT-2 itself: on a real GPU ---- */

static void only_on_a_gpu(void)
{
    if (backend_kind() != BACKEND_CUDA || getenv("SANITIZING")) {
        print_message("# too large for the software GPU, and for a "
                      "sanitizer\n");
        skip();
    }
}

static real *gradient_of_gpt2(enum Precision p, const struct Row *row)
{
    struct Case k = { .B = row_int(row, "B"), .T = row_int(row, "T") };
    struct Config c;
    const struct ModelOptions o = { .precision = p };
    if (!config_preset(&c, "gpt2", &error)
        || !model_create_as(&k.m, &c, k.B, k.T, true, &o, &error))
        fail_msg("%s", error.text);
    tokens_of(row, &k);
    model_init(&k.m, 1);
    double loss = train(&k);
    printf("# GPT-2 in %s: loss %.6f\n", precision_name(p), loss);
    real *g = gradient(&k);
    case_close(&k);
    return g;
}

/* The whole gradient in bf16 and in fp32, of the same weights. */
static void gpt2_row(const struct Row *row)
{
    only_on_a_gpu();
    double err = 0, size = 0;
    real *g = gradient_of_gpt2(BF16, row), *h = gradient_of_gpt2(FP32, row);
    for (size_t i = 0; i < 124439808; i++) {
        double d = (double)g[i] - (double)h[i];
        err += d * d;
        size += (double)h[i] * (double)h[i];
    }
    printf("# gradient of GPT-2: bf16 is off by %.3f %% of its length\n",
           100 * sqrt(err / size));
    assert_true(sqrt(err / size) < 0.03);
    free(g), free(h);
}

/* What the plan says is what a run takes, within 5 %. */
static void memory_row(const struct Row *row)
{
    only_on_a_gpu();
    struct Case k = { .B = row_int(row, "B"), .T = row_int(row, "T") };
    struct Config c;
    struct ModelOptions o = options_of(row);
    size_t before, after, all;
    o.precision = BF16;
    backend_memory(&before, &all);
    if (!config_preset(&c, "gpt2", &error)
        || !model_create_as(&k.m, &c, k.B, k.T, true, &o, &error))
        fail_msg("%s", error.text);
    void *moments = backend_alloc(2 * k.m.table.total * sizeof(real), "m");
    tokens_of(row, &k);
    model_init(&k.m, 1);
    train(&k);
    train(&k);
    backend_memory(&after, &all);
    double planned = (double)model_bytes(&c, k.B, k.T, true, true, &o);
    double taken = (double)(before - after);
    printf("# %s: %.3f GB planned, %.3f GB taken\n", row->name,
           planned / 1e9, taken / 1e9);
    if (!(fabs(taken / planned - 1) <= 0.05))
        fail_msg("planned %.3f GB, taken %.3f GB", planned / 1e9,
                 taken / 1e9);
    backend_free(moments);
    case_close(&k);
}

static const struct Refused {
    const char *name;
    struct Config c;
    const char *says;
} refused[] = {
    { "bf16 refuses C=36", { 8, 8, 1, 1, 36 }, "multiple of 8" },
    { "bf16 refuses HS=16", { 8, 8, 1, 3, 48 }, "32, 64, 80 and 128" },
};

static void refused_row(const struct Row *row)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct Model m;
        const struct ModelOptions o = { .precision = BF16 };
        if (strcmp(refused[i].name, row->name) != 0)
            continue;
        assert_false(model_create_as(&m, &refused[i].c, 1, 4, true, &o,
                                     &error));
        assert_non_null(strstr(error.text, refused[i].says));
        model_free(&m);
    }
}

/* ---- whole runs ---- */

#define OUT "build/fast-model"

static void shard_of(const char *path)
{
    static uint16_t token[2000];
    struct ShardWriter w;
    for (int i = 0; i < 2000; i++)
        token[i] = (uint16_t)(i * i % 97);
    if (!shard_create(&w, path, &error) || !shard_append(&w, token, 2000)
        || !shard_finish(&w, &error))
        fail_msg("%s", error.text);
}

static void run_open(struct Trainer *t, const struct Row *row)
{
    const struct Config c = { .V = 97, .T = 16, .L = 2, .NH = 2, .C = 64 };
    const struct TrainConfig config = {
        .B = 2, .T = 16, .accumulate = 2, .seed = 3,
        .optimizer = { .beta1 = 0.9, .beta2 = 0.95, .eps = 1e-8,
                       .decay = 0.1, .clip = 1 },
        .schedule = { SCHEDULE_CONSTANT, 1e-2, 1, 1, 0, 100 },
        .options = options_of(row),
    };
    struct TrainConfig own = config;
    own.options.precision = BF16;
    if (!trainer_create(t, &own, &c, OUT ".bin", NULL, &error))
        fail_msg("%s", error.text);
}

static double steps(struct Trainer *t, int n)
{
    struct StepReport r = { 0 };
    for (int i = 0; i < n; i++)
        if (!trainer_step(t, &r, &error))
            fail_msg("%s", error.text);
    return r.loss;
}

/* Four steps, or two, a checkpoint, another process's two. */
static void resume_row(const struct Row *row)
{
    struct Trainer t, u;
    char path[FILE_PATH_MAX];
    int64_t step;
    if (system("rm -rf " OUT " && mkdir -p " OUT) != 0)
        fail_msg("cannot make " OUT);
    shard_of(OUT ".bin");
    run_open(&t, row);
    model_init(&t.model, 5);
    double first = steps(&t, 1);
    steps(&t, 1);
    if (!trainer_save(&t, OUT, NULL, 0, &error)
        || !checkpoint_latest(OUT, path, &step, &error))
        fail_msg("%s", error.text);
    double loss = steps(&t, 3);
    assert_true(loss < first);
    run_open(&u, row);
    if (!trainer_resume(&u, path, &error))
        fail_msg("%s", error.text);
    assert_true(steps(&u, 3) == loss);
    real *a = model_borrow(&t.model), *b = model_borrow(&u.model);
    for (int i = 0; i < t.model.table.n; i++) {
        const struct Param *p = &t.model.table.row[i];
        assert_memory_equal(a + p->offset, b + p->offset,
                            p->size * sizeof *a);
    }
    model_return(&t.model, a, false), model_return(&u.model, b, false);
    trainer_free(&t), trainer_free(&u);
}

static const struct Row rows[] = {
{ "gradient B=3 T=19 V=131 L=2 NH=2 C=64", gradient_row,
  "the residual's gradient lost; a bias of another layer" },
{ "gradient B=2 T=65 V=257 L=1 NH=1 C=64", gradient_row,
  "heads of 64; a T that is no tile" },
{ "gradient B=2 T=13 V=128 L=1 NH=1 C=64", gradient_row,
  "the position vectors' gradient not cleared" },
{ "gradient B=1 T=1 V=8 L=3 NH=1 C=32", gradient_row,
  "sizes from B T without room for one row" },
{ "gradient B=3 T=19 V=131 L=2 NH=2 C=64 rows=10", gradient_row,
  "a chunk of logits with the first one's targets; wte overwritten" },
{ "gradient B=3 T=11 V=40 L=2 NH=2 C=64 one=1", gradient_row,
  "one token that fills the batch" },
{ "gradient B=3 T=19 V=131 L=2 NH=2 C=64 redo=1", gradient_row,
  "gelu read before it is made again" },
{ "gradient B=3 T=19 V=131 L=2 NH=2 C=64 redo=3", gradient_row,
  "a block made again from the wrong layer" },
{ "gradient B=2 T=13 V=50 L=2 NH=2 C=64 master=0", gradient_row,
  "bf16 weights only" },
{ "accumulate B=4 T=9 V=131 L=2 NH=2 C=64", accumulate_row,
  "= where += is meant, and the other way round" },
{ "accumulate B=4 T=9 V=131 L=2 NH=2 C=64 rows=5", accumulate_row,
  "the first chunk of the second half overwrites wte" },
{ "forward B=3 T=19 V=131 L=2 NH=2 C=64", forward_row,
  "not the last position; a row of Vp logits read as V" },
{ "forward B=3 T=19 V=131 L=2 NH=2 C=64 rows=20", forward_row,
  "losses of the last chunk only" },
{ "again B=3 T=19 V=131 L=2 NH=2 C=64", again_row,
  "an order of sums that changes; what a graph does not see" },
{ "again B=3 T=19 V=131 L=2 NH=2 C=64 redo=3", again_row,
  "what a block's second run leaves behind" },
{ "redo B=3 T=19 V=131 L=3 NH=2 C=64 redo=1", redo_row,
  "a buffer that lives too short" },
{ "redo B=3 T=19 V=131 L=3 NH=2 C=64 redo=2", redo_row,
  "a buffer that lives too short" },
{ "redo B=3 T=19 V=131 L=3 NH=2 C=64 redo=3", redo_row,
  "a buffer that lives too short" },
{ "layouts B=1 T=9 V=50 L=2 NH=2 C=64", layouts_row,
  "a buffer that lives too short, and that nobody replaces" },
{ "layouts B=1 T=9 V=50 L=2 NH=2 C=64 redo=2", layouts_row,
  "a buffer that lives too short, and that nobody replaces" },
{ "layouts B=1 T=9 V=50 L=2 NH=2 C=64 redo=3", layouts_row,
  "a buffer that lives too short, and that nobody replaces" },
{ "weights B=1 T=4 V=131 L=2 NH=2 C=64", weights_row,
  "weights that are not floats in memory" },
{ "weights B=1 T=4 V=131 L=2 NH=2 C=64 master=0", weights_row,
  "the gap behind wte forgotten on the way back" },
{ "resume", resume_row, "bf16 weights not made from the file's" },
{ "resume master=0", resume_row, "random bits by the process, not the step" },
{ "gpt2 B=2 T=1024", gpt2_row,
  "bf16 where float is needed" },
{ "memory B=16 T=1024", memory_row,
  "a plan that leaves things out" },
{ "memory B=64 T=1024 redo=3", memory_row,
  "a plan of what is kept when little is" },
{ "bf16 refuses C=36", refused_row, "a size the kernels cannot" },
{ "bf16 refuses HS=16", refused_row, "a head the kernels have not" },
};

int main(void)
{
    kernels_from_environment();
    return rows_run("gpu_model", rows, sizeof rows / sizeof *rows);
}
