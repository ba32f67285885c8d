/* The kernel of a token against the same arithmetic in double: a plain
 * version that rounds to bf16 where the kernel does, and an exact one. */
#include "rows.h"
#include "backend/backend.h"
#include "gpt2/decoder.h"
#include "ops/operators.h"

struct Case {
    struct TokenModel m;
    int n;
    int32_t token[8], row[8], at[8];
    double *matrix[4][4];       /* [layer][which]: [K][N], as bf16 */
    double *wte, *wpe, *vectors;
    bf16 *keys, *values;        /* as they are sent */
    size_t cache;               /* numbers of each */
    float *logits;              /* [n][Vp] */
    int Vp;
};

static double as_bf16(double x)
{
    return (double)bf16_to_float(float_to_bf16((float)x));
}

static double *numbers(size_t n, uint64_t seed, double shift, double size)
{
    double *x = malloc(n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = as_bf16(shift + size * noise(seed, i));
    return x;
}

static void *on_gpu(const void *host, size_t bytes)
{
    void *p = backend_alloc(bytes, "a test");
    if (!p)
        fail_msg("%s", backend_current()->failure);
    backend_put(p, host, bytes);
    return p;
}

static void *blank(size_t bytes)
{
    void *host = malloc(bytes);
    memset(host, 0xff, bytes);
    void *p = on_gpu(host, bytes);
    free(host);
    return p;
}

static bf16 *sent_bf16(const double *x, size_t n)
{
    bf16 *host = malloc(n * sizeof *host);
    for (size_t i = 0; i < n; i++)
        host[i] = float_to_bf16((float)x[i]);
    bf16 *p = on_gpu(host, n * sizeof *host);
    free(host);
    return p;
}

static void pack_all(struct Case *k)
{
    const struct TokenModel *m = &k->m;
    static const int in[] = { 1, 1, 1, 4 }, out[] = { 3, 1, 4, 1 };
    for (int l = 0; l < m->L; l++)
        for (int w = 0; w < 4; w++) {
            const size_t n = (size_t)in[w] * (size_t)out[w]
                           * (size_t)m->C * (size_t)m->C;
            k->matrix[l][w] = numbers(n, (uint64_t)(10 * l + w + 1), 0, 0.2);
            bf16 *p = sent_bf16(k->matrix[l][w], n);
            token_pack(m, l, (enum TokenMatrix)w, p);
            backend_free(p);
        }
    k->wte = numbers((size_t)m->V * (size_t)m->C, 91, 0, 0.5);
    bf16 *p = sent_bf16(k->wte, (size_t)m->V * (size_t)m->C);
    token_pack(m, 0, TOKEN_WTE, p);
    backend_free(p);
}

/* LayerNorm's weights near one, all else near zero. */
static void send_vectors(struct Case *k)
{
    struct TokenModel *m = &k->m;
    const size_t C = (size_t)m->C, n = token_vectors_bytes(m) / 4;
    float *host = malloc(n * sizeof *host);
    k->vectors = numbers(n, 92, 0, 0.3);
    for (size_t i = 0; i < n; i++) {
        const size_t v = i / C % TOKEN_VECTORS;
        if (v == TOKEN_LN_1_W || v == TOKEN_LN_2_W)
            k->vectors[i] = as_bf16(k->vectors[i] + 1);
        host[i] = (float)k->vectors[i];
    }
    m->vectors = on_gpu(host, n * sizeof *host);
    free(host);
}

/* Positions before a token are random numbers, all others NaN. */
static void send_cache(struct Case *k)
{
    struct TokenModel *m = &k->m;
    const size_t n = k->cache = token_cache_bytes(m) / sizeof(bf16);
    k->keys = malloc(n * sizeof(bf16));
    k->values = malloc(n * sizeof(bf16));
    for (size_t i = 0; i < n; i++) {
        const int p = (int)(i / TOKEN_HEAD) % m->T;
        const int row = (int)(i / TOKEN_HEAD / (size_t)m->T / (size_t)m->NH)
                      % m->rows;
        bool known = false;
        for (int b = 0; b < k->n; b++)
            known = known || (k->row[b] == row && p < k->at[b]);
        k->keys[i] = float_to_bf16(known ? (float)noise(93, i) * 2 : NAN);
        k->values[i] = float_to_bf16(known ? (float)noise(94, i) : NAN);
    }
    m->keys = on_gpu(k->keys, n * sizeof(bf16));
    m->values = on_gpu(k->values, n * sizeof(bf16));
}

static void case_open(struct Case *k, const struct Row *row)
{
    struct TokenModel *m = &k->m;
    *k = (struct Case){ .n = row_int(row, "n") };
    *m = (struct TokenModel){ .L = row_int(row, "L"), .C = row_int(row, "C"),
        .NH = row_int(row, "C") / TOKEN_HEAD, .V = row_int(row, "V"),
        .T = row_int(row, "T"), .rows = k->n + 1, .stages = true };
    m->blocks = row_int(row, "blocks");
    m->blocks = m->blocks ? m->blocks : token_blocks(m);
    /* a real GPU runs all stages in one launch, too */
    m->stages = backend_kind() != BACKEND_CUDA
             || row_number(row, "stages", 0) > 0;
    m->weights = blank(token_weights_bytes(m));
    pack_all(k);
    send_vectors(k);
    k->wpe = numbers((size_t)m->T * (size_t)m->C, 95, 0, 0.5);
    m->wpe = sent_bf16(k->wpe, (size_t)m->T * (size_t)m->C);
    m->work = blank(token_work_bytes(m));
    backend_zero(m->work, token_work_bytes(m));
    for (int b = 0; b < k->n; b++) {
        k->token[b] = b ? (m->V * (b + 1) / 9 + 17 * b) % m->V : m->V - 1;
        k->row[b] = k->n - b;
        k->at[b] = b == 1 ? 0 : (m->T - 1) / (b + 1);
    }
    send_cache(k);
    k->Vp = (m->V + 15) / 16 * 16;
    k->logits = malloc((size_t)k->n * (size_t)k->Vp * sizeof(float));
}

static void case_close(struct Case *k)
{
    struct TokenModel *m = &k->m;
    void *gpu[] = { m->weights, m->vectors, m->wpe, m->keys, m->values,
                    m->work };
    void *host[] = { k->wte, k->wpe, k->vectors, k->keys, k->values,
                     k->logits };
    for (size_t i = 0; i < 6; i++)
        backend_free(gpu[i]), free(host[i]);
    for (int l = 0; l < m->L; l++)
        for (int w = 0; w < 4; w++)
            free(k->matrix[l][w]);
}

/* texts first .. first + n - 1 in one call */
static void run(struct Case *k, float *logits, int first, int n)
{
    int32_t ids[24];
    for (int b = 0; b < n; b++) {
        ids[b] = k->token[first + b];
        ids[n + b] = k->row[first + b];
        ids[2 * n + b] = k->at[first + b];
    }
    const size_t bytes = (size_t)n * (size_t)k->Vp * sizeof(float);
    int32_t *d_ids = on_gpu(ids, (size_t)(3 * n) * sizeof *ids);
    float *d_logits = blank(bytes);
    token_run(&k->m, d_logits, d_ids, n);
    backend_get(logits, d_logits, bytes);
    if (!backend_ok(NULL))
        fail_msg("%s", backend_current()->failure);
    backend_free(d_ids);
    backend_free(d_logits);
}

/* ---- the reference ---- */

static double r(double x, bool plain)
{
    return plain ? as_bf16(x) : x;
}

static void norm(double *y, const double *x, const double *w,
                 const double *b, int C, bool plain)
{
    double mean = 0, var = 0;
    for (int c = 0; c < C; c++)
        mean += x[c] / C;
    for (int c = 0; c < C; c++)
        var += (x[c] - mean) * (x[c] - mean) / C;
    for (int c = 0; c < C; c++)
        y[c] = r((x[c] - mean) / sqrt(var + 1e-5) * w[c] + b[c], plain);
}

static void times(double *y, const double *x, const double *w,
                  const double *bias, int K, int N)
{
    for (int j = 0; j < N; j++)
        y[j] = bias[j];
    for (int i = 0; i < K; i++)
        for (int j = 0; j < N; j++)
            y[j] += x[i] * w[(size_t)i * (size_t)N + (size_t)j];
}

static double cached(const struct Case *k, const bf16 *cache, int l, int b,
                     int h, int p, int d)
{
    const struct TokenModel *m = &k->m;
    const size_t at = ((((size_t)l * (size_t)m->rows + (size_t)k->row[b])
                       * (size_t)m->NH + (size_t)h) * (size_t)m->T
                       + (size_t)p) * TOKEN_HEAD + (size_t)d;
    return (double)bf16_to_float(cache[at]);
}

static void attention(const struct Case *k, double *y, const double *qkv,
                      int l, int b, bool plain)
{
    const int C = k->m.C, n = k->at[b] + 1;
    double *p = malloc((size_t)n * sizeof *p);
    for (int h = 0; h < k->m.NH; h++) {
        double top = -INFINITY, sum = 0;
        for (int u = 0; u < n; u++) {
            p[u] = 0;
            for (int d = 0; d < TOKEN_HEAD; d++) {
                const int c = h * TOKEN_HEAD + d;
                p[u] += qkv[c] / 8 * (u == n - 1 ? r(qkv[C + c], plain)
                                     : cached(k, k->keys, l, b, h, u, d));
            }
            top = fmax(top, p[u]);
        }
        for (int u = 0; u < n; u++)
            sum += p[u] = exp(p[u] - top);
        for (int d = 0; d < TOKEN_HEAD; d++) {
            const int c = h * TOKEN_HEAD + d;
            y[c] = 0;
            for (int u = 0; u < n; u++)
                y[c] += p[u] / sum
                      * (u == n - 1 ? r(qkv[2 * C + c], plain)
                         : cached(k, k->values, l, b, h, u, d));
            y[c] = r(y[c], plain);
        }
    }
    free(p);
}

/* Logits [V] of text b; layer 0's qkv to qkv0 [3C]. */
static void reference(const struct Case *k, double *logits, double *qkv0,
                      int b, bool plain)
{
    const struct TokenModel *m = &k->m;
    const int C = m->C;
    double *x = malloc((size_t)(14 * C) * sizeof *x), *y = x + C;
    double *qkv = y + C, *att = qkv + 3 * C, *out = att + C, *fc = out + C;
    double *in = fc + 4 * C;
    for (int c = 0; c < C; c++)
        x[c] = k->wte[(size_t)k->token[b] * (size_t)C + (size_t)c]
             + k->wpe[(size_t)k->at[b] * (size_t)C + (size_t)c];
    for (int l = 0; l < m->L; l++) {
        const double *v = k->vectors + (size_t)l * TOKEN_VECTORS * (size_t)C;
        norm(in, x, v, v + C, C, plain);
        times(qkv, in, k->matrix[l][0], v + 2 * C, C, 3 * C);
        if (l == 0)
            memcpy(qkv0, qkv, (size_t)(3 * C) * sizeof *qkv);
        attention(k, att, qkv, l, b, plain);
        times(out, att, k->matrix[l][1], v + 5 * C, C, C);
        for (int c = 0; c < C; c++)
            x[c] += out[c];
        norm(in, x, v + 6 * C, v + 7 * C, C, plain);
        times(fc, in, k->matrix[l][2], v + 8 * C, C, 4 * C);
        for (int c = 0; c < 4 * C; c++)
            fc[c] = r(fc[c] / 2 * (1 + tanh(0.7978845608028654
                    * (fc[c] + 0.044715 * fc[c] * fc[c] * fc[c]))), plain);
        times(out, fc, k->matrix[l][3], v + 12 * C, 4 * C, C);
        for (int c = 0; c < C; c++)
            x[c] += out[c];
    }
    const double *f = k->vectors + (size_t)m->L * TOKEN_VECTORS * (size_t)C;
    norm(in, x, f, f + C, C, plain);
    for (int j = 0; j < m->V; j++) {
        logits[j] = 0;
        for (int c = 0; c < C; c++)
            logits[j] += in[c] * k->wte[(size_t)j * (size_t)C + (size_t)c];
    }
    free(x);
}

static double off(const float *got, const double *want, int n)
{
    double d2 = 0, w2 = 0;
    for (int i = 0; i < n; i++) {
        const double d = (double)got[i] - want[i];
        if (!isfinite(d))
            fail_msg("logit %d is %g", i, (double)got[i]);
        d2 += d * d;
        w2 += want[i] * want[i];
    }
    return sqrt(d2 / w2);
}

/* ---- rows ---- */

/* The new key and value of the first layer, and all that was there. */
static void check_cache(const struct Case *k, double *const *qkv0)
{
    const struct TokenModel *m = &k->m;
    bf16 *got = malloc(k->cache * sizeof *got);
    for (int part = 1; part <= 2; part++) {
        const bf16 *was = part == 1 ? k->keys : k->values;
        backend_get(got, part == 1 ? m->keys : m->values,
                    k->cache * sizeof *got);
        for (size_t i = 0; i < k->cache; i++) {
            const int d = (int)(i % TOKEN_HEAD);
            const int p = (int)(i / TOKEN_HEAD % (size_t)m->T);
            const size_t head = i / TOKEN_HEAD / (size_t)m->T;
            const int h = (int)(head % (size_t)m->NH);
            const int row = (int)(head / (size_t)m->NH) % m->rows;
            const int b = k->n - row;
            if (b < 0 || b >= k->n || p != k->at[b]) {
                if (memcmp(&got[i], &was[i], sizeof *got) != 0)
                    fail_msg("the cache of row %d was written at %d", row,
                             p);
            } else if (head / (size_t)m->NH < (size_t)m->rows) {
                const double want = qkv0[b][part * m->C + h * TOKEN_HEAD + d];
                const double is = (double)bf16_to_float(got[i]);
                if (!(fabs(is - want) <= 0.01 * (1 + fabs(want))))
                    fail_msg("row %d: %g is stored for %g", row, is, want);
            }
        }
    }
    free(got);
}

static void token(const struct Row *row)
{
    struct Case k;
    case_open(&k, row);
    const int V = k.m.V;
    double *exact = malloc((size_t)V * sizeof *exact), *qkv0[8];
    double *plain = malloc((size_t)V * sizeof *plain);
    float *rounded = malloc((size_t)V * sizeof *rounded);
    run(&k, k.logits, 0, k.n);
    for (int b = 0; b < k.n; b++) {
        qkv0[b] = malloc((size_t)(3 * k.m.C) * sizeof(double));
        reference(&k, plain, qkv0[b], b, true);
        reference(&k, exact, qkv0[b], b, false);
        for (int j = 0; j < V; j++)
            rounded[j] = (float)plain[j];
        const double e = off(k.logits + (size_t)b * (size_t)k.Vp, exact, V);
        const double allowed = 2 * off(rounded, exact, V);
        if (getenv("SHOW_ERRORS"))
            printf("# text %d: off by %.2e, allowed %.2e\n", b, e, allowed);
        if (!(e <= allowed))
            fail_msg("text %d: off by %.2e, allowed %.2e", b, e, allowed);
    }
    check_cache(&k, qkv0);
    for (int b = 0; b < k.n; b++)
        free(qkv0[b]);
    free(exact);
    free(plain);
    free(rounded);
    case_close(&k);
}

/* The same bits alone and in company. */
static void company(const struct Row *row)
{
    struct Case k;
    case_open(&k, row);
    float *alone = malloc((size_t)k.Vp * sizeof *alone);
    run(&k, k.logits, 0, k.n);
    for (int b = 0; b < k.n; b++) {
        run(&k, alone, b, 1);
        for (int j = 0; j < k.m.V; j++)
            if (!(alone[j] == k.logits[(size_t)b * (size_t)k.Vp
                                       + (size_t)j]))
                fail_msg("text %d: logit %d is %.9g alone, %.9g in company",
                         b, j, (double)alone[j],
                         (double)k.logits[(size_t)b * (size_t)k.Vp
                                          + (size_t)j]);
    }
    free(alone);
    case_close(&k);
}

static void refuses(const struct Row *row)
{
    struct TokenModel m = { .L = 1, .C = 64, .NH = 1, .V = 16, .T = 8,
                            .rows = 9, .blocks = 1 };
    (void)row;
    assert_false(token_can(96, 2));
    assert_false(token_can(64 * 33, 33));
    token_run(&m, NULL, NULL, 9);
    assert_false(backend_ok(NULL));
    assert_non_null(strstr(backend_current()->failure, "9 texts"));
    backend_recover();
}

/* The same weights, which bf16 can hold, in a model of this precision. */
static void open_model(struct Model *m, const struct Config *c,
                       enum Precision precision)
{
    const struct ModelOptions o = { .precision = precision };
    struct Error e;
    if (!model_create_as(m, c, 1, c->T, false, &o, &e))
        fail_msg("%s", e.text);
    model_init(m, 3);
    real *w = model_borrow(m);
    for (size_t i = 0; i < m->table.total; i++)
        w[i] = (real)as_bf16((double)w[i] * 4 + 0.1 * noise(5, i));
    model_return(m, w, true);
}

/* Add the squares of what is wrong in these logits, and in those of the
 * bf16 model, measured against the fp32 model. */
static void add_errors(double sums[2], struct Model *m, struct Model *m32,
                       const float *got, const int32_t *text, int n)
{
    enum { V = 131 };
    float plain[V], full[V];
    double exact[V];
    model_logits(m32, full, text, 1, n);
    model_logits(m, plain, text, 1, n);
    for (int j = 0; j < V; j++)
        exact[j] = (double)full[j];
    const double is = off(got, exact, V), its = off(plain, exact, V);
    if (getenv("SHOW_ERRORS"))
        printf("# %d tokens: off by %.2e, the model by %.2e\n", n, is, its);
    sums[0] += is * is;
    sums[1] += its * its;
}

/* A decoder in bf16, for texts of different lengths in rows that are not in
 * order, more than one call takes: together at most twice as far off as the
 * model's own pass in bf16. */
static void decoder(const struct Row *row)
{
    const struct Config c = { .V = 131, .T = 24, .L = 2, .NH = 2, .C = 128 };
    enum { V = 131, TEXTS = 10 };
    struct Error e;
    struct Model m, m32;
    struct Decoder d;
    int rows_[TEXTS];
    int32_t text[TEXTS][24], next[TEXTS];
    static float got[TEXTS * V];
    double sums[2] = { 0, 0 };
    (void)row;
    open_model(&m, &c, BF16);
    open_model(&m32, &c, FP32);
    if (!decoder_create(&d, &m, TEXTS, c.T, &e))
        fail_msg("%s", e.text);
    assert_non_null(d.token);
    for (int b = 0; b < TEXTS; b++) {
        rows_[b] = (3 * b + 1) % TEXTS;
        for (int i = 0; i < c.T; i++)
            text[b][i] = (int32_t)((noise((uint64_t)b, (uint64_t)i) + 1)
                                   / 2 * V);
        next[b] = text[b][1 + 2 * b];
        if (!decoder_prefill(&d, rows_[b], text[b], 1 + 2 * b, got, &e))
            fail_msg("%s", e.text);
        if (b % 3 == 0)
            add_errors(sums, &m, &m32, got, text[b], 1 + 2 * b);
    }
    if (!decoder_step(&d, rows_, next, TEXTS, got, &e))
        fail_msg("%s", e.text);
    for (int b = 0; b < TEXTS; b++)
        add_errors(sums, &m, &m32, got + b * V, text[b], 2 + 2 * b);
    if (!(sqrt(sums[0]) <= 2 * sqrt(sums[1])))
        fail_msg("off by %.2e, the model by %.2e", sqrt(sums[0]),
                 sqrt(sums[1]));
    decoder_free(&d);
    model_free(&m32);
    model_free(&m);
}

static const struct Row rows[] = {
    { "token n=1 L=2 C=128 V=300 T=100 blocks=5", token,
      "parts of blocks; splits of positions" },
    { "token n=3 L=1 C=64 V=131 T=33 blocks=3", token,
      "texts that leak; a cache of the wrong row" },
    { "token n=8 L=1 C=64 V=80 T=9 blocks=8", token,
      "columns beyond the fourth" },
    { "token n=2 L=3 C=64 V=48 T=70 blocks=0", token,
      "the residual stream of two layers ago" },
    { "company n=3 L=2 C=128 V=131 T=60 blocks=4", company,
      "sums whose order depends on the number of texts" },
    { "decoder", decoder, "a vector in the place of another" },
    { "refuses", refuses, "nine texts" },
};

int main(void)
{
    return rows_run("token", rows, sizeof rows / sizeof *rows);
}
