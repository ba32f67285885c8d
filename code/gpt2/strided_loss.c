/* Tangled from chapters/workshop/quantised-weights.nw, "Losses with a stride".  Edit it there. */

#include "gpt2/strided_loss.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct Windows {
    const uint16_t *token;      /* the first window begins here */
    int n, stride;              /* window i begins at i * stride */
    int *rows;                  /* [n]: 0, 1, ... */
    int32_t *ids;               /* [T] */
    real *logits, *others;      /* [rows][V] */
};

/* the loss of a prediction */
static int likeliest(const real *logits, int V)
{
    int best = 0;
    for (int i = 1; i < V; i++)
        if (logits[i] > logits[best])
            best = i;
    return best;
}

/* -log of the probability that these logits give to a token; `best` is the
 * likeliest. */
static double loss_of(const real *logits, int V, int token, int best)
{
    double sum = 0;
    for (int i = 0; i < V; i++)
        sum += exp((double)logits[i] - (double)logits[best]);
    return log(sum) + (double)logits[best] - (double)logits[token];
}


/* read the context of each window */
/* Token `at` of window b */
static int token_of(const struct Windows *w, int b, int at)
{
    return w->token[(size_t)b * (size_t)w->stride + (size_t)at];
}

static bool read_context(struct Decoder *d, const struct Windows *w,
                         struct Error *e)
{
    const int n = d->T - w->stride;
    bool ok = true;
    for (int b = 0; ok && b < w->n; b++) {
        decoder_reset(d, b);
        for (int i = 0; i < n; i++)
            w->ids[i] = token_of(w, b, i);
        ok = n == 0 || decoder_prefill(d, b, w->ids, n, NULL, e);
    }
    return ok;
}


/* score the last tokens of each window */
static bool step(struct Decoder *d, const struct Windows *w, int at,
                 real *logits, struct Error *e)
{
    for (int b = 0; b < w->n; b++)
        w->ids[b] = token_of(w, b, at);
    return decoder_step(d, w->rows, w->ids, w->n, logits, e);
}

static bool score(struct StridedLoss *r, struct Decoder *d,
                  struct Decoder *other, const struct Windows *w,
                  struct Error *e)
{
    const int V = d->m->config.V;
    bool ok = read_context(d, w, e) && (!other
                                        || read_context(other, w, e));
    for (int at = d->T - w->stride; ok && at < d->T; at++) {
        ok = step(d, w, at, w->logits, e)
          && (!other || step(other, w, at, w->others, e));
        for (int b = 0; ok && b < w->n; b++) {
            const size_t row = (size_t)b * (size_t)V;
            const int best = likeliest(w->logits + row, V);
            r->sum += loss_of(w->logits + row, V, token_of(w, b, at + 1),
                              best);
            r->agree += other && likeliest(w->others + row, V) == best;
            r->tokens++;
        }
    }
    return ok;
}


/* go through all windows */
bool strided_loss(struct StridedLoss *r, struct Decoder *d,
                  struct Decoder *other, const uint16_t *token,
                  size_t count, int stride, uint64_t most, struct Error *e)
{
    const size_t T = (size_t)d->T, rows = (size_t)d->rows;
    const size_t V = (size_t)d->m->config.V, step = (size_t)stride;
    size_t all = count > T ? (count - 1 - T) / step + 1 : 0;
    assert(stride >= 1 && stride <= d->T);
    struct Windows w = { .stride = stride,
        .rows = calloc(rows, sizeof *w.rows),
        .ids = calloc(T + rows, sizeof *w.ids),
        .logits = calloc(rows * V, sizeof *w.logits),
        .others = calloc(rows * V, sizeof *w.others) };
    bool ok = w.rows && w.ids && w.logits && w.others;
    if (!ok)
        error_set(e, "no memory for the logits of %zu windows", rows);
    all = all < most ? all : (size_t)most;
    for (size_t b = 0; ok && b < rows; b++)
        w.rows[b] = (int)b;
    for (size_t i = 0; ok && i < all; i += rows) {
        w.n = (int)(all - i < rows ? all - i : rows);
        w.token = token + i * step;
        ok = score(r, d, other, &w, e);
    }
    free(w.rows);
    free(w.ids);
    free(w.logits);
    free(w.others);
    return ok;
}
