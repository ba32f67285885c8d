/* Ten steps of the trainer in double against ten of PyTorch's AdamW with
 * clipping, on the model in tests/data/gpt2-tiny; and accumulation. */
#include "gpt2/trainer.h"

#include "io/safetensors.h"
#include "io/weights.h"
#include "ops/adamw/adamw.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TINY "tests/data/gpt2-tiny/"

enum { B = 3, T = 19, STEPS = 10, BATCH = B * T };

static int32_t inputs[STEPS + 1][BATCH], targets[STEPS + 1][BATCH];
static struct Error e;

#define MUST(call) \
    do { if (!(call)) fail_msg("%s", e.text); } while (0)

static void read_batches(void)
{
    struct Safetensors s;
    MUST(safetensors_open(&s, TINY "batches.safetensors", &e));
    const struct StTensor *i = safetensors_find(&s, "inputs");
    const struct StTensor *t = safetensors_find(&s, "targets");
    assert_true(i && t && i->count == (STEPS + 1) * BATCH);
    memcpy(inputs, s.data + i->begin, sizeof inputs);
    memcpy(targets, s.data + t->begin, sizeof targets);
    safetensors_close(&s);
}

static void read_reals(const char *name, real *out)
{
    struct Safetensors s;
    MUST(safetensors_open(&s, TINY "expected.safetensors", &e));
    const struct StTensor *t = safetensors_find(&s, name);
    assert_true(t != NULL && t->count == STEPS);
    MUST(safetensors_read(&s, t, out, &e));
    safetensors_close(&s);
}

/* A trainer without data. */
static void start(struct Trainer *t)
{
    struct Config c;
    memset(t, 0, sizeof *t);
    MUST(weights_config(&c, TINY "model.safetensors", 0, &e));
    MUST(model_create(&t->model, &c, B, T, true, &e));
    MUST(weights_load(&t->model, TINY "model.safetensors", &e));
    t->config = (struct TrainConfig){ .B = B, .T = T, .accumulate = 1,
        .optimizer = { .beta1 = 0.9, .beta2 = 0.95, .eps = 1e-8,
                       .decay = 0.1, .clip = 1 },
        .schedule = { SCHEDULE_CONSTANT, 1e-3, 1, 1, 0, STEPS } };
    MUST(optimizer_create(&t->optimizer, &t->model, &t->config.optimizer, 0,
                          &e));
}

static void finish(struct Trainer *t)
{
    optimizer_free(&t->optimizer);
    model_free(&t->model);
}

static void step(struct Trainer *t, int i, struct StepReport *r)
{
    r->loss = model_forward_backward(&t->model, inputs[i], targets[i], B, T, 1, false);
    MUST(trainer_update(t, r, &e));
}

static void ten_steps_of_pytorch(void **state)
{
    (void)state;
    static struct Trainer t;
    static struct Model after;
    real loss[STEPS], norm[STEPS];
    struct StepReport r;
    read_reals("step_losses", loss);
    read_reals("step_norms", norm);
    start(&t);
    for (int i = 0; i < STEPS; i++) {
        step(&t, i + 1, &r);
        if (!(fabs(r.loss - loss[i]) <= 1e-9 * loss[i])
            || !(fabs(r.norm - norm[i]) <= 1e-8 * norm[i]))
            fail_msg("step %d: loss %.12g, expected %.12g; norm %.12g, "
                     "expected %.12g", i + 1, r.loss, (double)loss[i],
                     r.norm, (double)norm[i]);
    }
    MUST(model_create(&after, &t.model.config, 1, 1, false, &e));
    MUST(weights_load(&after, TINY "after.safetensors", &e));
    for (size_t i = 0; i < t.model.table.total; i++) {
        double want = (double)after.w.base[i];
        double error = fabs((double)t.model.w.base[i] - want);
        if (!(error <= 1e-7 * fabs(want) + 1e-9))
            fail_msg("weight %zu: %.9g, expected %.9g", i,
                     (double)t.model.w.base[i], want);
    }
    model_free(&after);
    finish(&t);
}

/* Three batches of one row make the gradient of one of three rows. */
static void accumulation(void **state)
{
    (void)state;
    static struct Trainer t;
    start(&t);
    size_t n = t.model.table.total;
    real *whole = malloc(n * sizeof *whole);
    double loss = model_forward_backward(&t.model, inputs[0], targets[0], B, T, 1,
                                         false);
    memcpy(whole, t.model.g.base, n * sizeof *whole);
    double norm = sqrt(sum_squares(whole, n)), sum = 0;
    for (int b = 0; b < B; b++)
        sum += model_forward_backward(&t.model, inputs[0] + b * T, targets[0] + b * T,
                                      1, T, (real)1 / B, b > 0);
    assert_true(fabs(sum / B - loss) <= 1e-13 * loss);
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)(whole[i] - t.model.g.base[i])) <= 1e-13 * norm))
            fail_msg("gradient %zu: %g, expected %g", i,
                     (double)t.model.g.base[i], (double)whole[i]);
    free(whole);
    finish(&t);
}

/* A gradient shorter than the limit passes as it is, a longer one is
 * shortened: the first step's second moment shows by how much. */
static void clipping(void **state)
{
    (void)state;
    static struct Trainer t;
    struct StepReport r;
    for (int k = 0; k < 3; k++) {
        const double limit[3] = { 0, 1e6, 0.01 };
        start(&t);
        t.optimizer.config.clip = limit[k];
        step(&t, 1, &r);
        double length = 0;
        for (size_t i = 0; i < t.model.table.total; i++)
            length += (double)t.optimizer.v[i] / 0.05;
        double want = k == 2 ? 0.01 : r.norm;
        assert_true(fabs(sqrt(length) - want) <= 1e-9 * want);
        finish(&t);
    }
}

/* A step that is not finite changes nothing. */
static void refusal(void **state)
{
    (void)state;
    static struct Trainer t;
    struct StepReport r = { .loss = 3 };
    struct Error why;
    start(&t);
    size_t n = t.model.table.total;
    real *was = malloc(n * sizeof *was);
    memcpy(was, t.model.w.base, n * sizeof *was);
    t.model.g.base[n / 2] = NAN;
    assert_false(trainer_update(&t, &r, &why));
    t.model.g.base[n / 2] = 0;
    r.loss = INFINITY;
    assert_false(trainer_update(&t, &r, &why));
    assert_non_null(strstr(why.text, "step 1: the loss is inf"));
    assert_memory_equal(was, t.model.w.base, n * sizeof *was);
    assert_int_equal(t.step, 0);
    for (size_t i = 0; i < n; i++)
        assert_true(t.optimizer.m[i] == 0 && t.optimizer.v[i] == 0);
    free(was);
    finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_steps_of_pytorch),
        cmocka_unit_test(accumulation),
        cmocka_unit_test(clipping),
        cmocka_unit_test(refusal),
    };
    read_batches();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
