/* The model in double: against transformers, whose gradients are stored
 * rounded to float32, and against finite differences. */
#include "base/rng.h"
#include "model_fixture.h"

static double allowed_exact(void)
{
    return 1e-10;
}

/* Half a unit in the last place of a float32, relative to the largest. */
static double allowed(void)
{
    return 6e-8;
}

static double allowed_after(void)
{
    return allowed();
}

/* ---- finite differences ---- */

static const struct Config tiny = { .V = 7, .T = 5, .L = 2, .NH = 2,
                                    .C = 6 };
enum { TB = 2, TT = 4 };
static const int32_t tiny_tokens[TB * TT] = { 0, 6, 3, 3, 1, 0, 5, 2 };
static const int32_t tiny_targets[TB * TT] = { 6, 3, 3, 2, 0, 5, 2, 4 };
static struct Model tiny_model;
static real *tiny_gradient;

static int tiny_open(void **state)
{
    (void)state;
    OK(model_create(&tiny_model, &tiny, TB, TT, true, &error));
    const struct ParamTable *t = &tiny_model.table;
    struct Rng r = rng_new(5, 5);
    for (size_t i = 0; i < t->total; i++)
        tiny_model.w.base[i] = 0.4 * (real)rng_normal(&r);
    tiny_model.chunk = 3;               /* 8 rows: 3, 3 and 2 */
    model_forward_backward(&tiny_model, tiny_tokens, tiny_targets, TB, TT, 1, false);
    tiny_gradient = xcalloc(t->total, sizeof *tiny_gradient);
    memcpy(tiny_gradient, tiny_model.g.base, t->total * sizeof(real));
    return 0;
}

static int tiny_close(void **state)
{
    (void)state;
    free(tiny_gradient);
    model_free(&tiny_model);
    return 0;
}

static double loss_at(size_t i, double change)
{
    real *w = &tiny_model.w.base[i], kept = *w;
    *w = kept + change;
    double loss = model_loss(&tiny_model, tiny_tokens, tiny_targets, TB,
                             TT);
    *w = kept;
    return loss;
}

/* The difference has an error of h^2 f'''/6 and of 1e-16 / h: about 1e-10
 * for h = 1e-5 and derivatives near 1. */
static void finite_difference(void **state)
{
    const struct Param *p = *state;
    const double h = 1e-5;
    for (size_t k = 0; k < p->size; k++) {
        size_t i = p->offset + k;
        double slope = (loss_at(i, h) - loss_at(i, -h)) / (2 * h);
        double off = fabs(slope - tiny_gradient[i]);
        if (!(off <= 1e-8))
            fail_msg("%s[%zu]: slope %.12g, gradient %.12g", p->name, k,
                     slope, tiny_gradient[i]);
    }
}

int main(void)
{
    static struct CMUnitTest tests[128] = {
        cmocka_unit_test(fixture_loss),
        cmocka_unit_test(fixture_logits),
        cmocka_unit_test(fixture_adamw),
    };
    int n = 3 + add_gradient_tests(tests + 3);
    static struct CMUnitTest slopes[64];
    static char names[64][80];
    struct ParamTable t;
    params_table(&t, &tiny);
    for (int i = 0; i < t.n; i++) {
        snprintf(names[i], 80, "finite differences of %s", t.row[i].name);
        slopes[i] = (struct CMUnitTest){
            .name = names[i], .test_func = finite_difference,
            .initial_state = &t.row[i] };
    }
    int failed = _cmocka_run_group_tests("transformers", tests, (size_t)n,
                                         fixture_train,
                                         fixture_trained_free);
    failed += _cmocka_run_group_tests("finite differences", slopes,
                                      (size_t)t.n, tiny_open, tiny_close);
    params_free(&t);
    return failed;
}
