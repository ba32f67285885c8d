/* Several models in one process, on one backend or on several: in turns they
 * train to the same bits as each alone.  Runs where there is a GPU, real or
 * simulated; the rows with two GPUs need two. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "backend/backend.h"
#include "base/error.h"
#include "data/shard.h"
#include "gpt2/trainer.h"
#include "ops/operators.h"
#include "programs/kernels.h"
#include "rows.h"               /* last: cmocka has a macro called fail */
#include "scratch.h"

enum { STEPS = 2 };

static struct Error error;
#define OK(call) do { if (!(call)) { fprintf(stderr, "%s: %s\n", #call, \
    error.text); assert_true(false); } } while (0)

/* A small text as a shard. */
static char path[64];

static const char *shard_path(void)
{
    static uint16_t token[4000];
    struct ShardWriter w;
    if (*path)
        return path;
    assert_true(make_dir(NULL) == 0);
    snprintf(path, sizeof path, "%s/tokens.bin", dir);
    for (int i = 0; i < 4000; i++)
        token[i] = (uint16_t)((i * 2654435761u >> 7) % 256);
    OK(shard_create(&w, path, &error) && shard_append(&w, token, 4000)
       && shard_finish(&w, &error));
    return path;
}

/* What a training leaves: each step's loss and norm, then all weights. */
struct Trace { double loss[STEPS], norm[STEPS]; uint64_t weights; };

struct Runner { struct Backend *on; struct Trainer t; };

static void start(struct Runner *r, struct Backend *on, enum Precision p)
{
    const struct Config model = { .V = 256, .T = 16, .L = 1, .NH = 1,
                                  .C = 32 };
    const struct TrainConfig config = {
        .B = 1, .T = 16, .accumulate = 2, .seed = 1,
        .optimizer = { .beta1 = 0.9, .beta2 = 0.95, .eps = 1e-8,
                       .decay = 0.1, .clip = 1 },
        .options = { .precision = p },
        .schedule = { .shape = SCHEDULE_COSINE, .lr = 1e-3, .last = 0.1,
                      .cooldown = 0.2, .warmup = 2, .steps = 100 },
    };
    r->on = on;
    struct Backend *before = backend_use(on);
    OK(trainer_create(&r->t, &config, &model, shard_path(), NULL, &error));
    model_init(&r->t.model, 1);
    backend_use(before);
}

/* Whatever the current backend is. */
static void step(struct Runner *r, struct Trace *trace, int i)
{
    struct StepReport s;
    OK(trainer_step(&r->t, &s, &error));
    trace->loss[i] = s.loss;
    trace->norm[i] = s.norm;
}

static void finish(struct Runner *r, struct Trace *trace)
{
    struct Model *m = &r->t.model;
    real *w = model_borrow(m);
    trace->weights = 14695981039346656037u;
    for (size_t i = 0; i < m->table.total * sizeof *w; i++)
        trace->weights = (trace->weights ^ ((unsigned char *)w)[i])
                       * 1099511628211u;
    model_return(m, w, false);
    trainer_free(&r->t);
}

static struct Trace alone(struct Backend *on, enum Precision p)
{
    struct Runner r;
    struct Trace trace;
    memset(&trace, 0, sizeof trace);
    start(&r, on, p);
    for (int i = 0; i < STEPS; i++)
        step(&r, &trace, i);
    finish(&r, &trace);
    return trace;
}

static void same(const struct Trace *a, const struct Trace *b)
{
    for (int i = 0; i < STEPS; i++)
        if (memcmp(&a->loss[i], &b->loss[i], sizeof *a->loss)
            || memcmp(&a->norm[i], &b->norm[i], sizeof *a->norm)) {
            fprintf(stderr, "step %d: loss %.17g alone, %.17g in turns; norm "
                        "%.17g, %.17g\n", i, a->loss[i], b->loss[i],
                        a->norm[i], b->norm[i]);
            assert_true(false);
        }
    assert_true(a->weights == b->weights);
}

/* Two trainings in turns, begun and ended crosswise. */
static void in_turns(struct Backend *on1, enum Precision p1,
                     struct Backend *on2, enum Precision p2)
{
    const struct Trace one = alone(on1, p1), two = alone(on2, p2);
    struct Trace t1 = { 0 }, t2 = { 0 };
    struct Runner a, b;
    start(&a, on1, p1);
    start(&b, on2, p2);
    for (int i = 0; i < STEPS; i++) {
        step(&a, &t1, i);
        step(&b, &t2, i);
    }
    finish(&a, &t1);
    finish(&b, &t2);
    same(&one, &t1);
    same(&two, &t2);
}

static struct Backend *gpu(int device)
{
    struct Backend *b = backend_open(backend_rows->calls->kind, device,
                                     &error);
    if (b) {
        struct Backend *before = backend_use(b);
        kernels_from_environment();
        backend_use(before);
    }
    return b;
}

static void precisions_row(const struct Row *row)
{
    (void)row;
    struct Backend *g = gpu(0);
    assert_true(g != NULL);
    in_turns(g, FP32, g, BF16);
    backend_close(g);
}

static void cpu_row(const struct Row *row)
{
    (void)row;
    struct Backend *c = backend_open(BACKEND_CPU, 0, &error), *g = gpu(0);
    assert_true(c && g);
    in_turns(c, FP32, g, FP32);
    in_turns(g, BF16, c, FP32);
    backend_close(c);
    backend_close(g);
}

static void two_of_one_row(const struct Row *row)
{
    (void)row;
    struct Backend *g = gpu(0), *h = gpu(0);
    assert_true(g && h);
    in_turns(g, BF16, h, BF16);
    backend_close(g);
    backend_close(h);
}

static size_t left_on(struct Backend *b)
{
    size_t left, all;
    struct Backend *before = backend_use(b);
    assert_true(backend_memory(&left, &all));
    backend_use(before);
    return left;
}

static void two_gpus_row(const struct Row *row)
{
    (void)row;
    struct Backend *g = gpu(0), *h = gpu(1);
    if (!h) {
        fprintf(stderr, "%s\n", error.text);
        backend_close(g);
        skip();
    }
    assert_true(g != NULL);
    const size_t before[2] = { left_on(g), left_on(h) };
    struct Backend *last = backend_use(h);
    void *p = backend_alloc(64 << 20, "a test");
    assert_true(left_on(g) == before[0]);
    assert_true(left_on(h) <= before[1] - (64 << 20));
    backend_free(p);
    backend_use(last);
    in_turns(g, FP32, h, BF16);
    in_turns(h, FP32, g, FP32);
    backend_close(g);
    backend_close(h);
}

/* What one model was told to use is not used by the next. */
static void kernels_row(const struct Row *row)
{
    (void)row;
    struct Backend *g = gpu(0), *before = backend_use(g);
    const int standard_kernel = g->kernels.matmul_bf16;
    const struct Trace standard = alone(g, BF16);
    struct Trace t1 = { 0 }, t2 = { 0 };
    struct Runner a, b;
    start(&a, g, BF16);
    assert_true(matmul_bf16_use("plain"));
    start(&b, g, BF16);
    g->kernels.matmul_bf16 = standard_kernel;
    assert_true(a.t.model.kernels.matmul_bf16
                != b.t.model.kernels.matmul_bf16);
    for (int i = 0; i < STEPS; i++) {
        step(&a, &t1, i);
        step(&b, &t2, i);
    }
    assert_true(g->kernels.matmul_bf16 == standard_kernel);
    finish(&a, &t1);
    finish(&b, &t2);
    same(&standard, &t1);
    backend_use(before);
    backend_close(g);
}

static void refused_row(const struct Row *row)
{
    (void)row;
    assert_true(!backend_open(backend_rows->calls->kind, 31, &error));
    assert_true(strstr(error.text, "no GPU 31") != NULL);
    assert_true(!backend_open(BACKEND_CPU, 1, &error));
    assert_true(strstr(error.text, "no device 1") != NULL);
}

/* ---- failures --------------------------------------------------------- */

/* The calls of a backend whose n-th allocation asks for too much. */
static const struct BackendCalls *honest;
static int allocations, nth;

static size_t asked(size_t bytes)
{
    return ++allocations == nth ? (size_t)1 << 60 : bytes;
}

static void *alloc_or_not(struct Backend *b, size_t bytes, const char *what)
{
    return honest->alloc(b, asked(bytes), what);
}

static void *host_alloc_or_not(struct Backend *b, size_t bytes,
                               const char *what)
{
    return honest->host_alloc(b, asked(bytes), what);
}

static void refuse_allocation(struct Backend *b, int n)
{
    static struct BackendCalls calls;
    if (!honest)
        honest = b->calls;
    calls = *honest;
    calls.alloc = alloc_or_not;
    calls.host_alloc = host_alloc_or_not;
    b->calls = n ? &calls : honest;
    allocations = 0;
    nth = n;
}

/* create, but it may fail. */
static bool try_start(struct Runner *r, struct Backend *on,
                      enum Precision p)
{
    const struct Config model = { .V = 256, .T = 16, .L = 1, .NH = 1,
                                  .C = 32 };
    const struct TrainConfig config = { .B = 1, .T = 16, .accumulate = 2,
                                        .options = { .precision = p } };
    struct Backend *before = backend_use(on);
    const bool good = trainer_create(&r->t, &config, &model, shard_path(),
                                     NULL, &error);
    backend_use(before);
    return good;
}

/* A trainer for which the n-th piece of memory cannot be had, for all n:
 * nothing is left behind, and the next one trains as always. */
static void memory_row(const struct Row *row)
{
    const enum Precision p = strstr(row->name, "bf16") ? BF16 : FP32;
    const int pieces = row_int(row, "pieces");
    struct Backend *g = gpu(0);
    assert_true(g != NULL);
    const struct Trace usual = alone(g, p);
    const size_t before = left_on(g);
    int n = 1;
    for (struct Runner r;; n++) {
        refuse_allocation(g, n);
        const bool good = try_start(&r, g, p);
        refuse_allocation(g, 0);
        if (good) {
            trainer_free(&r.t);
            break;
        }
        assert_true(!strncmp(error.text, "no memory on the GPU for ", 25)
                    || !strncmp(error.text, "no pinned memory for ", 21));
        assert_true(!g->failed);
        if (g->calls->kind == BACKEND_SIMT)
            assert_true(left_on(g) == before);
    }
    if (n != pieces + 1)
        fail_msg("%d pieces", n - 1);
    const struct Trace again = alone(g, p);
    same(&usual, &again);
    backend_close(g);
}

static uint64_t weights_of(struct Trainer *t)
{
    struct Runner r = { .t = *t };
    struct Trace trace = { 0 };
    real *w = model_borrow(&r.t.model);
    assert_true(w != NULL);
    for (size_t i = 0; i < t->model.table.total; i++)
        trace.weights = trace.weights * 1099511628211u
                      + (uint64_t)(w[i] * 1e6f);
    model_return(&r.t.model, w, false);
    return trace.weights;
}

/* After a step has failed with this message: no loss, nothing saved, weights
 * as they were, and still the same message. */
static void after_failure(struct Runner *r, struct Backend *g,
                          uint64_t weights, const char *message)
{
    struct Trainer *t = &r->t;
    struct Error again;
    const int32_t tokens[16] = { 0 };
    real logits[256];
    char out[80];
    if (!strstr(error.text, message))
        fail_msg("says: %s", error.text);
    assert_true(t->step == 0 && t->sequences == 0);
    assert_true(isnan(model_loss(&t->model, tokens, tokens, 1, 16)));
    assert_true(isnan(model_grad_sumsq(&t->model)));
    model_logits(&t->model, logits, tokens, 1, 16);
    assert_true(isnan(logits[0]) && isnan(logits[255]));
    assert_true(!model_borrow(&t->model));
    snprintf(out, sizeof out, "%s/out", dir);
    assert_true(!trainer_save(t, out, NULL, 0, &again));
    assert_true(strcmp(again.text, error.text) == 0);
    assert_true(access(out, F_OK) != 0);
    struct Backend *before = backend_use(g);
    backend_recover();                  /* only to look at the weights */
    backend_use(before);
    assert_true(weights_of(t) == weights);
}

/* An operator of a step finds no memory for its partial sums, or for what
 * else it allocates at first. */
static void scratch_row(const struct Row *row)
{
    const enum Precision p = strstr(row->name, "bf16") ? BF16 : FP32;
    int n = 1;
    bool good = false;
    for (struct Runner r; !good; n++) {
        struct Backend *g = gpu(0);     /* which has no scratch yet */
        struct StepReport s;
        start(&r, g, p);
        const uint64_t weights = weights_of(&r.t);
        refuse_allocation(g, n);
        good = trainer_step(&r.t, &s, &error);
        if (!good)
            after_failure(&r, g, weights, "no memory on the GPU for ");
        refuse_allocation(g, 0);
        trainer_free(&r.t);
        backend_close(g);
    }
    assert_true(n > 3);                 /* it was refused twice at least */
}

/* A launch in the middle of a step is refused: a grid without blocks. */
static void no_blocks(real *dx, const real *dy, const real *x, size_t n)
{
    const struct Operators *ops = backend_current()->ops;
    (void)dy, (void)n;
    ops->crossentropy_fwd(dx, dx, x, NULL, 0, 32, 32);
}

static void no_blocks_bf16(float *dwte, const bf16 *dx, const void *list,
                           int N, int C)
{
    (void)list, (void)N;
    no_blocks(dwte, NULL, (const real *)dx, (size_t)C);
}

static void launch_row(const struct Row *row)
{
    const enum Precision p = strstr(row->name, "bf16") ? BF16 : FP32;
    struct Backend *g = gpu(0), *h = gpu(0);
    const struct Trace usual = alone(h, p);
    struct Operators wrong = *g->ops;
    struct Runner a, b;
    struct Trace trace = { 0 };
    wrong.gelu_bwd = no_blocks;
    wrong.embedding_bf16_bwd = no_blocks_bf16;
    start(&a, g, p);
    start(&b, h, p);
    const uint64_t weights = weights_of(&a.t);
    g->ops = &wrong;
    step(&b, &trace, 0);
    struct StepReport s;
    assert_true(!trainer_step(&a.t, &s, &error));
    after_failure(&a, g, weights, "cudaGetLastError(): ");
    step(&b, &trace, 1);
    finish(&b, &trace);
    same(&usual, &trace);
    trainer_free(&a.t);
    backend_close(g);
    backend_close(h);
}

static const struct Row rows[] = {
    { "two precisions on a GPU", precisions_row,
      "a switch that one model turns for the other" },
    { "the CPU and a GPU", cpu_row,
      "a step that asks the backend in use, not the model's" },
    { "two backends of one GPU", two_of_one_row,
      "scratch memory or a stream of the process" },
    { "two GPUs", two_gpus_row, "a call that goes to device 0" },
    { "kernels of one model", kernels_row,
      "a model's kernels left behind for the next" },
    { "no such device", refused_row, "a device that is not there" },
    { "no memory, fp32 pieces=9", memory_row,
      "a piece that is not asked after, or not given back" },
    { "no memory, bf16 pieces=13", memory_row,
      "a failure that stays with the backend" },
    { "no scratch, fp32", scratch_row,
      "a kernel launched on a null pointer" },
    { "no scratch, bf16", scratch_row,
      "weights moved along half a gradient" },
    { "refused launch, fp32", launch_row, "a launch that is not checked" },
    { "refused launch, bf16", launch_row,
      "a failure shown by another backend" },
};

int main(void)
{
    setenv("SIMT_DEVICES", "2", 1);     /* two, if they are simulated */
    const int failed = rows_run("backends", rows,
                                sizeof rows / sizeof *rows);
    if (*path && remove_dir(NULL))
        perror(dir);
    return failed;
}
