/* Tangled from chapters/workshop/inference-plumbing.nw, "The decoder".  Edit it there. */

#include "gpt2/decoder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "ops/operators.h"

/* Tokens of a pass at most: more read the weights no more rarely than a
 * core or a GPU can use them. */
enum { PASS = 128 };

/* multiply by a matrix of the model, or by its codes */
enum { QUANTISED_TOKENS = 8 };

/* The codes of the matrix w, if N tokens should be multiplied by them. */
static const struct Quantised *quantised(const struct Decoder *d,
                                         const real *w, int N)
{
    const struct ParamTable *t = &d->m->table;
    const struct QuantisedModel *q = d->quantised;
    if (!q || N > QUANTISED_TOKENS)
        return NULL;
    for (int i = 0; i < t->n; i++)
        if (d->m->w.base + t->row[i].offset == w)
            return q->row[i].codes ? &q->row[i] : NULL;
    return NULL;
}

static void product(const struct Decoder *d, real *y, const real *x,
                    const real *w, const real *b, int N, int C, int OC)
{
    const struct Quantised *q = quantised(d, w, N);
    if (q)
        quantised_linear(y, x, q, b, N);
    else
        linear_fwd(y, x, w, b, N, C, OC);
}


/* run a layer on N tokens */
static void layer(struct Decoder *d, int l, int N)
{
    const struct Config *c = &d->m->config;
    const struct LayerWeights *w = &d->m->w.h[l];
    const int C = c->C;
    const size_t n = (size_t)N * (size_t)C;
    layernorm_fwd(d->norm, d->mean, d->rstd, d->x, w->ln_1_w, w->ln_1_b,
                  N, C);
    product(d, d->qkv, d->norm, w->qkv_w, w->qkv_b, N, C, 3 * C);
    attention_cached(d->att, &d->cache[l], d->qkv, d->ids + d->most,
                     d->ids + 2 * d->most, N, C, c->NH);
    product(d, d->mid, d->att, w->proj_w, w->proj_b, N, C, C);
    residual_fwd(d->mid, d->mid, d->x, n);
    /* run the second half of the layer on N tokens */
    layernorm_fwd(d->norm, d->mean, d->rstd, d->mid, w->ln_2_w, w->ln_2_b, N,
                  C);
    product(d, d->fc, d->norm, w->fc_w, w->fc_b, N, C, 4 * C);
    gelu_fwd(d->fc, d->fc, 4 * n);
    product(d, d->x, d->fc, w->mlp_w, w->mlp_b, N, 4 * C, C);
    residual_fwd(d->x, d->x, d->mid, n);
}


/* embed N tokens at their positions */
static void embed(struct Decoder *d, int N)
{
    const struct Weights *w = &d->m->w;
    const int C = d->m->config.C;
    const int32_t *at = d->h_ids + 2 * d->most;
    for (int i = 0, j; i < N; i = j) {
        for (j = i + 1; j < N && at[j] == at[j - 1] + 1; j++)
            ;
        embedding_fwd(d->x + (size_t)i * (size_t)C, d->ids + i, w->wte,
                      w->wpe + (size_t)at[i] * (size_t)C, 1, j - i, C);
    }
}


/* compute the logits of the last `wanted` of N tokens */
static void classify(struct Decoder *d, real *logits, int N, int wanted)
{
    const struct Weights *w = &d->m->w;
    const int C = d->m->config.C, V = d->m->config.V;
    real *x = d->x + (size_t)(N - wanted) * (size_t)C;
    layernorm_fwd(d->norm, d->mean, d->rstd, x, w->ln_f_w, w->ln_f_b,
                  wanted, C);
    const struct Quantised *q = quantised(d, w->wte, wanted);
    if (q)
        quantised_linear(d->logits, d->norm, q, NULL, wanted);
    else
        gemm(d->logits, d->norm, w->wte, wanted, V, C, GEMM_TB);
    backend_get(logits, d->logits, (size_t)wanted * (size_t)V
                                   * sizeof *logits);
}


/* run N tokens through the model */
static bool pass(struct Decoder *d, real *logits, int N, int wanted,
                 struct Error *e)
{
    const struct ModelUse u = model_use(d->m);
    for (int i = 0; i < 3; i++)
        backend_put(d->ids + i * d->most, d->h_ids + i * d->most,
                    (size_t)N * sizeof *d->ids);
    embed(d, N);
    for (int l = 0; l < d->m->config.L; l++)
        layer(d, l, N);
    if (wanted)
        classify(d, logits, N, wanted);
    model_unuse(d->m, u);
    return model_ok(d->m, e);
}


/* put a token on the list */
/* Entry i of the pass: this token at the end of the text of this row. */
static void list(struct Decoder *d, int i, int32_t token, int row)
{
    assert(token >= 0 && token < d->m->config.V);
    assert(row >= 0 && row < d->rows);
    d->h_ids[i] = token;
    d->h_ids[d->most + i] = row;
    d->h_ids[2 * d->most + i] = d->length[row];
    d->text[(size_t)row * (size_t)d->T + (size_t)d->length[row]++] = token;
}


/* compute the logits of a window again */
/* Without caches: the tokens of row are all that is kept. */
static bool again(struct Decoder *d, int row, real *logits,
                  struct Error *e)
{
    if (logits)
        model_logits(d->m, logits, d->text + (size_t)row * (size_t)d->T, 1,
                     d->length[row]);
    return model_ok(d->m, e);
}


/* run the list through the kernel of a token */
/* Entries first .. first + n - 1 of the list; their logits if wanted. */
static void run_tokens(struct Decoder *d, real *logits, int first, int n)
{
    const size_t V = (size_t)d->m->config.V, Vp = (V + 15) / 16 * 16;
    int32_t ids[3 * TOKEN_TEXTS];
    for (int i = 0; i < 3 * n; i++)
        ids[i] = d->h_ids[i / n * d->most + first + i % n];
    backend_put(d->ids, ids, (size_t)(3 * n) * sizeof *ids);
    token_run(d->token, (float *)d->logits, d->ids, n);
    for (int i = 0; logits && i < n; i++)
        backend_get(logits + (size_t)i * V,
                    d->logits + (size_t)i * Vp, V * sizeof *logits);
}

/* Of N entries, each of another row or all of one; the last `wanted` have
 * logits. */
static void token_list(struct Decoder *d, real *logits, int N, int wanted)
{
    const int together = wanted == N ? TOKEN_TEXTS : 1;
    for (int i = 0, n; i < N; i += n) {
        n = N - i < together ? N - i : together;
        const int at = i - (N - wanted);
        run_tokens(d, at < 0 ? NULL : logits + (size_t)at
                   * (size_t)d->m->config.V, i, n);
    }
}


/* run the list in the decoder's way */
static bool run_list(struct Decoder *d, real *logits, int N, int wanted,
                     struct Error *e)
{
    if (d->cache)
        return pass(d, logits, N, wanted, e);
    if (d->token) {
        const struct ModelUse u = model_use(d->m);
        token_list(d, logits, N, wanted);
        model_unuse(d->m, u);
    }
    return model_ok(d->m, e);
}


/* add tokens to one text */
bool decoder_prefill(struct Decoder *d, int row, const int32_t *tokens,
                     int n, real *logits, struct Error *e)
{
    assert(n >= 1 && n <= d->T - d->length[row]);
    bool ok = true;
    for (int i = 0, N; ok && i < n; i += N) {
        N = n - i < d->most ? n - i : d->most;
        for (int j = 0; j < N; j++)
            list(d, j, tokens[i + j], row);
        ok = run_list(d, logits, N, logits && i + N == n, e);
    }
    return ok && (d->cache || d->token || again(d, row, logits, e));
}


/* add a token to each of n texts */
bool decoder_step(struct Decoder *d, const int *rows, const int32_t *token,
                  int n, real *logits, struct Error *e)
{
    assert(n >= 1 && n <= d->rows);
    for (int i = 0; i < n; i++) {
        assert(d->length[rows[i]] < d->T);
        list(d, i, token[i], rows[i]);
    }
    bool ok = run_list(d, logits, n, n, e);
    for (int i = 0; !d->cache && !d->token && ok && i < n; i++)
        ok = again(d, rows[i], logits + (size_t)i
                               * (size_t)d->m->config.V, e);
    return ok;
}


/* give the kernel of a token its weights */
enum { LAYER_ROWS = 12, FIRST_ROWS = 2 };

/* Row i of the parameter table as floats at `to`. */
static void put_vector(const struct Model *m, int i, float *to)
{
    const size_t n = m->table.row[i].size;
    bf16 *half = malloc(n * sizeof *half);
    float *whole = malloc(n * sizeof *whole);
    if (half && whole) {
        backend_get(half, model_copy_of(m, i), n * sizeof *half);
        for (size_t k = 0; k < n; k++)
            whole[k] = bf16_to_float(half[k]);
        backend_put(to, whole, n * sizeof *whole);
    } else
        backend_failed("no memory for %zu numbers of %s", n,
                       m->table.row[i].name);
    free(half);
    free(whole);
}

static void put_layer(const struct Model *m, const struct TokenModel *t,
                      int l)
{
    static const struct { int row, at; } vector[] = {
        { 0, TOKEN_LN_1_W }, { 1, TOKEN_LN_1_B }, { 3, TOKEN_QKV_B },
        { 5, TOKEN_PROJ_B }, { 6, TOKEN_LN_2_W }, { 7, TOKEN_LN_2_B },
        { 9, TOKEN_FC_B }, { 11, TOKEN_MLP_B } };
    static const int matrix[] = { 2, 4, 8, 10 };
    const int first = FIRST_ROWS + LAYER_ROWS * l;
    for (int i = 0; i < 4; i++)
        token_pack(t, l, (enum TokenMatrix)i,
                   model_copy_of(m, first + matrix[i]));
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
        put_vector(m, first + vector[i].row, t->vectors
                   + ((size_t)l * TOKEN_VECTORS + (size_t)vector[i].at)
                   * (size_t)t->C);
}


static void put_weights(const struct Model *m, const struct TokenModel *t)
{
    const int last = FIRST_ROWS + LAYER_ROWS * t->L;
    float *to = t->vectors + (size_t)t->L * TOKEN_VECTORS * (size_t)t->C;
    token_pack(t, 0, TOKEN_WTE, model_copy_of(m, 0));
    for (int l = 0; l < t->L; l++)
        put_layer(m, t, l);
    put_vector(m, last, to);
    put_vector(m, last + 1, to + t->C);
}

static bool reserve_token(struct Decoder *d)
{
    const struct Config *c = &d->m->config;
    const size_t Vp = ((size_t)c->V + 15) / 16 * 16;
    struct TokenModel *t = d->token = calloc(1, sizeof *t);
    if (!t)
        return false;
    *t = (struct TokenModel){ .L = c->L, .C = c->C, .NH = c->NH, .V = c->V,
        .T = d->T, .rows = d->rows, .wpe = model_copy_of(d->m, 1),
        .stages = backend_kind() != BACKEND_CUDA };
    t->blocks = token_blocks(t);
    t->weights = backend_alloc(token_weights_bytes(t), "packed weights");
    t->vectors = backend_alloc(token_vectors_bytes(t), "vectors");
    t->keys = backend_alloc(token_cache_bytes(t), "the keys");
    t->values = backend_alloc(token_cache_bytes(t), "the values");
    t->work = backend_alloc(token_work_bytes(t), "the work of a token");
    d->logits = backend_alloc(TOKEN_TEXTS * Vp * sizeof(float), "logits");
    d->ids = backend_alloc(3 * TOKEN_TEXTS * sizeof *d->ids, "a list");
    if (!d->ids)
        return false;
    backend_zero(t->work, token_work_bytes(t));
    put_weights(d->m, t);
    return backend_ok(NULL);
}


/* make and free a decoder */
static bool reserve_acts(struct Decoder *d)
{
    const struct Config *c = &d->m->config;
    const size_t N = (size_t)d->most, C = (size_t)c->C;
    struct { real **to; size_t n; } part[] = {
        { &d->x, N * C }, { &d->norm, N * C }, { &d->mean, N },
        { &d->rstd, N }, { &d->qkv, N * 3 * C }, { &d->att, N * C },
        { &d->mid, N * C }, { &d->fc, N * 4 * C },
        { &d->logits, (size_t)d->rows * (size_t)c->V } };
    const size_t parts = sizeof part / sizeof *part;
    size_t sum = 0, at = 0;
    for (size_t i = 0; i < parts; i++)
        sum += (part[i].n + 15) / 16 * 16;
    d->acts = backend_alloc(sum * sizeof(real),
                            "the decoder's activations");
    for (size_t i = 0; d->acts && i < parts; i++) {
        *part[i].to = d->acts + at;
        at += (part[i].n + 15) / 16 * 16;
    }
    return d->acts;
}


static bool reserve_cache(struct Decoder *d)
{
    const struct Config *c = &d->m->config;
    const size_t n = (size_t)d->rows * (size_t)d->T * (size_t)c->C;
    const size_t L = (size_t)c->L;
    d->cache = calloc(L, sizeof *d->cache);
    d->memory = backend_alloc(2 * L * n * sizeof(real), "the KV cache");
    d->ids = backend_alloc(3 * (size_t)d->most * sizeof *d->ids,
                           "the list of a pass");
    if (!d->cache || !d->ids)
        return false;
    for (size_t l = 0; l < L; l++)
        d->cache[l] = (struct Cache){ d->memory + 2 * l * n,
                                      d->memory + (2 * l + 1) * n, d->T };
    return true;
}


static bool reserve_host(struct Decoder *d)
{
    const size_t rows = (size_t)d->rows;
    d->length = calloc(rows, sizeof *d->length);
    d->text = calloc(rows * (size_t)d->T, sizeof *d->text);
    d->h_ids = calloc(3 * (size_t)d->most, sizeof *d->h_ids);
    return d->length && d->text && d->h_ids;
}

static bool check(const struct Decoder *d, struct Error *e)
{
    const struct Model *m = d->m;
    if (d->rows < 1 || d->T < 1)
        return error_set(e, "decoder: %d texts of %d tokens; both must be "
                         "at least 1", d->rows, d->T);
    if (d->T > m->T)
        return error_set(e, "decoder: texts of %d tokens, but the model "
                         "was made for %d", d->T, m->T);
    const double bytes = 2.0 * d->rows * d->T * m->config.C * m->config.L
                       * (double)sizeof(real);
    if (bytes > 1e13)
        return error_set(e, "decoder: %d texts of %d tokens need %.3g GB "
                         "for keys and values; use a smaller --batch or "
                         "--window", d->rows, d->T, bytes / 1e9);
    return model_ok(m, e);
}


static bool reserve(struct Decoder *d, bool cached)
{
    const struct Config *c = &d->m->config;
    if (!reserve_host(d) || !cached)
        return d->length && d->text && d->h_ids;
    if (d->m->options.precision != BF16)
        return reserve_acts(d) && reserve_cache(d);
    return !token_can(c->C, c->NH) || reserve_token(d);
}

static bool create(struct Decoder *d, struct Model *m, int rows, int T,
                   bool cached, struct Error *e)
{
    *d = (struct Decoder){ .m = m, .rows = rows, .T = T };
    if (!check(d, e))
        return false;
    d->most = rows > PASS || T > PASS ? PASS : T;
    d->most = rows > d->most ? rows : d->most;
    const struct ModelUse u = model_use(m);
    const bool good = reserve(d, cached);
    if (!good && backend_ok(e)) {
        error_set(e, "no memory for a decoder of %d texts", rows);
    } else if (!good)
        backend_recover();
    model_unuse(m, u);
    if (!good)
        decoder_free(d);
    return good;
}

bool decoder_create(struct Decoder *d, struct Model *m, int rows, int T,
                    struct Error *e)
{
    return create(d, m, rows, T, true, e);
}

bool decoder_create_uncached(struct Decoder *d, struct Model *m, int rows,
                             int T, struct Error *e)
{
    return create(d, m, rows, T, false, e);
}


static void free_token(struct Decoder *d)
{
    const struct TokenModel *t = d->token;
    void *all[] = { t ? t->weights : NULL, t ? t->vectors : NULL,
                    t ? t->keys : NULL, t ? t->values : NULL,
                    t ? t->work : NULL, t ? d->logits : NULL };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        backend_free(all[i]);
    free(d->token);
}

void decoder_free(struct Decoder *d)
{
    if (d->m) {
        const struct ModelUse u = model_use(d->m);
        backend_free(d->memory);
        backend_free(d->acts);
        backend_free(d->ids);
        free_token(d);
        model_unuse(d->m, u);
    }
    free(d->cache);
    free(d->length);
    free(d->text);
    free(d->h_ids);
    *d = (struct Decoder){ 0 };
}

void decoder_reset(struct Decoder *d, int row)
{
    d->length[row] = 0;
}

void decoder_quantise(struct Decoder *d, const struct QuantisedModel *q)
{
    assert(d->cache && q->m == d->m);
    d->quantised = q->n ? q : NULL;
}
