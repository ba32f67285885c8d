/* Learning rates: each row names the mistake it would catch. */
#include "gpt2/schedule.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#define RUN(shape) { SCHEDULE_##shape, 2, 0.1, 0.25, 10, 110 }

struct Row {
    const char *name;
    struct Schedule s;
    int64_t step;
    double lr;
};

static struct Row rows[] = {
    { "the first step is not of rate 0",   RUN(COSINE),     0, 0.2 },
    { "warm-up reaches the peak at its end", RUN(COSINE),   9, 2 },
    { "the step after it is at the peak",  RUN(COSINE),    10, 2 },
    { "warm-up does not depend on shape",  RUN(WSD),        4, 1 },
    { "cosine is halfway in the middle",   RUN(COSINE),    60, 1.1 },
    { "cosine falls slowly at first",      RUN(COSINE),    35,
      2 * (0.1 + 0.9 * (1 + 0.70710678118654752) / 2) },
    { "cosine ends at its last rate",      RUN(COSINE),   110, 0.2 },
    { "and stays there",                   RUN(COSINE),   999, 0.2 },
    { "linear after a quarter",            RUN(LINEAR),    35, 1.55 },
    { "linear's last step is above the end", RUN(LINEAR), 109,
      2 * (1 - 0.99 * 0.9) },
    { "linear beyond the end",             RUN(LINEAR),   500, 0.2 },
    { "wsd is flat until its cooldown",    RUN(WSD),       85, 2 },
    { "wsd falls straight in it",          RUN(WSD),       97, 2 - 1.8 * 0.48 },
    { "wsd ends at its last rate",         RUN(WSD),      110, 0.2 },
    { "constant stays",                    RUN(CONSTANT), 109, 2 },
    { "no warm-up: the peak at once",
      { SCHEDULE_LINEAR, 3, 0, 0.2, 0, 10 }, 0, 3 },
    { "all warm-up: no division by zero",
      { SCHEDULE_COSINE, 3, 0.5, 0.2, 10, 10 }, 9, 3 },
    { "all warm-up, beyond: the end",
      { SCHEDULE_COSINE, 3, 0.5, 0.2, 10, 10 }, 10, 1.5 },
    { "a run of one step",
      { SCHEDULE_WSD, 3, 0, 1, 1, 1 }, 0, 3 },
};

static void rate(void **state)
{
    const struct Row *r = *state;
    double lr = schedule_lr(&r->s, r->step);
    if (!(fabs(lr - r->lr) <= 1e-12 * r->lr))
        fail_msg("step %lld: %.17g, expected %.17g", (long long)r->step, lr,
                 r->lr);
}

static void names(void **state)
{
    (void)state;
    enum ScheduleShape s = SCHEDULE_CONSTANT;
    assert_true(schedule_shape(&s, "wsd") && s == SCHEDULE_WSD);
    assert_true(schedule_shape(&s, "linear") && s == SCHEDULE_LINEAR);
    assert_true(schedule_shape(&s, "cosine") && s == SCHEDULE_COSINE);
    assert_true(schedule_shape(&s, "constant") && s == SCHEDULE_CONSTANT);
    assert_false(schedule_shape(&s, "cosin"));
}

/* No shape rises after the warm-up, and none leaves [last, 1]. */
static void shapes_fall(void **state)
{
    (void)state;
    for (int shape = 0; shape < 4; shape++) {
        struct Schedule s = RUN(CONSTANT);
        s.shape = (enum ScheduleShape)shape;
        double before = 2;
        for (int64_t step = 10; step < 130; step++) {
            double lr = schedule_lr(&s, step);
            assert_true(lr <= before && lr >= 0.2 - 1e-15);
            before = lr;
        }
    }
}

int main(void)
{
    enum { N = sizeof rows / sizeof *rows };
    struct CMUnitTest tests[N + 2] = {
        [N] = cmocka_unit_test(names), [N + 1] = cmocka_unit_test(shapes_fall),
    };
    for (size_t i = 0; i < N; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, rate, NULL, NULL,
                                        &rows[i] };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
