/* Tangled from chapters/course/project-solutions.nw, "Solutions: projects".  Edit it there. */

#include "course/compile.h"
#include "course/course.h"
#include "io/safetensors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* graders of projects */
static void want_statistics(float *y, const float *x, size_t n)
{
    double mean = 0, squares = 0;
    y[2] = y[3] = x[0];
    for (size_t i = 0; i < n; i++) {
        mean += (double)x[i] / (double)n;
        y[2] = fminf(y[2], x[i]);
        y[3] = fmaxf(y[3], x[i]);
    }
    for (size_t i = 0; i < n; i++)
        squares += ((double)x[i] - mean) * ((double)x[i] - mean);
    y[0] = (float)mean;
    y[1] = (float)(squares / (double)n);
}

static void run_reduction(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", n, -1, 1);
    float far = (float)case_random(r, -4, 4) * 1000;
    for (size_t i = 0; i < n; i++)
        x->f[i] += far;
    refill(r, x);
    struct Array *parts = output_floats(r, "parts", 16 * 4);
    struct Array *y = output_floats(r, "y", 4);
    float *wanted = wanted_floats(r, 4);
    want_statistics(wanted, x->f, n);
    struct Shape blocks = { { 16, 1, 1 }, { 256, 1, 1 }, 0 };
    struct Shape warp = { { 1, 1, 1 }, { 32, 1, 1 }, 0 };
    LAUNCH(r, "partial", blocks, ARRAY(parts), ARRAY(x), INT((int)n));
    LAUNCH(r, "combine", warp, ARRAY(y), ARRAY(parts), ARRAY(x),
           INT((int)n));
    expect_floats(r, y, wanted, 1e-4, 2e-3);
    expect(r, fabs((double)y->f[1] - (double)wanted[1]) <=
                  1e-4 * (double)wanted[1] + 1e-6,
           "the variance y[1] is %.6g, expected %.6g", (double)y->f[1],
           (double)wanted[1]);
    budget(r, "sectors read", "gld_sec", 1.05 * 8192, 8329);
    budget(r, "requests to read", "gld_req", 1024, 642);
    budget(r, "bytes of atomic operations", "gatom_bytes+gred_bytes", 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 16 * 8 * 9, 128);
}

static void run_matmul(struct Run *r)
{
    int m = case_size(r), n = case_random(r, 1, 100);
    int k = case_random(r, 1, 100);
    if (case_counted(r))
        n = 192, k = 64;
    struct Array *a = input_floats(r, "a", (size_t)(m * k), -1, 1);
    struct Array *b = input_floats(r, "b", (size_t)(k * n), -1, 1);
    struct Array *c = output_floats(r, "c", (size_t)(m * n));
    float *wanted = wanted_floats(r, (size_t)(m * n));
    for (int i = 0; i < m * n; i++) {
        double sum = 0;
        for (int p = 0; p < k; p++)
            sum += (double)a->f[i / n * k + p] *
                   (double)b->f[p * n + i % n];
        wanted[i] = (float)sum;
    }
    struct Shape tiles = { { (unsigned)(n + 63) / 64,
                             (unsigned)(m + 63) / 64, 1 },
                           { 256, 1, 1 }, 0 };
    LAUNCH(r, "matmul", tiles, ARRAY(c), ARRAY(a), ARRAY(b), INT(m), INT(n),
           INT(k));
    expect_floats(r, c, wanted, 0, 4e-5);
    budget(r, "sectors read", "gld_sec", 1.5 * 6144, 6144);
    budget(r, "requests to read", "gld_req", 1.5 * 1536, 1536);
    budget(r, "sectors written", "gst_sec", 1.5 * 3072, 3072);
    budget(r, "shared loads: wavefronts", "sld_wave", 1.5 * 18432, 18432);
    budget(r, "shared stores: wavefronts", "sst_wave", 1.5 * 1536, 1536);
    budget(r, "barriers (warps arriving)", "barriers", 1.5 * 384, 384);
}

enum { C = 48, HEADS = 3, HS = C / HEADS, LAYERS = 2, V = 131, B = 3,
       MOST_T = 19, ROWS = B * MOST_T, POSITIONS = 21 };

struct Gpt {
    struct Run *run;
    int t, rows;
    struct Safetensors weights;
    /* What the grader computes itself. */
    double x[ROWS * C], norm[ROWS * C], qkv[ROWS * 3 * C], att[ROWS * C];
    double part[ROWS * C], fc[ROWS * 4 * C], act[ROWS * 4 * C];
    double logits[ROWS * V];
};

static bool open_fixture(struct Safetensors *s, const char *file)
{
    static const char *const places[] = { "../../tests/data", ".." };
    char dir[FILE_PATH_MAX / 2], path[FILE_PATH_MAX];
    struct Error e;
    if (!program_dir(dir, sizeof dir, &e))
        return false;
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s/gpt2-tiny/%s.safetensors", dir,
                 places[i], file);
        if (safetensors_open(s, path, &e))
            return true;
        safetensors_close(s);
    }
    return false;
}

/* The numbers of a tensor of the fixture, as double; exits if it is not of
 * this size, for the fixture is ours. */
static void read_tensor(const struct Safetensors *s, const char *name,
                        double *to, size_t n)
{
    struct Error e;
    const struct StTensor *t = safetensors_find(s, name);
    real *numbers = malloc(n * sizeof *numbers);
    if (!t || t->count != n || !numbers ||
        !safetensors_read(s, t, numbers, &e))
        abort();
    for (size_t i = 0; i < n; i++)
        to[i] = (double)numbers[i];
    free(numbers);
}

/* A weight of a layer, or of the model if layer is -1, as an input. */
static struct Array *weight(struct Gpt *g, int layer, const char *name,
                            size_t n)
{
    char full[100];
    double *numbers = malloc(n * sizeof *numbers);
    struct Array *a = input_array(g->run, name, ARRAY_FLOAT, n);
    if (!numbers)
        abort();
    if (layer < 0)
        snprintf(full, sizeof full, "transformer.%s", name);
    else
        snprintf(full, sizeof full, "transformer.h.%d.%s", layer, name);
    read_tensor(&g->weights, full, numbers, n);
    for (size_t i = 0; i < n; i++)
        a->f[i] = (float)numbers[i];
    free(numbers);
    refill(g->run, a);
    return a;
}

static void plain_layernorm(double *y, const double *x,
                            const struct Array *w, const struct Array *b,
                            int rows)
{
    for (int r = 0; r < rows; r++) {
        double mean = 0, squares = 0;
        for (int i = 0; i < C; i++)
            mean += x[r * C + i] / C;
        for (int i = 0; i < C; i++)
            squares += pow(x[r * C + i] - mean, 2) / C;
        for (int i = 0; i < C; i++)
            y[r * C + i] = (x[r * C + i] - mean) / sqrt(squares + 1e-5) *
                           (double)w->f[i] + (double)b->f[i];
    }
}

static void plain_linear(double *y, const double *x, const struct Array *w,
                         const struct Array *b, int rows, int in)
{
    int out = (int)b->n;
    for (int i = 0; i < rows * out; i++) {
        y[i] = (double)b->f[i % out];
        for (int k = 0; k < in; k++)
            y[i] += x[i / out * in + k] * (double)w->f[k * out + i % out];
    }
}

static double plain_gelu(double x)
{
    return x / 2 * (1 + tanh(0.7978845608028654 *
                             (x + 0.044715 * x * x * x)));
}

/* One query of one head; row is that of its sequence's first token. */
static void plain_query(double *y, const double *qkv, int row, int q,
                        int head)
{
    double score[MOST_T], sum = 0;
    const double *at = qkv + (row + q) * 3 * C + head * HS;
    for (int k = 0; k <= q; k++) {
        const double *key = qkv + (row + k) * 3 * C + C + head * HS;
        double dot = 0;
        for (int i = 0; i < HS; i++)
            dot += at[i] * key[i];
        sum += score[k] = exp(dot / sqrt(HS));
    }
    for (int i = 0; i < HS; i++) {
        double *to = &y[(row + q) * C + head * HS + i];
        *to = 0;
        for (int k = 0; k <= q; k++)
            *to += score[k] / sum *
                   qkv[(row + k) * 3 * C + 2 * C + head * HS + i];
    }
}

static void plain_attention(double *y, const double *qkv, int t)
{
    for (int i = 0; i < B * t * HEADS; i++)
        plain_query(y, qkv, i / HEADS / t * t, i / HEADS % t, i % HEADS);
}

static struct Array *result(struct Gpt *g, const char *name, int width)
{
    return output_floats(g->run, name, (size_t)(g->rows * width));
}

static void same(struct Gpt *g, struct Array *a, const double *wanted)
{
    float *w = wanted_floats(g->run, a->n);
    for (size_t i = 0; i < a->n; i++)
        w[i] = (float)wanted[i];
    expect_floats(g->run, a, w, 1e-4, 1e-4);
}

static struct Array *norm_of(struct Gpt *g, struct Array *x, int layer,
                             const char *w_name, const char *b_name)
{
    struct Array *w = weight(g, layer, w_name, C);
    struct Array *b = weight(g, layer, b_name, C);
    struct Array *y = result(g, w_name, C);
    struct Shape warps = { { (unsigned)g->rows, 1, 1 }, { 32, 1, 1 }, 0 };
    LAUNCH(g->run, "layernorm", warps, ARRAY(y), ARRAY(x), ARRAY(w),
           ARRAY(b), INT(C));
    plain_layernorm(g->norm, g->x, w, b, g->rows);
    same(g, y, g->norm);
    return y;
}

/* A linear operator: its names, and its numbers in plain C. */
struct Linear {
    const char *w, *b;
    int in, out;
    const double *x;
    double *y;
};

static struct Array *linear_of(struct Gpt *g, struct Array *x, int layer,
                               const struct Linear *l)
{
    struct Array *w = weight(g, layer, l->w, (size_t)(l->in * l->out));
    struct Array *b = weight(g, layer, l->b, (size_t)l->out);
    struct Array *y = result(g, l->w, l->out);
    LAUNCH(g->run, "linear", blocks_for(y->n, 128), ARRAY(y), ARRAY(x),
           ARRAY(w), ARRAY(b), INT(g->rows), INT(l->in), INT(l->out));
    plain_linear(l->y, l->x, w, b, g->rows, l->in);
    same(g, y, l->y);
    return y;
}

static struct Array *add_to(struct Gpt *g, struct Array *x, struct Array *a)
{
    struct Array *y = result(g, "the residual", C);
    LAUNCH(g->run, "add", blocks_for(y->n, 128), ARRAY(y), ARRAY(x),
           ARRAY(a), INT((int)y->n));
    for (size_t i = 0; i < y->n; i++)
        g->x[i] += g->part[i];
    same(g, y, g->x);
    return y;
}

static struct Array *attend(struct Gpt *g, struct Array *qkv)
{
    struct Array *y = result(g, "attention", C);
    struct Shape queries = { { (unsigned)g->t, HEADS, B }, { 32, 1, 1 },
                             0 };
    LAUNCH(g->run, "attention", queries, ARRAY(y), ARRAY(qkv), INT(g->t),
           INT(C));
    plain_attention(g->att, g->qkv, g->t);
    same(g, y, g->att);
    return y;
}

static struct Array *activate(struct Gpt *g, struct Array *x)
{
    struct Array *y = result(g, "gelu", 4 * C);
    LAUNCH(g->run, "gelu", blocks_for(y->n, 128), ARRAY(y), ARRAY(x),
           INT((int)y->n));
    for (size_t i = 0; i < y->n; i++)
        g->act[i] = plain_gelu(g->fc[i]);
    same(g, y, g->act);
    return y;
}

static struct Array *layer_of(struct Gpt *g, struct Array *x, int l)
{
    const struct Linear qkv = { "attn.c_attn.weight", "attn.c_attn.bias", C,
                                3 * C, g->norm, g->qkv };
    const struct Linear out = { "attn.c_proj.weight", "attn.c_proj.bias", C,
                                C, g->att, g->part };
    const struct Linear up = { "mlp.c_fc.weight", "mlp.c_fc.bias", C, 4 * C,
                               g->norm, g->fc };
    const struct Linear down = { "mlp.c_proj.weight", "mlp.c_proj.bias",
                                 4 * C, C, g->act, g->part };
    struct Array *a = norm_of(g, x, l, "ln_1.weight", "ln_1.bias");
    a = attend(g, linear_of(g, a, l, &qkv));
    x = add_to(g, x, linear_of(g, a, l, &out));
    a = norm_of(g, x, l, "ln_2.weight", "ln_2.bias");
    a = activate(g, linear_of(g, a, l, &up));
    return add_to(g, x, linear_of(g, a, l, &down));
}

static struct Array *begin_with(struct Gpt *g, struct Array *ids,
                                const struct Array *wte)
{
    struct Array *wpe = weight(g, -1, "wpe.weight", POSITIONS * C);
    struct Array *x = result(g, "the embedding", C);
    LAUNCH(g->run, "embed", blocks_for(x->n, 128), ARRAY(x), ARRAY(ids),
           ARRAY(wte), ARRAY(wpe), INT(g->rows), INT(g->t), INT(C));
    for (int i = 0; i < g->rows * C; i++)
        g->x[i] = (double)wte->f[ids->i[i / C] * C + i % C] +
                  (double)wpe->f[i / C % g->t * C + i % C];
    same(g, x, g->x);
    return x;
}

static void end_with(struct Gpt *g, struct Array *x, struct Array *wte)
{
    struct Array *y = result(g, "the logits", V);
    LAUNCH(g->run, "logits", blocks_for(y->n, 128), ARRAY(y), ARRAY(x),
           ARRAY(wte), INT(g->rows), INT(C), INT(V));
    for (int i = 0; i < g->rows * V; i++) {
        g->logits[i] = 0;
        for (int k = 0; k < C; k++)
            g->logits[i] += g->norm[i / V * C + k] *
                            (double)wte->f[i % V * C + k];
    }
    if (case_counted(g->run)) {
        static double torch[ROWS * V];
        struct Safetensors s;
        if (!open_fixture(&s, "expected"))
            abort();
        read_tensor(&s, "logits", torch, ROWS * V);
        safetensors_close(&s);
        for (int i = 0; i < ROWS * V; i++)
            if (fabs(torch[i] - g->logits[i]) > 1e-5)
                abort();
        memcpy(g->logits, torch, sizeof torch);
    }
    same(g, y, g->logits);
}

static void tokens(struct Gpt *g, struct Array *ids)
{
    struct Safetensors s;
    if (case_counted(g->run)) {
        if (!open_fixture(&s, "batches"))
            abort();
        memcpy(ids->i, s.data + safetensors_find(&s, "inputs")->begin,
               ids->n * sizeof *ids->i);
        safetensors_close(&s);
    }
    refill(g->run, ids);
}

static void run_gpt2(struct Run *r)
{
    static struct Gpt g;
    g.run = r;
    g.t = case_size(r);
    g.rows = B * g.t;
    if (!open_fixture(&g.weights, "model")) {
        expect(r, false, "the weights of the project are not there: "
               "tests/data/gpt2-tiny/model.safetensors");
        return;
    }
    struct Array *ids = input_ints(r, "ids", (size_t)g.rows, 0, V);
    tokens(&g, ids);
    struct Array *wte = weight(&g, -1, "wte.weight", V * C);
    struct Array *x = begin_with(&g, ids, wte);
    for (int l = 0; l < LAYERS; l++)
        x = layer_of(&g, x, l);
    x = norm_of(&g, x, -1, "ln_f.weight", "ln_f.bias");
    end_with(&g, x, wte);
    safetensors_close(&g.weights);
    budget(r, "sectors read", "gld_sec", 2 * 689948, 689948);
    budget(r, "sectors written", "gst_sec", 2 * 13930, 13930);
    budget(r, "requests to read", "gld_req", 2 * 223570, 223570);
}

extern const struct Exercise project_exercises[];
const struct Exercise project_exercises[] = {
    /* exercises of projects */
    { .name = "project/reduction", .title = "four numbers in one read",
      .difficulty = 3, .run = run_reduction,
      .size = { 1, 3, 31, 255, 1025, 4097, 10001, 65536 }, .largest = 20000,
      .hint = { "How many sectors does x have, and how many may be read?  So "
                "each number is read once, and the mean is not known then.",
                "The sum of squares less the square of the sum loses all "
                "digits near 4000.  The variance does not change if the same "
                "number is subtracted from all x[i].",
                "x[0] is such a number, and x[i] - x[0] has no error that "
                "matters.  One lane of a warp can read it for all.",
                "Four sums or extremes for each thread, then for each warp by "
                "shuffles, for each block through shared memory, and the 16 "
                "blocks in one warp of `combine`.",
                "Loads of float4 for all but the last numbers: those are "
                "n % 4, one thread for each." } },
    { .name = "project/matmul", .title = "a matmul with tiles and registers",
      .difficulty = 5, .run = run_matmul,
      .size = { 1, 15, 63, 64, 65, 100, 128 }, .largest = 90,
      .hint = { "How many wavefronts does a thread need for a multiplication? "
                "With 4 x 4 results in registers, 8 numbers serve 16 "
                "multiplications.",
                "A tile of 64 x 16 of a and one of 16 x 64 of b are 8 KB.  "
                "Each thread loads four numbers of each.",
                "A thread that owns four neighbouring columns of c loads four "
                "numbers of b as one float4.  For the same with a, store its "
                "tile turned around.",
                "The turned tile is stored in columns.  Which width of its "
                "rows keeps these stores out of each other's banks, and the "
                "loads aligned?  66, with loads of float2.",
                "Rows and columns beyond the edges: put zeros into the tiles, "
                "and do not write what is beyond." } },
    { .name = "project/gpt2", .title = "the forward pass of GPT-2",
      .difficulty = 5, .run = run_gpt2, .size = { 1, 2, 7, 18, 19 },
      .largest = 18,
      .hint = { "Write the kernels in the order of the comment.  The grader "
                "names the first tensor that is wrong, and those before it "
                "are right.",
                "LayerNorm: a warp's sums by __shfl_xor_sync, so that each "
                "lane has them.  The mean first, then the squares.",
                "Attention: t is at most 32, so each lane has one key.  A lane "
                "after the query has none: -INFINITY before the maximum, and "
                "0 after the exponential.",
                "For the sum over values let each lane have one number of the "
                "head instead of a key.  It takes the weight of key k by "
                "__shfl_sync(~0u, weight, k).",
                "In `linear` neighbouring threads read neighbouring numbers of "
                "w.  In `logits` they would read rows of wte; float4 makes of "
                "each row a quarter of the requests." } },
    { .name = NULL },
};
