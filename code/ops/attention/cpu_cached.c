/* Tangled from chapters/workshop/inference-plumbing.nw, "Attention over a cache".  Edit it there. */

#include "ops/attention/cached.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ops/kernels/vmath.h"
#include "ops/operators.h"

/* store a key and a value */
struct Head { int HS, T, NH; };

static void store(const struct Cache *cache, const struct Head *h,
                  const real *qkv, int row, int at)
{
    const size_t HS = (size_t)h->HS, T = (size_t)h->T;
    const size_t C = HS * (size_t)h->NH;
    real *k = cache->keys + (size_t)row * T * C + (size_t)at;
    real *v = cache->values + (size_t)row * T * C + (size_t)at * HS;
    for (size_t c = 0; c < C; c++)
        k[c * T] = qkv[C + c];
    for (size_t i = 0; i < (size_t)h->NH; i++)
        memcpy(v + i * T * HS, qkv + 2 * C + i * HS, HS * sizeof *v);
}


/* attend with one query */
SIMD_CLONES
static void attend(real *restrict y, real *restrict p, const real *q,
                   const real *restrict keys, const real *restrict values,
                   int n, const struct Head *h)
{
    const size_t T = (size_t)h->T;
    const real scale = (real)(1 / sqrt((double)h->HS));
    memset(p, 0, (size_t)n * sizeof *p);
    for (int d = 0; d < h->HS; d++) {
        const real qd = scale * q[d];
        for (int u = 0; u < n; u++)
            p[u] += keys[(size_t)d * T + (size_t)u] * qd;
    }
    /* p = the softmax of the scores */
    real most = p[0], sum = 0;
    for (int u = 1; u < n; u++)
        most = p[u] > most ? p[u] : most;
    for (int u = 0; u < n; u++)
        p[u] = vexp(p[u] - most);
    for (int u = 0; u < n; u++)
        sum += p[u];
    sum = 1 / sum;
    for (int u = 0; u < n; u++)
        p[u] *= sum;
    memset(y, 0, (size_t)h->HS * sizeof *y);
    for (int u = 0; u < n; u++)
        for (int d = 0; d < h->HS; d++)
            y[d] += p[u] * values[u * h->HS + d];
}


/* attend to the cache on a CPU */
void cpu_attention_cached(real *y, const struct Cache *cache,
                          const real *qkv, const int32_t *row,
                          const int32_t *at, int N, int C, int NH)
{
    const struct Head h = { C / NH, cache->T, NH };
    bool room = true;
    for (int n = 0; n < N; n++)
        store(cache, &h, qkv + (size_t)n * 3 * (size_t)C, row[n], at[n]);
    #pragma omp parallel reduction(&& : room)
    {
        /* attend with this thread's share of the queries */
        real *p = malloc((size_t)h.T * sizeof *p);
        room = p;
        #pragma omp for schedule(static)
        for (int i = 0; i < N * NH; i++) {
            const int n = i / NH, head = i % NH;
            const size_t c = (size_t)head * (size_t)h.HS;
            const size_t begin = ((size_t)row[n] * (size_t)C + c) * (size_t)h.T;
            if (room)
                attend(y + (size_t)n * (size_t)C + c, p, qkv + (size_t)n * 3
                       * (size_t)C + c, cache->keys + begin,
                       cache->values + begin, at[n] + 1, &h);
        }
        free(p);
    }
    if (!room)
        backend_failed("attention: no memory for the scores of %d "
                       "positions", cache->T);
}
