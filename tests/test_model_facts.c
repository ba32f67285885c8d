/* The numbers of the chapter on the model that need no clock: parameters,
 * bytes, FLOP, and the plan that a figure draws.  Compared with
 * figures/data/model.csv and model-plan.csv; UPDATE_FACTS=DATE writes them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gpt2/memory.h"
#include <cmocka.h>

#define FACTS "model"
#define PROGRAM "test_model_facts"
#include "facts.h"

#define CSV "figures/data/model.csv"
#define PLAN "figures/data/model-plan.csv"

static struct Config preset(const char *name)
{
    struct Config c;
    struct Error e;
    assert_true(config_preset(&c, name, &e));
    return c;
}

static double params_of(const char *name)
{
    struct Config c = preset(name);
    return (double)config_params(&c);
}

/* Arena, largest moment and sum of one plan, in MB. */
static void plan_of(const char *model, int B, int T, bool training,
                    double mb[3])
{
    struct Config c = preset(model);
    struct Model m;
    struct Error e;
    assert_true(model_create(&m, &c, B, T, training, &e));
    mb[0] = (double)m.plan.total_bytes / 1e6;
    mb[1] = (double)m.plan.live_bytes / 1e6;
    mb[2] = (double)m.plan.sum_bytes / 1e6;
    model_free(&m);
}

static void count_parameters(const struct Config *c)
{
    double V = c->V, T = c->T, C = c->C, L = c->L;
    fact("params.gpt2", params_of("gpt2"), "parameters");
    fact("params.medium", params_of("gpt2-medium"), "parameters");
    fact("params.large", params_of("gpt2-large"), "parameters");
    fact("params.xl", params_of("gpt2-xl"), "parameters");
    fact("params.d6", params_of("d6"), "parameters");
    fact("params.wte", V * C, "parameters");
    fact("params.wpe", T * C, "parameters");
    fact("params.layer", 12 * C * C + 13 * C, "parameters");
    fact("params.layers", L * (12 * C * C + 13 * C), "parameters");
    fact("params.matmul", L * 12 * C * C + V * C, "parameters");
    assert_true(V * C + T * C + L * (12 * C * C + 13 * C) + 2 * C
                == params_of("gpt2"));
}

static void count_bytes(const struct Config *c)
{
    double N = params_of("gpt2"), C = c->C, mb[3];
    fact("bytes.weights", 4 * N / 1e6, "MB");
    fact("bytes.fixed", 16 * N / 1e6, "MB");
    fact("bytes.zeroing", 8 * N / 1e6, "MB");
    fact("bytes.logits", 65536.0 * c->V * 4 / 1e9, "GB");
    fact("bytes.chunk", 256.0 * c->V * 4 / 1e6, "MB");
    fact("bytes.layer-token", 0.004 * (16 * C + c->NH + 4), "kB");
    fact("bytes.recompute", 4 * 6 * C * c->L * 256 / 1e6, "MB");
    plan_of("gpt2", 4, 64, true, mb);
    fact("plan.train", mb[0], "MB");
    fact("plan.train-live", mb[1], "MB");
    fact("plan.train-sum", mb[2], "MB");
    fact("plan.total", mb[0] + 16 * N / 1e6, "MB");
    plan_of("gpt2", 4, 64, false, mb);
    fact("plan.loss", mb[0], "MB");
    fact("plan.loss-sum", mb[2], "MB");
    plan_of("gpt2", 4, 1024, true, mb);
    fact("plan.train-t1024", mb[0], "MB");
}

static void count_flop(const struct Config *c)
{
    double N = params_of("gpt2"), C = c->C, L = c->L;
    double matmul = L * 12 * C * C + c->V * C;
    fact("flop.6n", 6 * N / 1e6, "MFLOP");
    fact("flop.matmul", 6 * matmul / 1e6, "MFLOP");
    fact("flop.attention-t64", 7 * L * C * 64 / 1e6, "MFLOP");
    fact("flop.attention-t1024", 7 * L * C * 1024 / 1e6, "MFLOP");
    fact("flop.convention-t1024", 12 * L * C * 1024 / 1e6, "MFLOP");
    fact("flop.classifier", 6.0 * c->V * C / 1e6, "MFLOP");
    fact("flop.step", 256 * (6 * matmul + 7 * L * C * 64) / 1e9, "GFLOP");
    fact("init.residual", 0.02 / sqrt(2 * L), "");
    fact("loss.uniform", log(c->V), "nats");
}

/* As the book prints it: counts whole, the rest with four digits. */
static const char *as_printed(const struct Fact *f)
{
    static char text[40];
    bool count = strcmp(f->unit, "parameters") == 0;
    snprintf(text, sizeof text, count ? "%.0f" : "%.4g", f->value);
    return text;
}

static void chapter_16_is_not_stale(void **state)
{
    (void)state;
    struct Config c = preset("gpt2");
    n_facts = 0;
    count_parameters(&c);
    count_bytes(&c);
    count_flop(&c);
    facts_are_in(CSV, as_printed);
}

/* ---- the figure: four layers of GPT-2, B = 4, T = 64 ---- */

static int kind_of(const struct PlanItem *i, const char *field)
{
    if (strcmp(i->name, "logits") == 0 || strcmp(i->name, "losses") == 0
        || strcmp(i->name, "lse") == 0)
        return 2;
    return field[0] == 'd';             /* 1: a gradient */
}

static char *plan_rows(void)
{
    struct Config c = preset("gpt2");
    struct Model m;
    struct Error e;
    char *text;
    size_t size;
    c.L = 4;
    FILE *f = open_memstream(&text, &size);
    assert_true(model_create(&m, &c, 4, 64, true, &e));
    fputs("name,from,to,low,high,kind\n", f);
    for (int k = 0; k < m.plan.n; k++) {
        const struct PlanItem *i = &m.plan.item[k];
        const char *dot = strrchr(i->name, '.');
        fprintf(f, "%s,%d,%d,%.6f,%.6f,%d\n", i->name, i->from, i->to,
                (double)i->offset / 1e6,
                (double)(i->offset + i->size_bytes) / 1e6,
                kind_of(i, dot ? dot + 1 : i->name));
    }
    fclose(f);
    model_free(&m);
    return text;
}

static void figure_of_the_plan_is_not_stale(void **state)
{
    (void)state;
    char *rows = plan_rows();
    rows_are_in(PLAN, rows);
    free(rows);
}

/* ---- the plan of a model of one layer, as the chapter prints it ---- */

#define PRINTED "figures/data/model-plan.txt"

static void printed_plan_is_not_stale(void **state)
{
    (void)state;
    struct Config c = preset("d1");
    struct Error e;
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_true(model_print_plan(f, &c, 4, 64, true, true,
                                 &(struct ModelOptions){ 0 }, &e));
    fclose(f);
    if (getenv("UPDATE_FACTS")) {
        f = fopen(PRINTED, "w");
        assert_non_null(f);
        fputs(text, f);
        fclose(f);
    }
    static char file[20000];
    f = fopen(PRINTED, "r");
    assert_non_null(f);
    size_t n = fread(file, 1, sizeof file - 1, f);
    fclose(f);
    file[n] = 0;
    if (strcmp(file, text) != 0)
        fail_msg(PRINTED ": stale; run with UPDATE_FACTS=DATE");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_plan_is_not_stale),
        cmocka_unit_test(chapter_16_is_not_stale),
        cmocka_unit_test(figure_of_the_plan_is_not_stale),
    };
    return cmocka_run_group_tests_name("facts of the model", tests, NULL,
                                       NULL);
}
