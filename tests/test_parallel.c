/* The schemes of parallel training: the bits of one GPU, the bytes of each
 * link and the time of the model by the formulas; schedules of a pipeline
 * against theirs. */
#include "rows.h"

#include "lessons/parallel.h"
#include "lessons/pipeline.h"

enum { RANKS = 8 };

struct Result { uint64_t bytes[RANKS], messages[RANKS]; double clock_s; };
static struct Result *result;           /* [RANKS], shared */

static void note(const struct World *w)
{
    for (int q = 0; q < w->size; q++) {
        result[w->rank].bytes[q] = w->sent[q].bytes;
        result[w->rank].messages[q] = w->sent[q].messages;
    }
    result[w->rank].clock_s = w->clock_s;
}

static void run(int ranks, struct Link link,
                bool (*body)(struct World *, void *, struct Error *),
                const struct Row *row)
{
    struct Error e = { "" };
    const struct Launch l = { ranks, OVER_SHARED, 60, { link, link, 0 },
                              body, (void *)(uintptr_t)row };
    if (!result)
        result = ranks_shared(RANKS * sizeof *result);
    memset(result, 0, RANKS * sizeof *result);
    if (!ranks_run(&l, NULL, &e))
        fail_msg("%s", e.text);
}

static float *numbers(size_t n, uint64_t seed)
{
    float *x = malloc((n + 1) * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)noise(seed, i);
    return x;
}

static bool same(const char *what, const float *is, const float *should,
                 size_t n, struct Error *e)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&is[i], &should[i], sizeof *is) != 0)
            return error_set(e, "%s[%zu] is %.9g, on one GPU %.9g", what, i,
                             is[i], should[i]);
    return true;
}

static const struct Link no_time = { 0, 0 };

/* ---- tensor parallel ----------------------------------------------------- */

enum { T = 5, C = 6, H = 8, D = 4, HEADS = 8 };

/* Columns at .. at + n - 1 of w [rows][all]. */
static float *columns(const float *w, int rows, int all, int at, int n)
{
    float *p = malloc(sizeof *p * (size_t)(rows * n));
    for (int i = 0; i < rows * n; i++)
        p[i] = w[i / n * all + at + i % n];
    return p;
}

/* On one GPU the second product is a sum over P parts of the hidden layer,
 * part after part. */
static void mlp_one(float *y, const float *x, const float *w1,
                    const float *w2, int P)
{
    for (int t = 0; t < T; t++)
        for (int c = 0; c < C; c++)
            for (int r = 0; r < P; r++) {
                float part = 0;
                for (int h = r * H; h < r * H + H; h++) {
                    float s = 0;
                    for (int k = 0; k < C; k++)
                        s += x[t * C + k] * w1[k * H * P + h];
                    s = 0.5f * s * (1 + erff(s * 0.70710678f));
                    part += s * w2[h * C + c];
                }
                y[t * C + c] = r ? y[t * C + c] + part : part;
            }
}

static bool mlp_body(struct World *w, void *row, struct Error *e)
{
    const int P = w->size, r = w->rank;
    (void)row;
    float *x = numbers(T * C, 1), *w1 = numbers((size_t)(C * H * P), 2);
    float *w2 = numbers((size_t)(C * H * P), 3), y[T * C], one[T * C];
    mlp_one(one, x, w1, w2, P);
    if (!mlp_tensor(w, y, x, columns(w1, C, H * P, r * H, H),
                    w2 + r * H * C, T, C, H, e))
        return false;
    note(w);
    return same("y", y, one, T * C, e);
}

/* The bytes of a direct all-reduce of n floats, from r to q. */
static uint64_t direct_bytes(int P, int r, int q, size_t n)
{
    const uint64_t there = chunk_of(n, P, q).n;
    const uint64_t ring = q == (r + 1) % P ? n - chunk_of(n, P, r + 1).n : 0;
    return q == r ? 0 : 4 * (there + ring);
}

static void check_direct(int P, size_t n)
{
    for (int r = 0; r < P; r++)
        for (int q = 0; q < P; q++)
            assert_int_equal(result[r].bytes[q], direct_bytes(P, r, q, n));
}

static void mlp(const struct Row *row)
{
    const int P = row_int(row, "P");
    run(P, no_time, mlp_body, row);
    check_direct(P, T * C);
}

static bool attention_body(struct World *w, void *row, struct Error *e)
{
    const int P = w->size, heads = HEADS / P, part = heads * T * D;
    (void)row;
    float *q = numbers(HEADS * T * D, 4), *k = numbers(HEADS * T * D, 5);
    float *v = numbers(HEADS * T * D, 6), *wo = numbers(HEADS * D * C, 7);
    float o[T * D], y[T * C], one[T * C], all[HEADS][T * D];
    for (int h = 0; h < HEADS; h++) {
        const int at = h * T * D;
        attention_blocks(o, q + at, k + at, v + at, 1, T, D);
        memcpy(all[h], o, sizeof o);
    }
    for (int i = 0; i < T * C; i++)     /* the heads of a rank, then ranks */
        for (int r = 0; r < P; r++) {
            float sum = 0;
            for (int j = r * heads * D; j < (r + 1) * heads * D; j++)
                sum += all[j / D][i / C * D + j % D] * wo[j * C + i % C];
            one[i] = r ? one[i] + sum : sum;
        }
    const int at = w->rank * part;
    if (!attention_tensor(w, y, q + at, k + at, v + at,
                          wo + w->rank * heads * D * C, heads, T, D, C, e))
        return false;
    note(w);
    return same("y", y, one, T * C, e);
}

static void attention(const struct Row *row)
{
    const int P = row_int(row, "P");
    run(P, no_time, attention_body, row);
    check_direct(P, T * C);
}

/* ---- ring attention ------------------------------------------------------- */

static bool ring_body(struct World *w, void *argument, struct Error *e)
{
    const struct Row *row = argument;
    const int P = w->size, n = row_int(row, "n"), at = w->rank * n * D;
    const size_t all = (size_t)(P * n * D);
    float *q = numbers(all, 8), *k = numbers(all, 9), *v = numbers(all, 10);
    float *one = numbers(all, 11), *o = numbers(all, 12);
    attention_blocks(one, q, k, v, P, n, D);
    if (!attention_ring(w, o, q + at, k + at, v + at, n, D,
                        row_number(row, "us", 0) * 1e-6, e))
        return false;
    note(w);
    return same("o", o, one + at, (size_t)(n * D), e);
}

/* Each link carries P - 1 blocks of k and v; a step lasts as long as the
 * slower one of message and work. */
static void ring(const struct Row *row)
{
    const int P = row_int(row, "P"), n = row_int(row, "n");
    const struct Link link = { 2e-6, 1e-8 };
    const double work = row_number(row, "us", 0) * 1e-6;
    const double block = 4 * 2.0 * n * D;
    const double message = link.alpha_s + block * link.beta_s;
    const double should = (P - 1) * (message > work ? message : work) + work;
    run(P, link, ring_body, row);
    for (int r = 0; r < P; r++) {
        for (int q = 0; q < P; q++)
            assert_int_equal(result[r].bytes[q], P > 1 && q == (r + 1) % P
                             ? (uint64_t)(P - 1) * (uint64_t)block : 0);
        if (!(fabs(result[r].clock_s - should) <= 1e-9 * should))
            fail_msg("rank %d: %g s, by the formula %g", r,
                     result[r].clock_s, should);
    }
}

/* ---- mixture of experts --------------------------------------------------- */

static int choice(const struct Row *row, int rank, int i, int P)
{
    if (row_number(row, "hot", 0) > 0)
        return i % 4 ? 0 : (rank + i) % P;
    return (rank + i) % P;              /* as many for each expert */
}

static bool moe_body(struct World *w, void *argument, struct Error *e)
{
    const struct Row *row = argument;
    const int n = row_int(row, "n");
    float *x = numbers((size_t)(n * C), (uint64_t)w->rank + 20);
    float *one = numbers((size_t)(n * C), (uint64_t)w->rank + 20);
    float *y = numbers((size_t)(n * C), 13);
    int *expert = malloc(sizeof *expert * (size_t)n);
    for (int i = 0; i < n; i++) {
        expert[i] = choice(row, w->rank, i, w->size);
        expert_apply(one + i * C, C, expert[i]);
    }
    if (!moe_exchange(w, y, x, expert, n, C, e))
        return false;
    note(w);
    return same("y", y, one, (size_t)(n * C), e);
}

/* Each token goes and comes back; the number of tokens goes before them. */
static void moe(const struct Row *row)
{
    const int P = row_int(row, "P"), n = row_int(row, "n");
    uint64_t tokens[RANKS][RANKS] = { { 0 } };
    run(P, no_time, moe_body, row);
    for (int r = 0; r < P; r++)
        for (int i = 0; i < n; i++)
            tokens[r][choice(row, r, i, P)]++;
    for (int r = 0; r < P; r++)
        for (int q = 0; q < P; q++)
            assert_int_equal(result[r].bytes[q], q == r ? 0 :
                             4 * C * (tokens[r][q] + tokens[q][r]) + 4);
    if (row_number(row, "hot", 0) <= 0)     /* balanced: the formula */
        assert_int_equal(result[0].bytes[1], 2 * n / P * C * 4 + 4);
}

/* ---- ZeRO ------------------------------------------------------------------ */

static void gradient(float *g, const float *x, size_t n, int rank)
{
    for (size_t i = 0; i < n; i++)
        g[i] = sinf(x[i] * (float)(rank + 1) + (float)i);
}

enum { N = 1003, STEPS = 3 };

static bool zero_body(struct World *w, void *argument, struct Error *e)
{
    const struct Row *row = argument;
    const int stage = row_int(row, "stage");
    const struct Chunk mine = chunk_of(N, w->size, w->rank);
    float *one = numbers(N, 14), *x = numbers(N, 14);
    float *m1 = calloc(N, sizeof *m1), *m = calloc(N, sizeof *m);
    for (int i = 0; i < STEPS; i++)
        if (!zero_step(w, 0, one, m1, N, gradient, e))
            return false;
    memset(w->sent, 0, sizeof w->sent);
    for (int i = 0; i < STEPS; i++)
        if (!zero_step(w, stage, x, m, N, gradient, e))
            return false;
    note(w);
    for (size_t i = 0; stage > 0 && i < N; i++)
        if (!(m[i] == 0) && (i < mine.at || i >= mine.at + mine.n))
            return error_set(e, "m[%zu] is of another rank", i);
    if (stage == 3 && w->size > 1 && !isnan(x[mine.at ? 0 : N - 1]))
        return error_set(e, "weights of another rank are kept");
    return stage == 3 ? same("x", x + mine.at, one + mine.at, mine.n, e)
                      : same("x", x, one, N, e);
}

/* A reduce-scatter and one or two all-gathers a step. */
static void zero(const struct Row *row)
{
    const int P = row_int(row, "P"), stage = row_int(row, "stage");
    run(P, no_time, zero_body, row);
    for (int r = 0; r < P && P > 1; r++) {
        const uint64_t scatter = N - chunk_of(N, P, r).n;
        const uint64_t gather = N - chunk_of(N, P, r + 1).n;
        assert_int_equal(result[r].bytes[(r + 1) % P], 4 * STEPS *
                         (scatter + (stage == 3 ? 2 : 1) * gather));
    }
}

/* ---- pipelines --------------------------------------------------------------- */

/* Bubble and activations by the formulas; forward 1, backward b, weights c. */
static void pipeline(const struct Row *row)
{
    const struct Pipeline p = {
        (enum Schedule)row_int(row, "schedule"), row_int(row, "P"),
        row_int(row, "M"), (int)row_number(row, "v", 1), 1,
        row_number(row, "b", 1), row_number(row, "c", 1), 0 };
    const double whole = 1 + p.backward + p.weights;
    const double bubble = (p.stages - 1) *
        (p.schedule == ZERO_BUBBLE ? 1 + p.backward - p.weights
                                   : whole / p.chunks);
    const int kept = p.schedule == GPIPE ? p.micro
                   : p.stages < p.micro ? p.stages : p.micro;
    struct Timeline t;
    struct Error e = { "" };
    if (!pipeline_run(&t, &p, &e))
        fail_msg("%s", e.text);
    if (!(fabs(t.bubble - bubble) < 1e-9))
        fail_msg("bubble %g, by the formula %g", t.bubble, bubble);
    if (p.schedule != INTERLEAVED && t.kept[0] != kept)
        fail_msg("%d activations kept, expected %d", t.kept[0], kept);
    for (int s = 0; s < p.stages; s++) {        /* nothing at once */
        double free = 0, busy = 0;
        for (int i = 0; i < t.n[s]; i++) {
            if (!(t.piece[s][i].start >= free))
                fail_msg("stage %d does two things at %g", s, free);
            free = t.piece[s][i].end;
            busy += free - t.piece[s][i].start;
        }
        if (!(fabs(busy - p.micro * whole) < 1e-9))
            fail_msg("stage %d works for %g, expected %g", s, busy,
                     p.micro * whole);
    }
    timeline_free(&t);
}

/* Sending takes time: the last stage begins P - 1 messages later. */
static void sending(const struct Row *row)
{
    const struct Pipeline p = { ONE_F_ONE_B, 4, 1, 1, 1, 1, 1, 0.5 };
    struct Timeline t;
    struct Error e = { "" };
    (void)row;
    if (!pipeline_run(&t, &p, &e))
        fail_msg("%s", e.text);
    assert_true(fabs(t.end - (4 * 3 + 2 * 3 * 0.5)) < 1e-9);
    timeline_free(&t);
}

static void refused(const struct Row *row)
{
    struct Timeline t;
    struct Error e = { "" };
    (void)row;
    const struct Pipeline odd = { INTERLEAVED, 4, 6, 2, 1, 1, 1, 0 };
    const struct Pipeline none = { GPIPE, 4, 0, 1, 1, 1, 1, 0 };
    const struct Pipeline parts = { GPIPE, 4, 8, 2, 1, 1, 1, 0 };
    if (pipeline_run(&t, &odd, &e) || !strstr(e.text, "a multiple of the 4"))
        fail_msg("\"%s\"", e.text);
    if (pipeline_run(&t, &none, &e) || !strstr(e.text, "0 micro-batches"))
        fail_msg("\"%s\"", e.text);
    if (pipeline_run(&t, &parts, &e) || !strstr(e.text, "only the inter"))
        fail_msg("\"%s\"", e.text);
}

int main(void)
{
    static const struct Row rows[] = {
        { "mlp P=1", mlp, "a rank too many" },
        { "mlp P=3", mlp, "rows of the second matrix for columns" },
        { "mlp P=8", mlp, "a sum that is not reduced" },
        { "attention P=2", attention, "heads exchanged" },
        { "attention P=8", attention, "heads not summed" },
        { "ring P=1 n=5", ring, "a block that is left out" },
        { "ring P=4 n=3 us=1", ring, "k and v of the wrong block" },
        { "ring P=8 n=2 us=50", ring, "message and work one after the other" },
        { "moe P=4 n=16", moe, "tokens that come back in another order" },
        { "moe P=4 n=17 hot=1", moe, "as many tokens for each expert" },
        { "zero P=4 stage=0", zero, "moments that are not used" },
        { "zero P=3 stage=1", zero, "weights not gathered" },
        { "zero P=4 stage=3", zero, "weights of others kept" },
        { "pipeline schedule=0 P=4 M=8", pipeline, "a forward that waits" },
        { "pipeline schedule=1 P=4 M=8", pipeline, "too few warm-up forwards" },
        { "pipeline schedule=1 P=8 M=5", pipeline, "fewer micro-batches than stages" },
        { "pipeline schedule=2 P=4 M=8 v=2", pipeline, "chunks in the wrong order" },
        { "pipeline schedule=2 P=4 M=12 v=4", pipeline, "too few warm-up forwards" },
        { "pipeline schedule=3 P=4 M=8", pipeline, "weights' gradients that delay others" },
        { "pipeline schedule=3 P=8 M=24", pipeline, "more activations than 1F1B" },
        { "sending", sending, "messages that take no time" },
        { "refused", refused, "a schedule that does not exist" },
    };
    return rows_run("parallel", rows, sizeof rows / sizeof *rows);
}
