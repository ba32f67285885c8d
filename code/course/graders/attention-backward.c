/* Tangled from chapters/course/attention-backward-solutions.nw, "Solutions: attention backward".  Edit it there. */

#include "course/course.h"

#include <math.h>

/* graders of attention backward */
/* A head of T queries and keys of 8 numbers, causal. */
struct Head8 {
    int T;
    float scale;
    struct Array *q, *k, *v, *dy, *lse, *d;
};

static double dot8(const struct Array *a, int i, const struct Array *b,
                   int j)
{
    double sum = 0;
    for (int c = 0; c < 8; c++)
        sum += (double)a->f[8 * i + c] * (double)b->f[8 * j + c];
    return sum;
}

/* exp(scale s - lse), with the lse that the kernel gets */
static double probability(const struct Head8 *h, int t, int u)
{
    return exp((double)h->scale * dot8(h->q, t, h->k, u) -
               (double)h->lse->f[t]);
}

static void finish_row(struct Head8 *h, int t)
{
    double sum = 0, d = 0;
    for (int u = 0; u <= t; u++)
        sum += exp((double)h->scale * dot8(h->q, t, h->k, u));
    h->lse->f[t] = (float)log(sum);
    for (int u = 0; u <= t; u++)
        d += probability(h, t, u) * dot8(h->dy, t, h->v, u);
    h->d->f[t] = (float)d;
}

static struct Head8 head_of(struct Run *r, int T)
{
    size_t n = (size_t)T;
    struct Head8 h = { .T = T, .scale = case_random(r, 0, 1) ? 2 : 0.35f };
    h.q = input_floats(r, "q", 8 * n, -1, 1);
    h.k = input_floats(r, "k", 8 * n, -1, 1);
    h.v = input_floats(r, "v", 8 * n, -1, 1);
    h.dy = input_floats(r, "dy", 8 * n, -1, 1);
    h.lse = input_floats(r, "lse", n, 0, 1);
    h.d = input_floats(r, "d", n, 0, 1);
    for (int t = 0; t < T; t++)
        finish_row(&h, t);
    refill(r, h.lse), refill(r, h.d);
    return h;
}

static void run_dots(struct Run *r)
{
    size_t rows = (size_t)case_size(r);
    struct Array *dy = input_floats(r, "dy", 64 * rows, -1, 1);
    struct Array *y = input_floats(r, "y", 64 * rows, -1, 1);
    struct Array *d = output_floats(r, "d", rows);
    float *wanted = wanted_floats(r, rows);
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t c = 64 * i; c < 64 * i + 64; c++)
            sum += (double)dy->f[c] * (double)y->f[c];
        wanted[i] = (float)sum;
    }
    LAUNCH(r, "dots", blocks_for(rows, 128), ARRAY(d), ARRAY(dy), ARRAY(y),
           INT((int)rows));
    expect_floats(r, d, wanted, 0, 2e-5);
    budget(r, "sectors read", "gld_sec", 256 * 16, 256 * 16);
    budget(r, "requests to read", "gld_req", 256 * 4, 256 * 2);
    budget(r, "sectors written", "gst_sec", 256, 32);
}

static void run_again(struct Run *r)
{
    int T = case_size(r);
    struct Head8 h = head_of(r, T);
    struct Array *dq = output_floats(r, "dq", 8 * (size_t)T);
    float *wanted = wanted_floats(r, 8 * (size_t)T);
    for (int t = 0; t < T; t++)
        for (int c = 0; c < 8; c++) {
            double sum = 0;
            for (int u = 0; u <= t; u++)
                sum += probability(&h, t, u) *
                       (dot8(h.dy, t, h.v, u) - (double)h.d->f[t]) *
                       (double)h.k->f[8 * u + c];
            wanted[8 * t + c] = (float)((double)h.scale * sum);
        }
    LAUNCH(r, "queries", blocks_for((size_t)T, 64), ARRAY(dq), ARRAY(h.q),
           ARRAY(h.k), ARRAY(h.v), ARRAY(h.dy), ARRAY(h.lse), ARRAY(h.d),
           FLOAT(h.scale), INT(T));
    expect_floats(r, dq, wanted, 0, 2e-5);
    budget(r, "FLOP", "flop", 500000, 488128);
    budget(r, "lanes of special functions", "special", 8256, 8256);
    budget(r, "requests to read", "gld_req", 5600, 5192);
}

static void run_keys(struct Run *r)
{
    int T = case_size(r);
    size_t n = 8 * (size_t)T;
    struct Head8 h = head_of(r, T);
    struct Array *dk = output_floats(r, "dk", n);
    struct Array *dv = output_floats(r, "dv", n);
    float *wanted_k = wanted_floats(r, n), *wanted_v = wanted_floats(r, n);
    for (int u = 0; u < T; u++)
        for (int c = 0; c < 8; c++) {
            double k = 0, v = 0;
            for (int t = u; t < T; t++) {
                double p = probability(&h, t, u);
                double dp = dot8(h.dy, t, h.v, u);
                v += p * (double)h.dy->f[8 * t + c];
                k += p * (dp - (double)h.d->f[t]) *
                     (double)h.q->f[8 * t + c];
            }
            wanted_v[8 * u + c] = (float)v;
            wanted_k[8 * u + c] = (float)((double)h.scale * k);
        }
    LAUNCH(r, "keys", blocks_for((size_t)T, 64), ARRAY(dk), ARRAY(dv),
           ARRAY(h.q), ARRAY(h.k), ARRAY(h.v), ARRAY(h.dy), ARRAY(h.lse),
           ARRAY(h.d), FLOAT(h.scale), INT(T));
    expect_floats(r, dv, wanted_v, 0, 4e-5);
    expect_floats(r, dk, wanted_k, 0, 4e-5);
    budget(r, "FLOP", "flop", 640000, 620224);
    budget(r, "lanes of special functions", "special", 8256, 8256);
}

static void run_turns(struct Run *r)
{
    int T = case_size(r), tiles = (T + 15) / 16;
    size_t n = 8 * (size_t)T;
    struct Array *part = input_floats(r, "part", n * (size_t)tiles, -1, 1);
    float *wanted = wanted_floats(r, n);
    for (int j = 0; j < tiles; j++)
        for (int i = 0; i < 8 * T; i++) {
            float *x = &part->f[n * (size_t)j + (size_t)i];
            if (i < 128 * j)
                *x = NAN;
            else
                wanted[i] = j ? wanted[i] + *x : *x;
        }
    refill(r, part);
    struct Array *dq = output_floats(r, "dq", n);
    struct Array *turn = zero_ints(r, "turn", (size_t)tiles);
    LAUNCH(r, "turns", blocks_for(128 * (size_t)tiles, 128), ARRAY(dq),
           ARRAY(turn), ARRAY(part), INT(T));
    expect_bits(r, dq, wanted);
    budget(r, "sectors read", "gld_sec", 16 * (36 + 28), 16 * (36 + 28));
    budget(r, "sectors written", "gst_sec", 16 * 36, 16 * 36);
    budget(r, "barriers (warps arriving)", "barriers", 4 * 36 * 3,
           4 * 36 * 2);
}

extern const struct Exercise attention_backward_exercises[];
const struct Exercise attention_backward_exercises[] = {
    /* exercises of attention backward */
    { .name = "attention-backward/dots",
      .title = "slow: D by a thread for each row",
      .difficulty = 2, .run = run_dots,
      .size = { 1, 31, 33, 127, 129, 256 },
      .largest = 200,
      .hint = { "Neighbouring lanes are 256 bytes apart, so a load takes a "
                "sector for each lane.",
                "Let 32 lanes read two neighbouring floats each of one row, "
                "and add up their products with five shuffles.  Then the "
                "next row.",
                "For the stars: after row k, lane k keeps the sum, and all "
                "lanes store at the end.",
                "No lane may leave before the last shuffle, also if it has "
                "no row." } },
    { .name = "attention-backward/again",
      .title = "one number for each row",
      .difficulty = 2, .run = run_again,
      .size = { 1, 2, 63, 65, 128 },
      .largest = 100,
      .hint = { "What do the first two walks find out?  Which of the "
                "kernel's parameters is the same in one number?",
                "exp(s - most) / sum is exp(s - (most + log(sum))).",
                "p = expf(s - lse[t]), and two walks are left out.  The "
                "division is gone as well." } },
    { .name = "attention-backward/keys",
      .title = "broken: the gradients of a key",
      .difficulty = 3, .run = run_keys,
      .size = { 1, 2, 9, 63, 65, 128 },
      .largest = 100,
      .hint = { "Which queries see the last key, and which see the first?",
                "With a single token p is 1, and its gradient of the score "
                "is 0.  What does the kernel compute?  Look at the brackets.",
                "The factor scale belongs to the scores.  Which of the two "
                "gradients goes through the scores?" } },
    { .name = "attention-backward/turns",
      .title = "broken: blocks that add in turns",
      .difficulty = 3, .run = run_turns,
      .size = { 1, 15, 16, 17, 40, 128 },
      .largest = 100,
      .hint = { "What does the first block add to?",
                "Thread 0 gives the turn away as soon as it has added its "
                "own number.  Have the other threads added theirs?",
                "An atomic operation orders nothing but itself.  What must "
                "be between the additions and the turn?" } },
    { .name = NULL },
};
