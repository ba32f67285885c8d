/* Tangled from chapters/workshop/inference-plumbing.nw, "decode: the time of a token".  Edit it there. */

/* decode: the time of a token of GPT-2 in bf16, for up to 8 texts. */
#include "bench/cuda_bench.cuh"
#include "backend/cuda_stream.cuh"
#include "bench/memory_ceilings.cuh"
#include "ops/operators.h"

extern "C" {
#include "gpt2/config.h"
}

/* decode: random numbers */
__global__ static void fill_bf16(bf16 *x, size_t n, uint32_t seed,
                                 float size)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += step) {
        const uint32_t bits = hash((uint32_t)i * 0x9e3779b9u
                                   + (uint32_t)(i >> 32) + seed);
        x[i] = float_to_bf16(((float)(bits >> 8) * 0x1p-23f - 1) * size);
    }
}

/* LayerNorm's weights 1, all else small. */
__global__ static void fill_vectors(float *x, size_t n, int C)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += step) {
        const int v = (int)(i / C % TOKEN_VECTORS);
        const float small = (float)(hash((uint32_t)i) >> 8) * 0x1p-24f
                          * 0.02f;
        x[i] = small + (v == TOKEN_LN_1_W || v == TOKEN_LN_2_W);
    }
}

static bf16 *random_bf16(size_t bytes, uint32_t seed, float size)
{
    bf16 *p = (bf16 *)backend_alloc(bytes, "random numbers");
    if (p)
        fill_bf16<<<1024, 256>>>(p, bytes / sizeof *p, seed, size);
    CUDA_OK(cudaDeviceSynchronize());
    return p;
}


/* decode: a model of random numbers */
struct Bench {
    struct TokenModel m;
    int32_t *ids;               /* [3][8] */
    float *logits, *again;      /* [8][Vp] */
    size_t logits_bytes;
    int n;                      /* texts of a run */
};

static void bench_open(struct Bench *b, const char *name)
{
    struct Config c;
    struct Error e;
    struct TokenModel *m = &b->m;
    if (!config_preset(&c, name, &e))
        fail("%s", e.text);
    m->L = c.L, m->C = c.C, m->NH = c.NH, m->V = c.V, m->T = c.T;
    m->rows = TOKEN_TEXTS;
    m->blocks = token_blocks(m);
    m->weights = random_bf16(token_weights_bytes(m), 1, 0.035f);
    m->wpe = random_bf16((size_t)c.T * c.C * sizeof(bf16), 2, 0.035f);
    m->keys = random_bf16(token_cache_bytes(m), 3, 1);
    m->values = random_bf16(token_cache_bytes(m), 4, 1);
    m->vectors = (float *)backend_alloc(token_vectors_bytes(m), "vectors");
    m->work = backend_alloc(token_work_bytes(m), "the work");
    b->logits_bytes = (size_t)TOKEN_TEXTS * ((c.V + 15) / 16 * 16) * 4;
    b->ids = (int32_t *)backend_alloc(3 * TOKEN_TEXTS * 4, "ids");
    b->logits = (float *)backend_alloc(b->logits_bytes, "logits");
    b->again = (float *)backend_alloc(b->logits_bytes, "logits");
    if (!backend_ok(&e))
        fail("%s", e.text);
    fill_vectors<<<256, 256>>>(m->vectors, token_vectors_bytes(m) / 4,
                               c.C);
    backend_zero(m->work, token_work_bytes(m));
    CUDA_OK(cudaDeviceSynchronize());
}

static void bench_close(struct Bench *b)
{
    struct TokenModel *m = &b->m;
    void *all[] = { m->weights, m->wpe, m->keys, m->values, m->vectors,
                    m->work, b->ids, b->logits, b->again };
    for (void *p : all)
        backend_free(p);
}

static void put_ids(struct Bench *b, int n, int at)
{
    int32_t ids[3 * TOKEN_TEXTS];
    for (int i = 0; i < n; i++) {
        ids[i] = (1234 + 5001 * i) % b->m.V;
        ids[n + i] = TOKEN_TEXTS - 1 - i;
        ids[2 * n + i] = at;
    }
    b->n = n;
    backend_put(b->ids, ids, (size_t)(3 * n) * sizeof *ids);
}


/* decode: check the two ways of launching */
static void run_token(void *job)
{
    struct Bench *b = (struct Bench *)job;
    token_run(&b->m, b->logits, b->ids, b->n);
}

static void same_bits(const char *what, const float *want, const float *got,
                      size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(isfinite(got[i]) && got[i] == want[i]))
            fail("%s: logit %zu is %g, not %g", what, i, got[i], want[i]);
}

static void check(struct Bench *b)
{
    const size_t n = b->logits_bytes / 4, one = n / TOKEN_TEXTS;
    float *want = (float *)malloc(4 * n), *got = (float *)malloc(4 * n);
    struct Error e;
    if (!want || !got)
        fail("no memory for logits");
    put_ids(b, TOKEN_TEXTS, b->m.T - 1);
    for (int stages = 1; stages >= 0; stages--) {
        b->m.stages = stages;
        CUDA_OK(cudaMemset(b->logits, 0xff, b->logits_bytes));
        run_token(b);
        backend_get(stages ? want : got, b->logits, b->logits_bytes);
    }
    if (!backend_ok(&e))
        fail("%s", e.text);
    same_bits("one launch", want, got, n);
    put_ids(b, 1, b->m.T - 1);
    run_token(b);
    backend_get(got, b->logits, 4 * one);
    same_bits("a text alone", want, got, one);
    free(want);
    free(got);
}


/* decode: time a token */
static double bytes_of_token(const struct TokenModel *m, int n, int at)
{
    return (double)token_weights_bytes(m) + (double)token_vectors_bytes(m)
         + 4.0 * m->L * m->C * n * (at + 1);
}

struct Replay { void *recording; };

static void replay(void *job)
{
    backend_replay(((struct Replay *)job)->recording);
}

/* Three runs to warm up, then `runs`, on the stream of the operators. */
static struct Sample stream_time(Work *work, void *job, int runs)
{
    struct Sample t = {};
    cudaEvent_t from, to;
    CUDA_OK(cudaEventCreate(&from));
    CUDA_OK(cudaEventCreate(&to));
    for (int r = -3; r < runs; r++) {
        float ms;
        CUDA_OK(cudaEventRecord(from, backend_stream()));
        work(job);
        CUDA_OK(cudaEventRecord(to, backend_stream()));
        CUDA_OK(cudaEventSynchronize(to));
        CUDA_OK(cudaEventElapsedTime(&ms, from, to));
        if (r >= 0)
            sample_add(&t, ms / 1e3);
    }
    CUDA_OK(cudaEventDestroy(from));
    CUDA_OK(cudaEventDestroy(to));
    return t;
}

static void row_of_token(const struct Sample *t, const char *name,
                         const char *how, int n, int at, double bytes,
                         const struct Ceilings *top)
{
    char title[80];
    snprintf(title, sizeof title, "%s, %d texts at %d, %s", name, n, at,
             how);
    printf("%-44s", title);
    timed_row(t, bytes, GBS, 100 * bytes / top->copy / median(t),
              "decode.%s.%s.n%d.at%d", name, how, n, at);
}

static void time_token(struct Bench *b, const char *name, int n, int at,
                       const struct Ceilings *top)
{
    const double bytes = bytes_of_token(&b->m, n, at);
    put_ids(b, n, at);
    b->m.stages = false;
    const struct Sample one = stream_time(run_token, b, 51);
    row_of_token(&one, name, "one", n, at, bytes, top);
    if (n > 1)
        return;
    b->m.stages = true;
    const struct Sample many = stream_time(run_token, b, 51);
    row_of_token(&many, name, "stages", n, at, bytes, top);
    struct Replay r = { backend_record(run_token, b) };
    if (r.recording) {
        const struct Sample graph = stream_time(replay, &r, 51);
        row_of_token(&graph, name, "graph", n, at, bytes, top);
        backend_forget(r.recording);
    }
}


int main(int argc, char **argv)
{
    lab_open(argc, argv, "Time a token of GPT-2 in bf16.");
    const struct Ceilings top = ceilings("decode");
    static const char *const names[] = { "gpt2", "gpt2-medium",
                                         "gpt2-large", "gpt2-xl" };
    static const int batches[] = { 1, 2, 4, 8 };
    for (const char *name : names) {
        struct Bench b = {};
        bench_open(&b, name);
        check(&b);
        for (int n : batches)
            time_token(&b, name, n, b.m.T - 1, &top);
        time_token(&b, name, 1, 63, &top);
        bench_close(&b);
    }
    lab_close_operators();
    return 0;
}
