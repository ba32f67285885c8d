/* The numbers of the chapter on GPT-2 on the GPU that need no GPU: what the
 * plan says, FLOP, and what rounding to bf16 does to a gradient.  Compared
 * with figures/data/gpu-model.csv and gpu-model-plan.csv; UPDATE_FACTS=DATE
 * writes them. */
#include "gpt2/memory.h"
#include "gpt2/model_bf16.h"
#include "plain_model.h"

#define FACTS "gpumodel"
#define PROGRAM "test_gpu_model_facts"
#include "facts.h"

#define CSV "figures/data/gpu-model.csv"
#define PLAN "figures/data/gpu-model-plan.csv"

static struct Config gpt2(void)
{
    struct Config c;
    assert_true(config_preset(&c, "gpt2", NULL));
    return c;
}

/* ---- memory: B = 64, T = 1024 ---- */

static const struct Mode {
    const char *name;
    struct ModelOptions o;
} modes[] = {
    { "none",     { .precision = BF16 } },
    { "gelu",     { .precision = BF16, .recompute = REDO_GELU } },
    { "norm",     { .precision = BF16, .recompute = REDO_NORM } },
    { "block",    { .precision = BF16, .recompute = REDO_BLOCK } },
    { "eighth",   { .precision = BF16, .rows = 8192 } },
    { "nomaster", { .precision = BF16, .no_master = true } },
    { "fp32",     { .precision = FP32 } },
};

static void memory(void)
{
    const struct Config c = gpt2();
    char name[60];
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        size_t all = model_bytes(&c, 64, 1024, true, true, &modes[i].o);
        size_t fixed = model_bytes(&c, 1, 1, true, true, &modes[i].o);
        snprintf(name, sizeof name, "plan.%s.total", modes[i].name);
        fact(name, (double)all / 1e9, "GB");
        snprintf(name, sizeof name, "plan.%s.activations", modes[i].name);
        fact(name, (double)(all - fixed) / 1e9, "GB");
    }
    fact("plan.fixed", (double)model_bytes(&c, 1, 1, true, true,
                                           &modes[0].o) / 1e9, "GB");
    fact("logits", 65536.0 * 50304 * 2 / 1e9, "GB");
    fact("batch", 65536.0 * 768 * 2 / 1e6, "MB");
}

/* ---- FLOP of a step of 64 x 1024 tokens ---- */

static void flop(void)
{
    const double N = 124439808, L = 12, C = 768, T = 1024, V = 50257;
    const double tokens = 65536;
    fact("flop.token", (6 * N + 12 * L * C * T) / 1e6, "MFLOP");
    fact("flop.step", (6 * N + 12 * L * C * T) * tokens / 1e12, "TFLOP");
    fact("flop.causal", (6 * (N - T * C) + 7 * L * C * T) * tokens / 1e12,
         "TFLOP");
    fact("flop.layers", 6 * 12 * L * C * C * tokens / 1e12, "TFLOP");
    fact("flop.classifier", 6 * V * C * tokens / 1e12, "TFLOP");
    fact("flop.products", 6 * (12 * L * C * C + V * C) * tokens / 1e12,
         "TFLOP");
    fact("flop.attention.forward", 2 * L * C * T * tokens / 1e12, "TFLOP");
    fact("flop.attention.backward", 5 * L * C * T * tokens / 1e12,
         "TFLOP");
}

/* ---- what rounding does to the gradient of a small model ---- */

static const struct Rounding { const char *name; int kinds; } kinds[] = {
    { "weights", ROUND_WEIGHTS }, { "stream", ROUND_STREAM },
    { "inner", ROUND_INNER }, { "logits", ROUND_LOGITS },
    { "dstream", ROUND_DSTREAM }, { "dinner", ROUND_DINNER },
    { "dlogits", ROUND_DLOGITS }, { "dweights", ROUND_DWEIGHTS },
    { "ours", ROUND_OURS },
};

static double error_of(const struct Plain *p, const struct Plain *exact)
{
    double err = 0, size = 0;
    for (size_t i = 0; i < p->t->total; i++) {
        err += (p->g[i] - exact->g[i]) * (p->g[i] - exact->g[i]);
        size += exact->g[i] * exact->g[i];
    }
    return sqrt(err / size);
}

static void rounding_errors(void)
{
    enum { B = 2, T = 64 };
    struct Model m = { .config = { .V = 257, .T = T, .L = 4, .NH = 2,
                                   .C = 64 } };
    int32_t tokens[B * T], targets[B * T];
    struct Plain exact, p;
    char name[60];
    params_table(&m.table, &m.config);
    real *w = xcalloc(m.table.total, sizeof *w);
    for (int i = 0; i < m.table.n; i++)
        for (size_t j = 0; j < m.table.row[i].size; j++)
            w[m.table.row[i].offset + j] = (real)
                (0.12 * noise((uint64_t)i, j)
                 + (m.table.row[i].init == INIT_ONE));
    for (int i = 0; i < B * T; i++) {
        tokens[i] = (int32_t)((noise(7, (uint64_t)i) + 1) / 2 * 257);
        targets[i] = (int32_t)((noise(8, (uint64_t)i) + 1) / 2 * 257);
    }
    plain_model(&exact, &m, w, tokens, targets, B, T, ROUND_NONE);
    double squares = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        plain_model(&p, &m, w, tokens, targets, B, T, kinds[i].kinds);
        snprintf(name, sizeof name, "error.%s", kinds[i].name);
        fact(name, 100 * error_of(&p, &exact), "%");
        if (kinds[i].kinds < ROUND_DWEIGHTS && kinds[i].kinds != ROUND_OURS)
            squares += pow(error_of(&p, &exact), 2);
        plain_free(&p);
    }
    fact("error.root", 100 * sqrt(squares), "%");
    plain_free(&exact);
    params_free(&m.table);
    free(w);
}

/* The share of weights, normal with deviation 0.02, that do not move in
 * bf16 (to nearest) when they should by `step`. */
static double lost(double step)
{
    int stay = 0, n = 100000;
    for (int i = 0; i < n; i++) {
        double u = (noise(1, (uint64_t)i) + 1) / 2 + 1e-12;
        double v = noise(2, (uint64_t)i) * 3.14159265358979;
        float w = (float)(0.02 * sqrt(-2 * log(u)) * cos(v));
        w = bf16_to_float(float_to_bf16(w));
        stay += bf16_to_float(float_to_bf16(w + (float)step)) == w;
    }
    return 100.0 * stay / n;
}

/* How often bench-machine's 65,536 tokens are the most frequent of them. */
static int first_words(void)
{
    int n = 0;
    for (uint32_t i = 0; i < 65536; i++)
        n += pow(50257, (double)(i * 2654435761u % 65536) / 65536) < 2;
    return n;
}

static void lost_updates(void)
{
    fact("first-word", first_words(), "");
    fact("lost.6e-4", lost(6e-4), "%");
    fact("lost.6e-5", lost(6e-5), "%");
    fact("lost.6e-6", lost(6e-6), "%");
}

/* ---- comparing ---- */

static const char *as_printed(const struct Fact *f)
{
    static char text[40];
    bool share = strcmp(f->unit, "%") == 0;
    snprintf(text, sizeof text, share ? "%.2g" : "%.4g", f->value);
    return text;
}

static void chapter_18_is_not_stale(void **state)
{
    (void)state;
    n_facts = 0;
    memory();
    flop();
    rounding_errors();
    lost_updates();
    facts_are_in(CSV, as_printed);
}

/* ---- the figure: bytes alive in each step, four modes ---- */

static double alive(const struct Plan *p, int step)
{
    double bytes = 0;
    for (int i = 0; i < p->n; i++)
        if (p->item[i].from <= step && step <= p->item[i].to)
            bytes += (double)p->item[i].size_bytes;
    return bytes / 1e9;
}

static char *plan_rows(void)
{
    struct Config c = gpt2();
    struct Model m[4];
    struct Error e;
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fputs("step,none,gelu,norm,block\n", f);
    for (int k = 0; k < 4; k++)
        assert_true(model_describe(&m[k], &c, 64, 1024, true, &modes[k].o,
                                   &e));
    for (int step = 0; step <= 196; step++) {
        fprintf(f, "%d", step);
        for (int k = 0; k < 4; k++)
            fprintf(f, ",%.4f", alive(&m[k].plan, step));
        fputc('\n', f);
    }
    fclose(f);
    for (int k = 0; k < 4; k++)
        model_forget(&m[k]);
    return text;
}

static void figure_is_not_stale(void **state)
{
    (void)state;
    char *rows = plan_rows();
    rows_are_in(PLAN, rows);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chapter_18_is_not_stale),
        cmocka_unit_test(figure_is_not_stale),
    };
    return cmocka_run_group_tests_name("facts of the GPU's model", tests,
                                       NULL, NULL);
}
