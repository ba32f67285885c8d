/* Tangled from chapters/workshop/quantised-weights.nw, "bench: quantised matrices on a GPU".  Edit it there. */

/* quantised: a row times matrices of int8 and int4, on a GPU. */
#include "bench/cuda_bench.cuh"
#include "backend/cuda_stream.cuh"
#include "bench/memory_ceilings.cuh"
#include "ops/operators.h"

/* quantised: matrices of random codes */
enum { MOST = 256 };

struct Matrices {
    struct Quantised q[MOST];
    int n;                      /* matrices */
    double bytes;               /* of the codes and scales of one */
    float *x, *y;               /* [K], [N] */
    uint32_t *room;             /* of all codes */
    bf16 *scales;
};

__global__ static void fill_words(uint32_t *x, size_t n)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += step)
        x[i] = (uint32_t)(i + 1) * 0x9e3779b9u
             ^ (uint32_t)(i >> 7) * 0x85ebca6bu;
}

/* 0.001 to 0.002 */
__global__ static void fill_scales(bf16 *x, size_t n)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += step)
        x[i] = float_to_bf16(0.001f * (1 + (float)(i * 7919 % 1021)
                                           / 1021));
}

__global__ static void fill_row(float *x, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[i] = (float)(i * 7919 % 2039) / 1019.5f - 1;
}


static void matrices_open(struct Matrices *m, int N, int K,
                          enum QuantisedType type, int group)
{
    struct Quantised q = { type, N, K, group, NULL, NULL };
    const size_t codes = N * quantised_row_bytes(&q);
    const size_t scales = N * quantised_groups(&q);
    m->bytes = (double)codes + 2.0 * scales;
    m->n = (int)min((size_t)MOST, ((size_t)512 << 20) / codes + 1);
    m->room = (uint32_t *)backend_alloc(m->n * codes, "codes");
    m->scales = (bf16 *)backend_alloc(2 * m->n * scales, "scales");
    m->x = (float *)backend_alloc(4 * (size_t)K, "a row");
    m->y = (float *)backend_alloc(4 * (size_t)N, "a row");
    fill_words<<<2112, 256>>>(m->room, m->n * codes / 4);
    fill_scales<<<2112, 256>>>(m->scales, m->n * scales);
    fill_row<<<1, 256>>>(m->x, K);
    CUDA_OK(cudaMemset(m->y, 0xff, 4 * (size_t)N));
    CUDA_OK(cudaDeviceSynchronize());
    for (int i = 0; i < m->n; i++) {
        m->q[i] = q;
        m->q[i].codes = (uint8_t *)m->room + i * codes;
        m->q[i].scales = m->scales + i * scales;
    }
}

static void matrices_close(struct Matrices *m)
{
    void *all[] = { m->room, m->scales, m->x, m->y };
    for (void *p : all)
        backend_free(p);
}


/* quantised: compare with the plain sum */
static void check_codes(const struct Matrices *m)
{
    struct Quantised h = m->q[m->n - 1];
    const size_t codes = h.N * quantised_row_bytes(&h);
    const size_t scales = 2 * h.N * quantised_groups(&h);
    float *x = (float *)malloc(4 * (size_t)h.K);
    float *y = (float *)malloc(4 * (size_t)h.N);
    h.codes = (uint8_t *)malloc(codes);
    h.scales = (bf16 *)malloc(scales);
    backend_get(h.codes, m->q[m->n - 1].codes, codes);
    backend_get(h.scales, m->q[m->n - 1].scales, scales);
    backend_get(x, m->x, 4 * (size_t)h.K);
    backend_get(y, m->y, 4 * (size_t)h.N);
    for (int n = 0; n < h.N; n += h.N > 10000 ? 97 : 1) {
        double sum = 0, size = 0;
        for (int k = 0; k < h.K; k++) {
            const double term = (double)quantised_value(&h, n, k) * x[k];
            sum += term;
            size += fabs(term);
        }
        if (!(fabs(y[n] - sum) <= 1e-6 * size))
            fail("output %d is %g, not %g", n, y[n], sum);
    }
    free(x), free(y), free(h.codes), free(h.scales);
}


/* quantised: time them in a graph */
static void run_matrices(void *job)
{
    const struct Matrices *m = (const struct Matrices *)job;
    for (int i = 0; i < m->n; i++)
        quantised_linear(m->y, m->x, &m->q[i], NULL, 1);
}

/* Work that asks for `n` matmuls, in a graph: seconds of one. */
static struct Sample time_graph(Work *work, void *job, int n)
{
    struct Sample each = {};
    void *graph = backend_record(work, job);
    cudaEvent_t from, to;
    CUDA_OK(cudaEventCreate(&from));
    CUDA_OK(cudaEventCreate(&to));
    for (int r = -2; graph && r < 21; r++) {
        float ms;
        CUDA_OK(cudaEventRecord(from, backend_stream()));
        backend_replay(graph);
        CUDA_OK(cudaEventRecord(to, backend_stream()));
        CUDA_OK(cudaEventSynchronize(to));
        CUDA_OK(cudaEventElapsedTime(&ms, from, to));
        if (r >= 0)
            sample_add(&each, ms / 1e3 / n);
    }
    if (!graph)
        fail("no CUDA graph could be recorded");
    backend_forget(graph);
    CUDA_OK(cudaEventDestroy(from));
    CUDA_OK(cudaEventDestroy(to));
    return each;
}


static void time_codes(const char *name, int N, int K,
                       enum QuantisedType type, int group,
                       const struct Ceilings *top)
{
    static struct Matrices m;
    struct Error e;
    const char *kind = type == WEIGHTS_INT4 ? "int4" : "int8";
    char title[60];
    matrices_open(&m, N, K, type, group);
    run_matrices(&m);
    if (!backend_ok(&e))
        fail("%s", e.text);
    check_codes(&m);
    const struct Sample t = time_graph(run_matrices, &m, m.n);
    snprintf(title, sizeof title, "%s, %d x %d, %s, groups of %d", name, K,
             N, kind, group);
    printf("%-44s", title);
    timed_row(&t, m.bytes, GBS, 100 * m.bytes / top->copy / median(&t),
              "quantised.%s.%s.g%d", name, kind, group);
    matrices_close(&m);
}


/* quantised: the library's matmul in bf16 */
struct Bf16Job { struct MatmulBf16 p; const bf16 *w; int n; };

static void run_bf16(void *job)
{
    struct Bf16Job *b = (struct Bf16Job *)job;
    for (int i = 0; i < b->n; i++) {
        b->p.b = b->w + (size_t)i * b->p.N * b->p.K;
        matmul_bf16(&b->p);
    }
}

static void time_bf16(const char *name, int N, int K,
                      const struct Ceilings *top)
{
    const size_t bytes = 2 * (size_t)N * K;
    struct Bf16Job b = {};
    char title[60];
    b.n = (int)(((size_t)512 << 20) / bytes) + 1;
    bf16 *w = (bf16 *)backend_alloc(b.n * bytes, "weights");
    bf16 *x = (bf16 *)backend_alloc(2 * (size_t)K, "a row");
    bf16 *y = (bf16 *)backend_alloc(2 * (size_t)N, "a row");
    fill_scales<<<2112, 256>>>(w, b.n * bytes / 2);
    fill_scales<<<2112, 256>>>(x, K);
    CUDA_OK(cudaDeviceSynchronize());
    b.w = w;
    b.p.M = 1, b.p.N = N, b.p.K = K, b.p.flags = GEMM_TB;
    b.p.a = x, b.p.out = y;
    run_bf16(&b);
    const struct Sample t = time_graph(run_bf16, &b, b.n);
    snprintf(title, sizeof title, "%s, %d x %d, bf16, library", name, K, N);
    printf("%-44s", title);
    timed_row(&t, bytes, GBS, 100 * bytes / top->copy / median(&t),
              "quantised.%s.bf16", name);
    backend_free(w);
    backend_free(x);
    backend_free(y);
}


int main(int argc, char **argv)
{
    static const struct { const char *name; int N, K; } shapes[] = {
        { "qkv", 4800, 1600 }, { "proj", 1600, 1600 },
        { "fc", 6400, 1600 }, { "mlp", 1600, 6400 },
        { "wte", 50257, 1600 } };
    lab_open(argc, argv, "Time a row times quantised matrices.");
    const struct Ceilings top = ceilings("quantised");
    for (const auto &s : shapes) {
        time_bf16(s.name, s.N, s.K, &top);
        for (int type = 0; type < QUANTISED_TYPES; type++)
            for (int group = 32; group <= 128; group *= 2)
                time_codes(s.name, s.N, s.K, (enum QuantisedType)type,
                           group, &top);
    }
    lab_close_operators();
    return 0;
}
