/* Tangled from chapters/workshop/measuring-ceilings.nw, "Every operator on paper".  Edit it there. */

#include "bench/operator_costs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* the roof over a kernel */
double work_intensity(const struct Work *w)
{
    return w->flop / w->bytes;
}

double roof_ridge(struct Roof r)
{
    return r.flops / r.bytes;
}


double roof_at(struct Roof r, double intensity)
{
    return fmin(r.flops, r.bytes * intensity);
}

double roof_seconds(struct Roof r, const struct Work *w)
{
    return fmax(w->flop / r.flops, w->bytes / r.bytes);
}

/* write a row of the table */
struct Table { struct Work *w; int n; };

static void row(struct Table *t, const char *name, double calls,
                double bytes, double flop, bool matrix)
{
    struct Work *w = &t->w[t->n++];
    snprintf(w->name, sizeof w->name, "%s", name);
    w->calls = (int)calls;
    w->bytes = bytes;
    w->flop = flop;
    w->matrix = matrix;
}

/* the linear layers */
static void products(struct Table *t, const struct Sizes *s, double a,
                     double g)
{
    const double N = (double)s->B * s->T, C = s->C;
    const struct { const char *name; double calls, K, M; } layer[] = {
        { "qkv", s->L, C, 3 * C }, { "att", s->L, C, C },
        { "fc", s->L, C, 4 * C }, { "proj", s->L, 4 * C, C },
        { "head", 1, C, s->V } };
    for (int i = 0; i < 5; i++) {
        /* a row for each of the three products of layer i */
        double K = layer[i].K, M = layer[i].M;
        double y = a * (N * K + N * M + K * M);
        double dw = a * (N * K + N * M) + g * K * M;
        const char *form[] = { "%s.y", "%s.dx", "%s.dw" };
        for (int f = 0; f < 3; f++) {
            char name[16];
            snprintf(name, sizeof name, form[f], layer[i].name);
            row(t, name, layer[i].calls, f == 2 ? dw : y, 2 * N * K * M,
                true);
        }
    }
}

/* attention */
static void attention(struct Table *t, const struct Sizes *s, double a,
                      const char *fwd, const char *bwd)
{
    const double N = (double)s->B * s->T, n = N * s->C;
    const double pairs = N * (s->T + 1) / 2, lse = 4 * N * s->NH;
    row(t, fwd, s->L, a * 4 * n + lse, 4 * pairs * s->C, true);
    row(t, bwd, s->L, a * 8 * n + lse, 10 * pairs * s->C, true);
}

/* the operators in float32 */
int works_float(struct Work w[WORKS_MAX], const struct Sizes *s)
{
    const double N = (double)s->B * s->T, n = N * s->C, l = N * s->V;
    const double wpe = (double)s->T * s->C, L = s->L, C = s->C;
    struct Table t = { w, 0 };
    /* float32: embedding, normalisation, residual */
    row(&t, "copy", 0, 4 * 8 * n, 0, false);
    row(&t, "embedding-fwd", 1, 4 * (2 * n + wpe + N), n, false);
    row(&t, "embedding-bwd", 1, 4 * (3 * n + 2 * wpe + N), 2 * n, false);
    row(&t, "layernorm-fwd", 2 * L + 1, 4 * (2 * n + 2 * N + 2 * C), 8 * n,
        false);
    row(&t, "layernorm-bwd", 2 * L + 1, 4 * (4 * n + 2 * N + 5 * C), 14 * n,
        false);
    row(&t, "residual", 2 * L, 4 * 3 * n, n, false);
    /* float32: what has an exponential, and the rest */
    row(&t, "gelu-fwd", L, 4 * 8 * n, 29 * 4 * n, false);
    row(&t, "gelu-bwd", L, 4 * 12 * n, 36 * 4 * n, false);
    row(&t, "bias-bwd", L, 4 * (4 * n + 8 * C), 4 * n, false);
    row(&t, "bias-bwd-qkv", L, 4 * (3 * n + 6 * C), 3 * n, false);
    row(&t, "bias-bwd-c", 2 * L, 4 * (n + 2 * C), n, false);
    row(&t, "crossentropy-fwd", 1, 4 * (l + 3 * N), 41 * l, false);
    row(&t, "crossentropy-bwd", 1, 4 * (2 * l + 2 * N), 26 * l, false);
    row(&t, "adamw", 1, 28 * s->P, 14 * s->P, false);
    row(&t, "sum-squares", 1, 4 * s->P, 2 * s->P, false);
    attention(&t, s, 4, "attention-fwd", "attention-bwd");
    products(&t, s, 4, 4);
    return t.n;
}

/* the operators in bf16 */
int works_bf16(struct Work w[WORKS_MAX], const struct Sizes *s)
{
    const double N = (double)s->B * s->T, n = N * s->C;
    const double l = N * ((s->V + 127) / 128 * 128);
    const double wpe = (double)s->T * s->C, L = s->L, C = s->C;
    const double rows = fmin(N, s->V) * C;
    struct Table t = { w, 0 };
    /* bf16: embedding and normalisation */
    row(&t, "copy16", 0, 2 * 8 * n, 0, false);
    row(&t, "embedding-fwd", 1, 2 * (2 * n + wpe) + 4 * N, n, false);
    row(&t, "embedding-bwd", 1, 2 * n + 8 * rows + 4 * N, n, false);
    row(&t, "layernorm-fwd", 2 * L + 1, 2 * (2 * n + 2 * C) + 8 * N,
        8 * n, false);
    row(&t, "layernorm-bwd", 2 * L, 2 * (4 * n + C) + 8 * N + 12 * C,
        16 * n, false);
    row(&t, "layernorm-bwd-positions", 1,
        2 * (4 * n + C) + 8 * N + 8 * C + 4 * wpe, 16 * n, false);
    /* bf16: what the products have swallowed */
    row(&t, "residual-layernorm-fwd", 0, 2 * (4 * n + 2 * C) + 8 * N,
        9 * n, false);
    row(&t, "gelu-fwd", 0, 2 * 8 * n, 11 * 4 * n, false);
    row(&t, "gelu-bwd", 0, 2 * 12 * n, 20 * 4 * n, false);
    row(&t, "column-sums16", 0, 2 * 4 * n + 16 * C, 4 * n, false);
    row(&t, "classifier", 1, 2 * 2 * l + 8 * N, 12 * l, false);
    row(&t, "adamw-all", 1, 30 * s->P, 14 * s->P, false);
    row(&t, "sum-squares", 1, 4 * s->P, 2 * s->P, false);
    attention(&t, s, 2, "flash-fwd", "flash-bwd");
    products(&t, s, 2, 4);
    return t.n;
}

/* find an operator by its name */
const struct Work *work_find(const struct Work *w, int n,
                             const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(w[i].name, name) == 0)
            return &w[i];
    return NULL;
}
