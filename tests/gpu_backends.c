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

enum { STEPS = 2 };

static struct Error error;
#define OK(call) do { if (!(call)) { fprintf(stderr, "%s: %s\n", #call, \
    error.text); assert_true(false); } } while (0)

/* A small text as a shard. */
static char dir[] = "/tmp/mb-test-XXXXXX", path[64];

static const char *shard_path(void)
{
    static uint16_t token[4000];
    struct ShardWriter w;
    if (*path)
        return path;
    assert_true(mkdtemp(dir) != NULL);
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
};

int main(void)
{
    setenv("SIMT_DEVICES", "2", 1);     /* two, if they are simulated */
    const int failed = rows_run("backends", rows,
                                sizeof rows / sizeof *rows);
    if (*path && (remove(path) || rmdir(dir)))
        perror(dir);
    return failed;
}
