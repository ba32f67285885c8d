/* What transformers (or tests/model_torch.py) computed, and comparison of
 * our model with it.  Included by test_model.c, where real is float, and
 * by f64_model.c, where it is double.  The directory is $GPT2_FIXTURE, or
 * tests/data/gpt2-tiny; B and T come from its batches. */
#ifndef TESTS_MODEL_FIXTURE_H
#define TESTS_MODEL_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "io/safetensors.h"
#include "io/weights.h"
#include "ops/adamw/adamw.h"
#include <cmocka.h>             /* last: it defines a macro called fail */

static struct Error error;

#define OK(call)                                          \
    do {                                                  \
        if (!(call))                                      \
            fail_msg("%s: %s", #call, error.text);        \
    } while (0)

static const char *fixture_dir(void)
{
    const char *dir = getenv("GPT2_FIXTURE");
    return dir ? dir : "tests/data/gpt2-tiny";
}

static const char *fixture_path(const char *name)
{
    static char path[4][600];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s.safetensors", fixture_dir(), name);
    return p;
}

static bool fixture_missing(void)
{
    FILE *f = fopen(fixture_path("expected"), "rb");
    if (f)
        fclose(f);
    return !f;
}

/* A tensor of a fixture file as reals, with its number of elements. */
static real *fixture_reals(const char *file, const char *name, size_t *n)
{
    struct Safetensors s;
    char with_prefix[100];
    OK(safetensors_open(&s, fixture_path(file), &error));
    snprintf(with_prefix, sizeof with_prefix, "transformer.%s", name);
    const struct StTensor *t = safetensors_find(&s, name);
    t = t ? t : safetensors_find(&s, with_prefix);
    if (!t)
        fail_msg("%s: no tensor %s", s.path, name);
    real *out = xcalloc(t->count, sizeof *out);
    OK(safetensors_read(&s, t, out, &error));
    *n = t->count;
    safetensors_close(&s);
    return out;
}

/* Every number finite, and |x - want| at most `allowed` times the largest
 * |want|, and the same for the norms. */
static void compare(const char *what, const real *x, const real *want,
                    size_t n, double allowed)
{
    double largest = 0, top = 0, diff2 = 0, want2 = 0;
    for (size_t i = 0; i < n; i++) {
        double d = (double)x[i] - (double)want[i];
        if (!isfinite(d))
            fail_msg("%s: element %zu is %g", what, i, (double)x[i]);
        largest = fmax(largest, fabs(d));
        top = fmax(top, fabs((double)want[i]));
        diff2 += d * d;
        want2 += (double)want[i] * (double)want[i];
    }
    double by_max = top > 0 ? largest / top : largest;
    double by_norm = want2 > 0 ? sqrt(diff2 / want2) : sqrt(diff2);
    if (!(by_max <= allowed) || !(by_norm <= allowed))
        fail_msg("%s: error %.2e of the largest, %.2e of the norm, "
                 "allowed %.2e", what, by_max, by_norm, allowed);
    if (getenv("SHOW_ERRORS"))
        printf("# %-28s max %.2e norm %.2e\n", what, by_max, by_norm);
}

/* The model of the fixture, loaded, and one of its batches. */
struct Fixture {
    struct Model model;
    int B, T;
    int32_t *inputs, *targets;          /* all batches */
};

static int32_t *fixture_tokens(const char *name, struct Fixture *f)
{
    struct Safetensors s;
    OK(safetensors_open(&s, fixture_path("batches"), &error));
    const struct StTensor *t = safetensors_find(&s, name);
    assert_true(t && t->type == ST_I32 && t->ndim == 3);
    f->B = (int)t->shape[1];
    f->T = (int)t->shape[2];
    int32_t *out = xcalloc(t->count, sizeof *out);
    memcpy(out, s.data + t->begin, t->count * sizeof *out);
    safetensors_close(&s);
    return out;
}

static void fixture_open(struct Fixture *f)
{
    struct Config c;
    if (fixture_missing())
        skip();
    f->inputs = fixture_tokens("inputs", f);
    f->targets = fixture_tokens("targets", f);
    OK(weights_config(&c, fixture_path("model"), 0, &error));
    OK(model_create(&f->model, &c, f->B, f->T, true, &error));
    OK(weights_load(&f->model, fixture_path("model"), &error));
    for (size_t i = 0; i < f->model.table.total; i++)
        f->model.g.base[i] = (real)NAN;
}

static void fixture_close(struct Fixture *f)
{
    model_free(&f->model);
    free(f->inputs);
    free(f->targets);
}

/* ---- the tests both flavours run ---- */

/* The error allowed, relative to the largest element and to the norm: of
 * what is stored in double (losses, logits), and of what was rounded to
 * float32 (gradients, weights).  Adam divides by the size of gradients, so
 * a gradient that is nothing but rounding (that of a key's bias is: the
 * softmax cancels it) makes steps as large as any other; after ten steps
 * more is allowed. */
static double allowed_exact(void);
static double allowed(void);
static double allowed_after(void);

static void fixture_loss(void **state)
{
    (void)state;
    struct Fixture f;
    size_t n;
    fixture_open(&f);
    real *want = fixture_reals("expected", "loss", &n);
    real loss = (real)model_loss(&f.model, f.inputs, f.targets, f.B, f.T);
    compare("loss", &loss, want, 1, allowed_exact());
    free(want);
    fixture_close(&f);
}

/* Logits of every position: the last of rows that end there. */
static void fixture_logits(void **state)
{
    (void)state;
    struct Fixture f;
    size_t n;
    fixture_open(&f);
    const size_t V = (size_t)f.model.config.V;
    real *want = fixture_reals("expected", "logits", &n);
    real *got = xcalloc(n, sizeof *got), *last = xcalloc(V, sizeof *last);
    for (int b = 0; b < f.B; b++)
        for (int t = 0; t < f.T; t++) {
            const int32_t *row = f.inputs + b * f.T;
            model_logits(&f.model, last, row, 1, t + 1);
            memcpy(got + (size_t)(b * f.T + t) * V, last, V * sizeof *got);
        }
    compare("logits", got, want, n, allowed_exact());
    real *both = xcalloc((size_t)f.B * V, sizeof *both);
    model_logits(&f.model, both, f.inputs, f.B, f.T);
    for (int b = 0; b < f.B; b++)
        compare("logits of a batch", both + (size_t)b * V,
                want + (size_t)(b * f.T + f.T - 1) * V, V,
                allowed_exact());
    free(both);
    free(last);
    free(got);
    free(want);
    fixture_close(&f);
}

/* Gradients: one test per tensor; the backward pass runs once. */
static struct Fixture trained;

static int fixture_train(void **state)
{
    (void)state;
    if (fixture_missing())
        return 0;
    fixture_open(&trained);
    model_forward_backward(&trained.model, trained.inputs, trained.targets, trained.B,
                           trained.T, 1, false);
    return 0;
}

static int fixture_trained_free(void **state)
{
    (void)state;
    if (trained.inputs)
        fixture_close(&trained);
    return 0;
}

static void fixture_gradient(void **state)
{
    const char *name = *state;
    if (fixture_missing())
        skip();
    const struct ParamTable *t = &trained.model.table;
    for (int i = 0; i < t->n; i++) {
        if (strcmp(t->row[i].name, name) != 0)
            continue;
        size_t n;
        real *want = fixture_reals("grads", name, &n);
        assert_int_equal(n, t->row[i].size);
        compare(name, trained.model.g.base + t->row[i].offset, want, n,
                allowed());
        free(want);
        return;
    }
    skip();                             /* a fixture of fewer layers */
}

static double grad_norm(const struct Model *m)
{
    double sum = 0;
    for (int i = 0; i < m->table.n; i++)
        sum += sum_squares(m->g.base + m->table.row[i].offset,
                           m->table.row[i].size);
    return sqrt(sum);
}

static void fixture_step(struct Fixture *f, real *moments, int step,
                         double norm)
{
    const struct ParamTable *t = &f->model.table;
    struct AdamwStep s = { .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.95,
                           .eps = 1e-8, .step = step,
                           .scale = fmin(1, 1 / (norm + 1e-6)) };
    for (int i = 0; i < t->n; i++) {
        const struct Param *p = &t->row[i];
        s.decay = p->decay ? 0.1 : 0;
        adamw_update(f->model.w.base + p->offset, moments + p->offset,
                     moments + t->total + p->offset,
                     f->model.g.base + p->offset, p->size, &s);
    }
}

/* Ten steps of AdamW: losses, gradient norms, and the weights after. */
static void fixture_adamw(void **state)
{
    (void)state;
    struct Fixture f;
    size_t n;
    real loss[10], norm[10];
    fixture_open(&f);
    const struct ParamTable *t = &f.model.table;
    real *moments = xcalloc(2 * t->total, sizeof *moments);
    for (int step = 1; step <= 10; step++) {
        size_t at = (size_t)(step * f.B * f.T);
        loss[step - 1] = (real)model_forward_backward(&f.model, f.inputs + at,
            f.targets + at, f.B, f.T, 1, false);
        norm[step - 1] = (real)grad_norm(&f.model);
        fixture_step(&f, moments, step, (double)norm[step - 1]);
    }
    real *want = fixture_reals("expected", "step_losses", &n);
    compare("losses of 10 steps", loss, want, 10, allowed_exact());
    free(want);
    want = fixture_reals("expected", "step_norms", &n);
    compare("norms of 10 steps", norm, want, 10, allowed_exact());
    free(want);
    for (int i = 0; i < t->n; i++) {
        want = fixture_reals("after", t->row[i].name, &n);
        compare(t->row[i].name, f.model.w.base + t->row[i].offset, want, n,
                allowed_after());
        free(want);
    }
    free(moments);
    fixture_close(&f);
}

/* The names of the gradient tests: GPT-2's tensors, up to three layers. */
#define LAYER_NAME(field, name, ...) name,
static const char *const layer_names[] = { PARAMS_LAYER(LAYER_NAME) };
static const char *const model_names[] = {
    PARAMS_FIRST(LAYER_NAME) PARAMS_LAST(LAYER_NAME)
};

static int add_gradient_tests(struct CMUnitTest *test)
{
    int n = 0;
    for (int l = -1; l < 3; l++) {
        const char *const *names = l < 0 ? model_names : layer_names;
        size_t count = l < 0 ? sizeof model_names / sizeof *model_names
                             : sizeof layer_names / sizeof *layer_names;
        for (size_t i = 0; i < count; i++) {
            static char tensors[64][80], titles[64][100];
            char *tensor = tensors[n], *name = titles[n];
            snprintf(tensor, 80, l < 0 ? "%s" : "h.%2$d.%1$s", names[i],
                     l);
            snprintf(name, 100, "gradient of %.79s", tensor);
            if (l == 2 && !getenv("GPT2_FIXTURE"))
                break;                  /* gpt2-tiny has two layers */
            test[n++] = (struct CMUnitTest){
                .name = name, .test_func = fixture_gradient,
                .initial_state = tensor };
        }
    }
    return n;
}

#endif
