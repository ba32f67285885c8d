/* Tangled from chapters/course/training-solutions.nw, "Solutions: training".  Edit it there. */

#include "course/course.h"

#include <math.h>

/* graders of training */
static void run_adamw(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    int t = case_random(r, 1, 50);
    float rate = (float)(1e-2 / (1 - pow(0.9, t)));
    float root = (float)(1 / sqrt(1 - pow(0.95, t))), shrink = 1e-3f;
    struct Array *w = in_place(input_floats(r, "w", n, -1, 1));
    struct Array *m = in_place(input_floats(r, "m", n, -1, 1));
    struct Array *v = in_place(input_floats(r, "v", n, 0.01f, 1));
    struct Array *g = input_floats(r, "g", n, -1, 1);
    float *w1 = wanted_floats(r, n), *m1 = wanted_floats(r, n);
    float *v1 = wanted_floats(r, n);
    g->f[0] = v->f[0] = 0;
    m->f[0] = 1e-8f;
    for (size_t i = 0; i < n; i++) {
        double x = (double)g->f[i];
        double mean = 0.9 * (double)m->f[i] + 0.1 * x;
        double square = 0.95 * (double)v->f[i] + 0.05 * x * x;
        double size = sqrt(square) * (double)root + 1e-8;
        m1[i] = (float)mean;
        v1[i] = (float)square;
        w1[i] = (float)((double)w->f[i] - (double)rate * mean / size
                        - (double)shrink * (double)w->f[i]);
    }
    refill(r, m);
    refill(r, v);
    refill(r, g);
    LAUNCH(r, "adamw", blocks_for(n, 256), ARRAY(w), ARRAY(m), ARRAY(v),
           ARRAY(g), INT((int)n), FLOAT(rate), FLOAT(root), FLOAT(shrink));
    expect_floats(r, m, m1, 1e-6, 2e-7);
    expect_floats(r, v, v1, 1e-6, 2e-7);
    expect_floats(r, w, w1, 0, 2e-6);
    budget(r, "sectors read", "gld_sec", 1024, 1024);
    budget(r, "sectors written", "gst_sec", 768, 768);
}

static void run_clip(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    int kind = case_counted(r) ? 1 : (int)n % 5;
    float size = kind == 0 ? 0.01f : kind == 2 ? 1e25f : 1;
    struct Array *w = in_place(input_floats(r, "w", n, -1, 1));
    struct Array *g = input_floats(r, "g", n, -size, size);
    struct Array *refused = output_ints(r, "refused", 1);
    float *wanted = wanted_floats(r, n);
    int *refuse = wanted_ints(r, 1);
    double sum = 0, factor;
    *refuse = kind > 2;
    if (kind > 2)
        g->f[n - 1] = kind == 3 ? NAN : -INFINITY;
    for (size_t i = 0; i < n; i++)
        sum += (double)g->f[i] * (double)g->f[i];
    factor = sum > 0.25 ? 0.5 / sqrt(sum) : 1;
    for (size_t i = 0; i < n; i++)
        wanted[i] = (float)((double)w->f[i] - (*refuse ? 0 : 0.125 * factor
                                               * (double)g->f[i]));
    refill(r, g);
    LAUNCH(r, "clip", blocks_for(256, 256), ARRAY(w), ARRAY(g),
           ARRAY(refused), INT((int)n), FLOAT(0.125f), FLOAT(0.5f));
    expect_ints(r, refused, refuse);
    expect_floats(r, w, wanted, 0, 1e-6);
    budget(r, "sectors read", "gld_sec", 384, 384);
    budget(r, "sectors written", "gst_sec", 129, 129);
    budget(r, "barriers (warps arriving)", "barriers", 88, 72);
}

static void run_draw(struct Run *r)
{
    int V = case_size(r), N = case_counted(r) ? 8 : case_random(r, 1, 9);
    float temperature = 0.5f * (float)case_random(r, 1, 4);
    struct Array *x = input_floats(r, "x", (size_t)(N * V), 100, 103);
    struct Array *u = input_floats(r, "u", (size_t)N, 0, 1);
    struct Array *token = output_ints(r, "token", (size_t)N);
    int *wanted = wanted_ints(r, (size_t)N);
    for (int n = 0; n < N; n++) {
        float *row = x->f + n * V;
        double sum = 0, before = 0, mine = 0;
        wanted[n] = case_counted(r) ? V - 1 : case_random(r, 0, V - 1);
        row[wanted[n]] = 103;
        for (int i = 0; i < V; i++) {
            double weight = exp(((double)row[i] - 103)
                                / (double)temperature);
            sum += weight;
            before += i < wanted[n] ? weight : 0;
            mine = i == wanted[n] ? weight : mine;
        }
        u->f[n] = (float)((before + mine / 2) / sum);
    }
    refill(r, x);
    refill(r, u);
    LAUNCH(r, "draw", blocks_for(32 * (size_t)N, 256), ARRAY(token),
           ARRAY(x), ARRAY(u), FLOAT(temperature), INT(N), INT(V));
    expect_ints(r, token, wanted);
    budget(r, "load requests", "gld_req", 600, 392);
    budget(r, "sectors read", "gld_sec", 1760, 1544);
    budget(r, "warp instructions", "inst", 20000, 12216);
    budget(r, "barriers (warps arriving)", "barriers", 0, 0);
}

static int weights_from(const int *row, int V, int cut)
{
    int sum = 0;
    for (int i = 0; i < V; i++)
        sum += row[i] >= cut ? row[i] : 0;
    return sum;
}

static void run_topp(struct Run *r)
{
    int V = case_size(r), rows = 4;
    struct Array *weight = input_ints(r, "weight", (size_t)(rows * V), 0,
                                      65536);
    struct Array *goal = input_ints(r, "goal", (size_t)rows, 0, 1);
    struct Array *cut = output_ints(r, "cut", (size_t)rows);
    int *wanted = wanted_ints(r, (size_t)rows);
    for (int b = 0; b < rows; b++) {
        int *row = weight->i + b * V;
        row[0] = 65535;
        for (int i = 1; i < V; i++)
            row[i] >>= case_random(r, 0, 16);
        int sum = weights_from(row, V, 0);
        goal->i[b] = b == 1 ? sum : case_random(r, 1, sum);
        for (int i = 0; i < V; i++)
            if (row[i] > wanted[b] &&
                weights_from(row, V, row[i]) >= goal->i[b])
                wanted[b] = row[i];
    }
    refill(r, weight);
    refill(r, goal);
    LAUNCH(r, "top_p", blocks_for(256 * (size_t)rows, 256), ARRAY(cut),
           ARRAY(weight), ARRAY(goal), INT(V));
    expect_ints(r, cut, wanted);
    budget(r, "sectors read", "gld_sec", 560, 544);
    budget(r, "warp instructions", "inst", 60000, 37200);
    budget(r, "barriers (warps arriving)", "barriers", 1600, 512);
}

static void run_entropy(struct Run *r)
{
    int V = case_size(r), scale = case_random(r, 1, 100000);
    struct Array *count = input_ints(r, "count", (size_t)V, 0, 2);
    struct Array *nats = output_floats(r, "nats", 1);
    float *wanted = wanted_floats(r, 1);
    double total = 0, sum = 0;
    count->i[V - 1] = 1;
    for (int i = 0; i < V; i++) {
        count->i[i] *= 1 + scale * 100 / (1 + (int)((i * 37L) % V));
        total += count->i[i];
    }
    for (int i = 0; i < V; i++)
        if (count->i[i])
            sum -= count->i[i] / total * log(count->i[i] / total);
    *wanted = (float)sum;
    refill(r, count);
    LAUNCH(r, "entropy", blocks_for(256, 256), ARRAY(nats), ARRAY(count),
           INT(V));
    expect_floats(r, nats, wanted, 0, 1e-4);
    budget(r, "sectors read", "gld_sec", 512, 512);
    budget(r, "barriers (warps arriving)", "barriers", 200, 160);
    budget(r, "sectors of local memory", "lld_sec+lst_sec", 0, 0);
    budget(r, "bytes of shared memory", "smem_static", 4096, 1024);
}

extern const struct Exercise training_exercises[];
const struct Exercise training_exercises[] = {
    /* exercises of training */
    { .name = "training/adamw", .title = "slow: one step of AdamW",
      .difficulty = 1, .run = run_adamw,
      .size = { 1, 31, 255, 257, 1001, 2048 }, .largest = 1500,
      .hint = { "A store to m[i] might change g[i], for all that the compiler "
                "knows.  What must it do with a later g[i]?",
                "Load all four numbers into variables before the first store, "
                "and store each result once." } },
    { .name = "training/clip", .title = "broken: clip or refuse",
      .difficulty = 2, .run = run_clip,
      .size = { 1, 2, 3, 4, 5, 255, 256, 257, 258, 1024 }, .largest = 900,
      .hint = { "The sanitizer names two accesses to s[0].",
                "fminf(1, NaN) is 1.  And what is 0 times infinity, when the "
                "norm is infinite and the factor 0?",
                "Let the sum, its shared memory and the norm be double, and "
                "ask isfinite(norm) before any weight moves." } },
    { .name = "training/draw", .title = "a warp draws a token",
      .difficulty = 3, .run = run_draw,
      .size = { 1, 2, 31, 32, 33, 100, 512 }, .largest = 300,
      .hint = { "The maximum and the sum are two reductions by shuffles.  All "
                "lanes need the results.",
                "Walk over the row 32 tokens at a time.  Within the 32 a lane "
                "needs the sum of the weights up to its own: a scan, with "
                "__shfl_up_sync by 1, 2, 4, 8 and 16.",
                "A ballot says which lanes exceed the bound, and __ffs finds "
                "the first of them.  If there is none, lane 31 has the sum "
                "for the next 32." } },
    { .name = "training/topp", .title = "top-p without a sort",
      .difficulty = 4, .run = run_topp,
      .size = { 1, 2, 255, 257, 1000, 2048, 1024 }, .largest = 700,
      .hint = { "For a given c the sum is easy to compute, and it does not "
                "grow with c.  So bisect: c has 16 bits.",
                "Begin with the highest bit.  A bit of c is 1 if the sum with "
                "this bit is still large enough.",
                "A thread has at most eight weights of the row.  Load them "
                "once into an array whose indices are known when the loops "
                "are unrolled, and put 0 where the row has ended.",
                "Each of the 16 sums needs one barrier, if two sets of partial "
                "sums take turns." } },
    { .name = "training/entropy", .title = "an entropy in one pass",
      .difficulty = 2, .run = run_entropy,
      .size = { 1, 2, 255, 257, 1000, 8191, 4096 }, .largest = 3000,
      .hint = { "Put p = c / N into p ln p, and write the logarithm of the "
                "quotient as a difference.",
                "The sum of c / N (ln c - ln N) is (the sum of c ln c) / N, "
                "less ln N, since the counts add up to N.  What is 0 ln 0?" } },
    { .name = NULL },
};
