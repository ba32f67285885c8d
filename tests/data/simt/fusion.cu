/* The ladders of fusion, for tests/fusion.sh.
 *   fusion check [NAME]  every version against its definition in double
 *                        precision, as TAP rows; with NAME those whose second
 *                        word it is
 *   fusion counts        one run of each; prints a name a launch */
#include "ladder_test.h"
#include "ladder/fusion.h"

/* ---- what the results should be --------------------------------------------- */

struct Wanted { double *y, *sum, *loss; };

static void want_waves(struct Wanted *w, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        w->y[i] = sin(x[i]) * sin(x[i]) + cos(x[i]) * cos(x[i]);
}

static void want_gelu(struct Wanted *w, const float *x, const float *b,
                      size_t n, int C)
{
    for (size_t i = 0; i < n; i++) {
        const double v = (double)x[i] + b[i % (size_t)C];
        w->y[i] = 0.5 * v * (1 + tanh(0.7978845608028654
                                      * (v + 0.044715 * v * v * v)));
    }
}

static void want_layernorm(struct Wanted *w, const float *x, const float *r,
                           const float *g, const float *b, int N, int C)
{
    for (int n = 0; n < N; n++) {
        double *s = w->sum + (size_t)n * C, mean = 0, square = 0;
        for (int c = 0; c < C; c++)
            mean += (s[c] = (double)x[n * C + c] + r[n * C + c]) / C;
        for (int c = 0; c < C; c++)
            square += (s[c] - mean) * (s[c] - mean) / C;
        for (int c = 0; c < C; c++)
            w->y[n * C + c] = (s[c] - mean) / sqrt(square + 1e-5) * g[c]
                            + b[c];
    }
}

static void want_loss(struct Wanted *w, const float *x, const int *target,
                      int N, int C)
{
    for (int n = 0; n < N; n++) {
        const float *row = x + (size_t)n * C;
        double most = row[0], sum = 0;
        for (int c = 0; c < C; c++)
            most = row[c] > most ? row[c] : most;
        for (int c = 0; c < C; c++)
            sum += exp(row[c] - most);
        for (int c = 0; c < C; c++)
            w->y[n * C + c] = exp(row[c] - most) / sum - (c == target[n]);
        w->loss[n] = most + log(sum) - row[target[n]];
    }
}

/* ---- a row ----------------------------------------------------------------- */

/* One version on N rows of C numbers about `offset`; one of them is NaN if
 * `nan`. */
static void check(const struct Fusion *v, int N, int C, float offset,
                  bool nan)
{
    const size_t n = (size_t)N * C;
    int hurt = 0, wrong = 0, *target = (int *)room((size_t)N * 4);
    float *x = noise_new(n, 1, offset), *r = noise_new(n, 2, 0);
    float *g = noise_new((size_t)C, 3, 0), *b = noise_new((size_t)C, 4, 0);
    struct Wanted w = { (double *)room(n * 8), (double *)room(n * 8),
                        (double *)room((size_t)N * 8) };
    for (int i = 0; i < N; i++)
        target[i] = (int)(hash((uint32_t)i) % (uint32_t)C);
    if (nan)
        x[n / 2] = NAN;
    struct Guarded in[] = {
        guarded_new(x, n), guarded_new(r, n), guarded_new(g, (size_t)C),
        guarded_new(b, (size_t)C), guarded_new(target, (size_t)N),
    }, out[] = {
        guarded_new(NULL, n), guarded_new(NULL, n),
        guarded_new(NULL, (size_t)N),
    }, scratch[] = {
        guarded_new(NULL, n), guarded_new(NULL, n), guarded_new(NULL, n),
        guarded_new(NULL, n), guarded_new(NULL, (size_t)N),
        guarded_new(NULL, (size_t)N),
    };
    struct FusionData d = { N, C, n, in[0].x, in[1].x, in[2].x, in[3].x,
        (const int *)in[4].x, out[0].x, out[1].x, out[2].x,
        { scratch[0].x, scratch[1].x, scratch[2].x, scratch[3].x },
        { scratch[4].x, scratch[5].x }, NULL };
    v->run(&d);
    const bool norm = strcmp(v->example, "layernorm") == 0;
    const bool loss = strcmp(v->example, "loss") == 0;
    if (strcmp(v->example, "waves") == 0)
        want_waves(&w, x, n);
    else if (strcmp(v->example, "gelu") == 0)
        want_gelu(&w, x, b, n, C);
    else if (norm)
        want_layernorm(&w, x, r, g, b, N, C);
    else
        want_loss(&w, x, target, N, C);
    float *y = guarded_take(&out[0], &hurt), *s = guarded_take(&out[1], &hurt);
    float *l = guarded_take(&out[2], &hurt);
    for (size_t i = 0; i < n; i++)
        wrong += !near(y[i], w.y[i], 1e-5 * (1 + fabsf(offset)))
              || (norm && !near(s[i], w.sum[i], 1e-6 * (4 + fabsf(offset))));
    for (int i = 0; loss && i < N; i++)
        wrong += !near(l[i], w.loss[i], 1e-5 * (1 + fabsf(offset)));
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        guarded_free(&in[i], &hurt);
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++)
        guarded_free(&scratch[i], &hurt);
    printf("%s - %s %s N=%d C=%d%s%s\n", !wrong && !hurt ? "ok" : "not ok",
           v->example, v->name, N, C, offset != 0 ? " far from 0" : "",
           nan ? " with a NaN" : "");
    fflush(stdout);
    void *all[] = { x, r, g, b, target, w.y, w.sum, w.loss, y, s, l };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* ---- the linear layer ------------------------------------------------------ */

static double linear_want(const float *h, const float *w, int C, int V,
                          int target)
{
    double most = -INFINITY, sum = 0, hit = 0;
    double *x = (double *)room((size_t)V * 8);
    for (int v = 0; v < V; v++) {
        x[v] = 0;
        for (int c = 0; c < C; c++)
            x[v] += (double)h[c] * w[(size_t)v * C + c];
        most = x[v] > most ? x[v] : most;
        hit = v == target ? x[v] : hit;
    }
    for (int v = 0; v < V; v++)
        sum += exp(x[v] - most);
    free(x);
    return most + log(sum) - hit;
}

static void check_linear(bool logits, int N, int C, int V)
{
    float *h = noise_new((size_t)N * C, 5, 0);
    float *w = noise_new((size_t)V * C, 6, 0);
    int hurt = 0, wrong = 0, *target = (int *)room((size_t)N * 4);
    for (int n = 0; n < N; n++)
        target[n] = (int)(hash((uint32_t)n + 5) % (uint32_t)V);
    struct Guarded d_h = guarded_new(h, (size_t)N * C);
    struct Guarded d_w = guarded_new(w, (size_t)V * C);
    struct Guarded d_t = guarded_new(target, (size_t)N);
    struct Guarded loss = guarded_new(NULL, (size_t)N);
    struct Guarded x = guarded_new(NULL, (size_t)N * V);
    struct Guarded scratch = guarded_new(NULL, linear_loss_scratch(N));
    linear_loss(loss.x, d_h.x, d_w.x, (const int *)d_t.x, N, C, V,
                logits ? x.x : NULL, scratch.x);
    float *l = guarded_take(&loss, &hurt);
    for (int n = 0; n < N; n++)
        wrong += !near(l[n], linear_want(h + (size_t)n * C, w, C, V,
                                         target[n]), 1e-4);
    guarded_free(&d_h, &hurt);
    guarded_free(&d_w, &hurt);
    guarded_free(&d_t, &hurt);
    guarded_free(&x, &hurt);
    guarded_free(&scratch, &hurt);
    printf("%s - linear %s N=%d C=%d V=%d\n", !wrong && !hurt ? "ok"
           : "not ok", logits ? "written" : "running", N, C, V);
    fflush(stdout);
    free(h);
    free(w);
    free(target);
    free(l);
}

static void check_sines(bool unit, int times)
{
    const size_t n = 516;
    float *x = noise_new(n, 9, 0);
    int hurt = 0, wrong = 0;
    struct Guarded in = guarded_new(x, n), out = guarded_new(NULL, n);
    sines_run(out.x, in.x, n, times, unit);
    float *y = guarded_take(&out, &hurt);
    guarded_free(&in, &hurt);
    for (size_t i = 0; i < n; i++) {
        double want = x[i];
        for (int k = 0; k < times; k++)
            want = sin(want);
        wrong += !near(y[i], want, 1e-5);
    }
    printf("%s - sines %s times=%d\n", !wrong && !hurt ? "ok" : "not ok",
           unit ? "unit" : "exact", times);
    free(x);
    free(y);
}

static void check_all(void)
{
    /* one number; only a rest; no rest; several blocks and a rest */
    static const int numbers[] = { 1, 3, 4, 1021, 1024, 4099 };
    /* rows and columns: more rows than a block has warps, rows that fill no
     * warp, the longest row */
    static const int norms[][2] = { { 1, 4 }, { 5, 100 }, { 9, 768 },
                                    { 17, 1024 } };
    static const int losses[][2] = { { 1, 1 }, { 3, 1000 }, { 2, 257 },
                                     { 5, 4099 } };
    for (const struct Fusion *v = fusions(); v->name; v++) {
        if (!wanted(v->name))
            continue;
        const bool waves = strcmp(v->example, "waves") == 0;
        const bool loss = strcmp(v->example, "loss") == 0;
        for (int i = 0; waves && i < 6; i++)
            check(v, 1, numbers[i], 0, i == 5);
        for (int i = 0; !waves && i < 4; i++)
            check(v, loss ? losses[i][0] : norms[i][0],
                  loss ? losses[i][1] : norms[i][1], 0, false);
        if (!waves) {
            check(v, 6, 300, 0, true);
            if (strcmp(v->example, "gelu") != 0)
                check(v, 3, 768, loss ? 200 : 1000, false);
        }
    }
    for (int k = 0; k < 2; k++) {
        if (!wanted(k ? "written" : "running"))
            continue;
        check_linear(k, 1, 1, 1);
        check_linear(k, 65, 20, 600);
        check_linear(k, 70, 37, 1111);
    }
    for (int k = 0; !only && k < 2; k++) {
        check_sines(k, 1);
        check_sines(k, 5);
    }
}

/* ---- counts ---------------------------------------------------------------- */

static void counts(void)
{
    static const struct { const char *example; int N, C; } size[] = {
        { "waves", 1, 65536 }, { "gelu", 64, 1024 },
        { "layernorm", 96, 768 }, { "loss", 16, 4099 } };
    const size_t most = 96 * 768;
    int hurt = 0, target[96];
    float *x = noise_new(most, 1, 0);
    for (int i = 0; i < 96; i++)
        target[i] = i;
    struct Guarded a[12];
    for (int i = 0; i < 12; i++)
        a[i] = guarded_new(x, most);
    struct Guarded t = guarded_new(target, 96);
    struct FusionData d = { 0, 0, 0, a[0].x, a[1].x, a[2].x, a[3].x,
        (const int *)t.x, a[4].x, a[5].x, a[6].x,
        { a[7].x, a[8].x, a[9].x, a[10].x }, { a[11].x, a[11].x + 128 },
        NULL };
    for (const struct Fusion *v = fusions(); v->name; v++)
        for (int i = 0; i < 4; i++) {
            if (strcmp(size[i].example, v->example) != 0)
                continue;
            d.N = size[i].N, d.C = size[i].C;
            d.n = (size_t)d.N * (size_t)d.C;
            v->run(&d);
            for (int k = 0; k < v->kernels; k++)
                printf("%s.%s %zu\n", v->example, v->name, d.n);
        }
    for (int i = 0; i < 12; i++)
        guarded_free(&a[i], &hurt);
    guarded_free(&t, &hurt);
    free(x);
    if (hurt)
        fail("%d words of guards have changed", hurt);
}

int main(int argc, char **argv)
{
    return ladder_main(argc, argv, check_all, counts);
}
