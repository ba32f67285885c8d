/* The trainer on a small shard: accumulation, the data's position, resume. */
#include "gpt2/trainer.h"
#include "io/checkpoint_dir.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "scratch.h"

enum { V = 37, T = 11, WINDOWS = 20 };

static char shard[64], out[64];
static uint16_t token[WINDOWS * T + 1];
static struct Error e;

#define MUST(call) \
    do { if (!(call)) fail_msg("%s", e.text); } while (0)

static int make_shard(void **state)
{
    struct ShardWriter w;
    assert_int_equal(make_dir(state), 0);
    snprintf(shard, sizeof shard, "%s/s.bin", dir);
    snprintf(out, sizeof out, "%s/out", dir);
    for (size_t i = 0; i < WINDOWS * T + 1; i++)
        token[i] = (uint16_t)((i * i * 7 + i / 3) % V);
    MUST(shard_create(&w, shard, &e));
    MUST(shard_append(&w, token, WINDOWS * T + 1));
    MUST(shard_finish(&w, &e));
    MUST(make_dirs(out, &e));
    return 0;
}

static void start(struct Trainer *t, int B, int K)
{
    const struct Config model = { .V = V, .T = T, .L = 1, .NH = 2, .C = 16 };
    const struct TrainConfig config = { .B = B, .T = T, .accumulate = K,
        .seed = 3, .optimizer = { .beta1 = 0.9, .beta2 = 0.95, .eps = 1e-8,
                                  .decay = 0.1, .clip = 1 },
        .schedule = { SCHEDULE_LINEAR, 1e-2, 0.1, 1, 2, 12 } };
    MUST(trainer_create(t, &config, &model, shard, shard, &e));
    model_init(&t->model, 3);
}

static void steps(struct Trainer *t, int n, struct StepReport *r)
{
    while (n-- > 0)
        MUST(trainer_step(t, r, &e));
}

/* Six at once, or three times two: the norm shows a missing 1/K, which
 * AdamW would hide. */
static void accumulate_row(void **state)
{
    const int *row = *state;
    struct Trainer a, b;
    struct StepReport ra, rb;
    start(&a, 6, 1);
    start(&b, row[0], row[1]);
    steps(&a, 1, &ra);
    steps(&b, 1, &rb);
    if (!(fabs(ra.loss - rb.loss) <= 1e-6 * ra.loss)
        || !(fabs(ra.norm - rb.norm) <= 1e-5 * ra.norm))
        fail_msg("loss %g and %g, norm %g and %g", ra.loss, rb.loss,
                 ra.norm, rb.norm);
    assert_int_equal(a.sequences, b.sequences);
    trainer_free(&a);
    trainer_free(&b);
}

/* Every step sees sequences that the last one has not seen. */
static void position_moves_on(void **state)
{
    (void)state;
    struct Trainer t;
    struct StepReport r;
    start(&t, 2, 3);
    for (int i = 1; i <= 5; i++) {
        steps(&t, 1, &r);
        assert_int_equal(t.step, i);
        assert_int_equal(t.sequences, 6 * i);
    }
    trainer_free(&t);
}

/* Seven steps and five more from the file are twelve. */
static void resume_is_exact(void **state)
{
    (void)state;
    struct Trainer a, b, c;
    struct StepReport r;
    char path[FILE_PATH_MAX];
    int64_t step;
    start(&a, 2, 3);
    steps(&a, 12, &r);
    start(&b, 2, 3);
    steps(&b, 7, &r);
    MUST(trainer_save(&b, out, NULL, 0, &e));
    start(&c, 2, 3);
    MUST(checkpoint_latest(out, path, &step, &e));
    MUST(trainer_resume(&c, path, &e));
    assert_int_equal(c.step, 7);
    assert_int_equal(c.sequences, 42);
    steps(&c, 5, &r);
    size_t bytes = a.model.table.total * sizeof(real);
    assert_memory_equal(a.model.w.base, c.model.w.base, bytes);
    assert_memory_equal(a.optimizer.m, c.optimizer.m, bytes);
    assert_memory_equal(a.optimizer.v, c.optimizer.v, bytes);
    trainer_free(&a);
    trainer_free(&b);
    trainer_free(&c);
}

/* All windows count once, also when the last batch is not full; or those at
 * the front, when so many batches are asked for. */
static void validation_is_the_mean(void **state)
{
    (void)state;
    static const struct { int B, batches, windows; } row[] = {
        { 1, 0, WINDOWS }, { WINDOWS, 0, WINDOWS }, { 7, 0, WINDOWS },
        { 3, 2, 6 }, { 1, 1, 1 }, { 7, WINDOWS, WINDOWS } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct Trainer t;
        start(&t, row[i].B, 1);
        double loss = trainer_validate(&t, row[i].batches), mean = 0;
        for (int n = 0; n < row[i].windows; n++) {
            int32_t from[T + 1];
            for (int k = 0; k <= T; k++)
                from[k] = token[n * T + k];
            mean += model_loss(&t.model, from, from + 1, 1, T)
                  / row[i].windows;
        }
        if (!(fabs(loss - mean) <= 1e-6 * mean))
            fail_msg("B=%d, %d batches: %.9g, the mean is %.9g", row[i].B,
                     row[i].batches, loss, mean);
        trainer_free(&t);
    }
}

static void unigram_entropy(void **state)
{
    (void)state;
    struct Trainer t;
    double count[V] = {0}, n = WINDOWS * T + 1, h = 0;
    start(&t, 1, 1);
    for (size_t i = 0; i < WINDOWS * T + 1; i++)
        count[(i * i * 7 + i / 3) % V]++;
    for (int i = 0; i < V; i++)
        h -= count[i] > 0 ? count[i] / n * log(count[i] / n) : 0;
    assert_true(fabs(trainer_unigram(&t) - h) <= 1e-12);
    trainer_free(&t);
}

int main(void)
{
    static int two[] = { 2, 3 }, one[] = { 1, 6 };
    const struct CMUnitTest tests[] = {
        { "accumulate 3 batches of 2", accumulate_row, NULL, NULL, two },
        { "accumulate 6 batches of 1", accumulate_row, NULL, NULL, one },
        cmocka_unit_test(position_moves_on),
        cmocka_unit_test(resume_is_exact),
        cmocka_unit_test(validation_is_the_mean),
        cmocka_unit_test(unigram_entropy),
    };
    return cmocka_run_group_tests(tests, make_shard, remove_dir);
}
