/* Tangled from chapters/workshop/schemes.nw, "Schemes on ranks".  Edit it there. */

#include "lessons/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* a matrix product */
/* y [M][N] = x [M][K] w [K][N] */
static void multiply(float *y, const float *x, const float *w, int M, int K,
                     int N)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += x[i * K + k] * w[k * N + j];
            y[i * N + j] = sum;
        }
}

static float *floats(int n, struct Error *e)
{
    float *p = calloc((size_t)n + 1, sizeof *p);
    if (!p)
        error_set(e, "no memory for %d floats", n);
    return p;
}


/* an MLP on several ranks */
bool mlp_tensor(struct World *w, float *y, const float *x, const float *w1,
                const float *w2, int T, int C, int H, struct Error *e)
{
    float *h = floats(T * H, e);
    if (!h)
        return false;
    multiply(h, x, w1, T, C, H);
    for (int i = 0; i < T * H; i++)
        h[i] = 0.5f * h[i] * (1 + erff(h[i] * 0.70710678f));
    multiply(y, h, w2, T, H, C);
    free(h);
    return all_reduce_direct(w, y, (size_t)(T * C), e);
}


/* rows attend to a block of keys */
/* Rows first_q .. of q [n][D] attend to keys first_k .. of k and v [n][D];
 * o, max and sum are of all keys so far, max and sum [n]. */
static void attend(float *o, float *max, float *sum, const float *q,
                   const float *k, const float *v, int first_q, int first_k,
                   int n, int D)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n && first_k + j <= first_q + i; j++) {
            float s = 0;
            for (int d = 0; d < D; d++)
                s += q[i * D + d] * k[j * D + d];
            s /= sqrtf((float)D);
            const float most = fmaxf(max[i], s);
            const float old = expf(max[i] - most), new = expf(s - most);
            sum[i] = sum[i] * old + new;
            for (int d = 0; d < D; d++)
                o[i * D + d] = o[i * D + d] * old + new * v[j * D + d];
            max[i] = most;
        }
}


/* begin and end rows of attention */
static void attend_begin(float *o, float *max, float *sum, int n, int D)
{
    memset(o, 0, sizeof *o * (size_t)(n * D));
    for (int i = 0; i < n; i++) {
        max[i] = -INFINITY;
        sum[i] = 0;
    }
}

static void attend_end(float *o, const float *sum, int n, int D)
{
    for (int i = 0; i < n * D; i++)
        o[i] /= sum[i / D];
}


/* heads on several ranks */
bool attention_tensor(struct World *w, float *y, const float *q,
                      const float *k, const float *v, const float *wo,
                      int heads, int T, int D, int C, struct Error *e)
{
    float *o = floats(T * D, e), *rows = floats(T * heads * D, e);
    float *max = floats(T, e), *sum = floats(T, e);
    bool ok = o && rows && max && sum;
    for (int h = 0; ok && h < heads; h++) {
        const int at = h * T * D;
        attend_begin(o, max, sum, T, D);
        attend(o, max, sum, q + at, k + at, v + at, 0, 0, T, D);
        attend_end(o, sum, T, D);
        for (int i = 0; i < T * D; i++)
            rows[(i / D * heads + h) * D + i % D] = o[i];
    }
    if (ok)
        multiply(y, rows, wo, T, heads * D, C);
    free(o);
    free(rows);
    free(max);
    free(sum);
    return ok && all_reduce_direct(w, y, (size_t)(T * C), e);
}


/* attention block by block */
void attention_blocks(float *o, const float *q, const float *k,
                      const float *v, int blocks, int n, int D)
{
    float *max = calloc((size_t)n, sizeof *max);
    float *sum = calloc((size_t)n, sizeof *sum);
    for (int r = 0; max && sum && r < blocks; r++) {
        float *to = o + r * n * D;
        attend_begin(to, max, sum, n, D);
        for (int b = r; b >= 0; b--)
            attend(to, max, sum, q + r * n * D, k + b * n * D,
                   v + b * n * D, r * n, b * n, n, D);
        attend_end(to, sum, n, D);
    }
    free(max);
    free(sum);
}


/* pass a block on while it is worked on */
/* While a block is worked on, it is sent on and the next one comes. */
static bool turn(struct World *w, float *kv, float *next, size_t bytes,
                 double block_s, struct Error *e)
{
    const int P = w->size, r = w->rank;
    const double start_s = w->clock_s;
    if (!exchange(w, (r + 1) % P, kv, bytes, (r + P - 1) % P, next, bytes,
                  e))
        return false;
    if (w->clock_s < start_s + block_s)
        w->clock_s = start_s + block_s;
    return true;
}


/* attention on a ring */
bool attention_ring(struct World *w, float *o, const float *q,
                    const float *k, const float *v, int n, int D,
                    double block_s, struct Error *e)
{
    const int P = w->size, r = w->rank, half = n * D;
    float *both[2] = { floats(2 * half, e), floats(2 * half, e) };
    float *max = floats(n, e), *sum = floats(n, e);
    bool ok = both[0] && both[1] && max && sum;
    if (ok) {
        memcpy(both[0], k, sizeof *k * (size_t)half);
        memcpy(both[0] + half, v, sizeof *v * (size_t)half);
        attend_begin(o, max, sum, n, D);
    }
    for (int s = 0; ok && s < P; s++) {
        float *kv = both[s % 2];
        const int b = r - s;            /* below 0: the future, masked */
        if (s < P - 1)
            ok = turn(w, kv, both[(s + 1) % 2],
                      sizeof *kv * 2 * (size_t)half, block_s, e);
        else
            w->clock_s += block_s;
        if (ok && b >= 0)
            attend(o, max, sum, q, kv, kv + half, r * n, b * n, n, D);
    }
    if (ok)
        attend_end(o, sum, n, D);
    free(both[0]);
    free(both[1]);
    free(max);
    free(sum);
    return ok;
}


/* an expert */
void expert_apply(float *x, int C, int expert)
{
    for (int c = 0; c < C; c++)
        x[c] = tanhf(x[c] * (float)(expert + 1));
}


/* send tokens to their experts and back */
/* Rows of x with expert[i] == to, one after the other; returns how many. */
static int gather_tokens(float *out, const float *x, const int *expert,
                         int n, int C, int to)
{
    int m = 0;
    for (int i = 0; i < n; i++)
        if (expert[i] == to)
            memcpy(out + m++ * C, x + i * C, sizeof *x * (size_t)C);
    return m;
}

static void scatter_tokens(float *y, const float *in, const int *expert,
                           int n, int C, int from)
{
    int m = 0;
    for (int i = 0; i < n; i++)
        if (expert[i] == from)
            memcpy(y + i * C, in + m++ * C, sizeof *y * (size_t)C);
}


/* Tokens go to rank `to`, which works on ours while we work on those of
 * rank `from`. */
static bool serve(struct World *w, float *y, const float *x,
                  const int *expert, int n, int C, int to, int from,
                  struct Error *e)
{
    int out_n, in_n = 0;
    float *out = floats(n * C, e), *in = NULL;
    bool ok = out != NULL;
    out_n = ok ? gather_tokens(out, x, expert, n, C, to) : 0;
    ok = ok && exchange(w, to, &out_n, sizeof out_n, from, &in_n,
                        sizeof in_n, e);
    const size_t sent = sizeof *x * (size_t)(out_n * C);
    const size_t came = sizeof *x * (size_t)(in_n * C);
    ok = ok && (in = floats(in_n * C, e))
        && exchange(w, to, out, sent, from, in, came, e);
    for (int i = 0; ok && i < in_n; i++)
        expert_apply(in + i * C, C, w->rank);
    ok = ok && exchange(w, from, in, came, to, out, sent, e);
    if (ok)
        scatter_tokens(y, out, expert, n, C, to);
    free(out);
    free(in);
    return ok;
}


bool moe_exchange(struct World *w, float *y, const float *x,
                  const int *expert, int n, int C, struct Error *e)
{
    const int P = w->size, r = w->rank;
    for (int i = 0; i < n; i++)
        if (expert[i] == r) {
            memcpy(y + i * C, x + i * C, sizeof *x * (size_t)C);
            expert_apply(y + i * C, C, r);
        }
    for (int s = 1; s < P; s++)
        if (!serve(w, y, x, expert, n, C, (r + s) % P, (r + P - s) % P, e))
            return false;
    return true;
}


/* what a rank does not keep */
/* What a sharded state does not keep is NaN, so that its use shows. */
static void forget_others(float *x, size_t n, struct Chunk mine)
{
    for (size_t i = 0; i < n; i++)
        if (i < mine.at || i >= mine.at + mine.n)
            x[i] = NAN;
}


/* one step with sharded states */
static void update(float *x, float *m, const float *g, struct Chunk c)
{
    for (size_t i = c.at; i < c.at + c.n; i++) {
        m[i] = 0.9f * m[i] + g[i];
        x[i] -= 0.01f * m[i];
    }
}

bool zero_step(struct World *w, int stage, float *x, float *m, size_t n,
               void (*gradient)(float *g, const float *x, size_t n,
                                int rank), struct Error *e)
{
    const struct Chunk all = { 0, n }, mine = chunk_of(n, w->size, w->rank);
    float *g = floats((int)n, e);
    bool ok = g != NULL;
    if (ok && stage == 3)               /* the weights of the forward */
        ok = all_gather_ring(w, x, n, e);
    if (ok && stage == 3) {             /* dropped, and for the backward */
        forget_others(x, n, mine);
        ok = all_gather_ring(w, x, n, e);
    }
    if (ok)
        gradient(g, x, n, w->rank);
    ok = ok && (stage == 0 ? all_reduce_ring(w, g, n, e)
                           : reduce_scatter_ring(w, g, n, e));
    if (ok)
        update(x, m, g, stage == 0 ? all : mine);
    if (ok && stage == 3)
        forget_others(x, n, mine);
    else if (ok && stage > 0)
        ok = all_gather_ring(w, x, n, e);
    free(g);
    return ok;
}

