/* Tangled from chapters/workshop/measuring-ceilings.nw, "A product by cuBLASLt".  Edit it there. */

#ifndef BENCH_CUBLASLT_CUH
#define BENCH_CUBLASLT_CUH

/* Products by cuBLASLt, for the CUDA programs that time them. */
#include "backend/driver.h"
#include "bench/cuda_bench.cuh"

#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <time.h>

static inline void pause_ms(int ms)
{
    struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
    nanosleep(&t, NULL);
}

/* cublaslt: kinds of numbers */
#define LT_OK(call) lt_ok((call), #call, __FILE__, __LINE__)

static inline void lt_ok(cublasStatus_t s, const char *call,
                         const char *file, int line)
{
    if (s != CUBLAS_STATUS_SUCCESS)
        fail("%s:%d: %s: %s", file, line, call, cublasLtGetStatusName(s));
}

struct LtKind {
    const char *name;
    cudaDataType_t in, out;
    cublasComputeType_t compute;
    cudaDataType_t scale;
    int in_bytes, out_bytes;
    double eps;                 /* rounding of the result              */
    double sum_eps;             /* error of the sum, of the sum of |ab| */
};

enum { LT_BF16, LT_FP16, LT_E4M3, LT_INT8, LT_TF32, LT_FP32, LT_FP64 };

static const struct LtKind lt_kinds[] = {    /* in this order */
    { "bf16", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F,
      2, 2, 0x1p-8, 0x1p-20 },
    { "fp16", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F,
      2, 2, 0x1p-11, 0x1p-20 },
    { "e4m3", CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F,
      1, 2, 0x1p-8, 0x1p-13 },
    { "int8", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I,
      1, 4, 0, 0 },
    { "tf32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32,
      CUDA_R_32F, 4, 4, 0x1p-20, 0x1p-10 },
    { "fp32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F,
      4, 4, 0x1p-20, 0x1p-20 },
    { "fp64", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F,
      8, 8, 0x1p-48, 0x1p-48 },
};

/* cublaslt: a product */
/* c[m,n] = op(a) op(b), columns contiguous; a is stored [k,m] if ta, b is
 * stored [n,k] if tb. */
struct LtJob {
    const struct LtKind *kind;
    int m, n, k;
    bool ta, tb;
    void *a, *b, *c;
    cublasLtMatmulDesc_t op;
    cublasLtMatrixLayout_t la, lb, lc;
    cublasLtMatmulAlgo_t algo;
    size_t room;                /* bytes of workspace */
    bool fast;                  /* e4m3: sums by the tensor cores only */
};

static cublasLtHandle_t lt;
static void *lt_room;
enum { LT_ROOM = 64 << 20 };

static inline void lt_open(void)
{
    LT_OK(cublasLtCreate(&lt));
    CUDA_OK(cudaMalloc(&lt_room, LT_ROOM));
}

static inline struct LtJob lt_job(const struct LtKind *kind, int n, bool ta)
{
    struct LtJob j = {};
    j.kind = kind;
    j.m = j.n = j.k = n;
    j.ta = ta;
    return j;
}

static inline void lt_describe(struct LtJob *j)
{
    const struct LtKind *k = j->kind;
    cublasOperation_t ta = j->ta ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasOperation_t tb = j->tb ? CUBLAS_OP_T : CUBLAS_OP_N;
    LT_OK(cublasLtMatmulDescCreate(&j->op, k->compute, k->scale));
    LT_OK(cublasLtMatmulDescSetAttribute(j->op,
          CUBLASLT_MATMUL_DESC_TRANSA, &ta, sizeof ta));
    LT_OK(cublasLtMatmulDescSetAttribute(j->op,
          CUBLASLT_MATMUL_DESC_TRANSB, &tb, sizeof tb));
    int8_t fast = j->fast;
    LT_OK(cublasLtMatmulDescSetAttribute(j->op,
          CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast));
    LT_OK(cublasLtMatrixLayoutCreate(&j->la, k->in, j->ta ? j->k : j->m,
                                     j->ta ? j->m : j->k,
                                     j->ta ? j->k : j->m));
    LT_OK(cublasLtMatrixLayoutCreate(&j->lb, k->in, j->tb ? j->n : j->k,
                                     j->tb ? j->k : j->n,
                                     j->tb ? j->n : j->k));
    LT_OK(cublasLtMatrixLayoutCreate(&j->lc, k->out, j->m, j->n, j->m));
}

static inline void lt_forget(struct LtJob *j)
{
    LT_OK(cublasLtMatrixLayoutDestroy(j->la));
    LT_OK(cublasLtMatrixLayoutDestroy(j->lb));
    LT_OK(cublasLtMatrixLayoutDestroy(j->lc));
    LT_OK(cublasLtMatmulDescDestroy(j->op));
}

/* Take proposal number nth, from 0, of the library's heuristics; false if
 * it has no more.  Sums that several blocks share are to be kept in
 * float32: left to itself the library rounds the parts to bf16. */
static inline bool lt_plan(struct LtJob *j, int nth)
{
    enum { MOST = 32 };
    cublasLtMatmulPreference_t p;
    cublasLtMatmulHeuristicResult_t best[MOST];
    size_t most = LT_ROOM;
    uint32_t sums = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    int found = 0;
    if (nth >= MOST)
        return false;
    lt_describe(j);
    LT_OK(cublasLtMatmulPreferenceCreate(&p));
    LT_OK(cublasLtMatmulPreferenceSetAttribute(p,
          CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most));
    LT_OK(cublasLtMatmulPreferenceSetAttribute(p,
          CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &sums, sizeof sums));
    cublasStatus_t s = cublasLtMatmulAlgoGetHeuristic(lt, j->op, j->la,
        j->lb, j->lc, j->lc, p, nth + 1, best, &found);
    LT_OK(cublasLtMatmulPreferenceDestroy(p));
    if (s != CUBLAS_STATUS_SUCCESS || found <= nth) {
        lt_forget(j);
        return false;
    }
    j->algo = best[nth].algo;
    j->room = best[nth].workspaceSize;
    return true;
}

static inline void lt_run_on(const struct LtJob *j, cudaStream_t stream)
{
    const float one = 1, zero = 0;
    const double one64 = 1, zero64 = 0;
    const int32_t onei = 1, zeroi = 0;
    const void *alpha = j->kind->scale == CUDA_R_64F ? (void *)&one64
                      : j->kind->scale == CUDA_R_32I ? (void *)&onei
                      : (void *)&one;
    const void *beta = j->kind->scale == CUDA_R_64F ? (void *)&zero64
                     : j->kind->scale == CUDA_R_32I ? (void *)&zeroi
                     : (void *)&zero;
    LT_OK(cublasLtMatmul(lt, j->op, alpha, j->a, j->la, j->b, j->lb, beta,
                         j->c, j->lc, j->c, j->lc, &j->algo, lt_room,
                         j->room, stream));
}

static inline void lt_run(void *job)
{
    lt_run_on((const struct LtJob *)job, 0);
}

/* cublaslt: numbers to multiply */
enum Data { DATA_ZERO, DATA_ONE, DATA_SMALL, DATA_SIGN, DATA_UNIFORM,
            DATA_NORMAL, DATA_KINDS };
static const char *const data_names[] = { "zero", "one", "small", "sign",
                                          "uniform", "normal" };

__device__ static inline float uniform_at(uint64_t i, uint32_t seed)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull + seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (float)((z ^ (z >> 31)) >> 40) * 0x1p-24f;     /* [0, 1) */
}

__device__ static inline float data_at(uint64_t i, uint32_t seed, int data)
{
    float u = uniform_at(i, seed), v = uniform_at(i, ~seed);
    switch (data) {
    case DATA_ZERO:    return 0;
    case DATA_ONE:     return 1;
    case DATA_SMALL:   return floorf(5 * u) - 2;            /* -2 .. 2 */
    case DATA_SIGN:    return u < 0.5f ? -1 : 1;
    case DATA_UNIFORM: return 2 * u - 1;
    default: return sqrtf(-2 * logf(1 - u)) * cospif(2 * v);
    }
}

template <class Type>
__global__ void fill_with(Type *x, size_t n, uint32_t seed, int data,
                          float times)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += (size_t)gridDim.x * blockDim.x)
        x[i] = (Type)(data_at(i, seed, data) * times);
}

static inline void fill_kind(void *x, size_t n, cudaDataType_t type,
                             uint32_t seed, int data)
{
    switch ((int)type) {
    #define FILL(name, type, times) case name: \
        fill_with<<<1024, 256>>>((type *)x, n, seed, data, times); break;
    FILL(CUDA_R_16BF, __nv_bfloat16, 1)
    FILL(CUDA_R_16F, __half, 1)
    FILL(CUDA_R_8F_E4M3, __nv_fp8_e4m3, 1)
    FILL(CUDA_R_8I, int8_t, data > DATA_SIGN ? 32 : 1)
    FILL(CUDA_R_32F, float, 1)
    FILL(CUDA_R_64F, double, 1)
    default: fail("no numbers of type %d", (int)type);
    }
    CUDA_OK(cudaGetLastError());
}

/* New operands and room for the result; op(a) and b are `data`. */
static inline void lt_operands(struct LtJob *j, int data)
{
    size_t a = (size_t)j->m * j->k, b = (size_t)j->k * j->n;
    size_t c = (size_t)j->m * j->n * j->kind->out_bytes;
    CUDA_OK(cudaMalloc(&j->a, a * j->kind->in_bytes));
    CUDA_OK(cudaMalloc(&j->b, b * j->kind->in_bytes));
    CUDA_OK(cudaMalloc(&j->c, c));
    fill_kind(j->a, a, j->kind->in, 1, data);
    fill_kind(j->b, b, j->kind->in, 2, data);
    CUDA_OK(cudaMemset(j->c, 0xff, c));
}

static inline void lt_release(struct LtJob *j)
{
    CUDA_OK(cudaFree(j->a));
    CUDA_OK(cudaFree(j->b));
    CUDA_OK(cudaFree(j->c));
}

/* cublaslt: is the product right */
template <class In, class Out>
__global__ void worst_of(double *worst, const In *a, const In *b,
                         const Out *c, int m, int n, int k, bool ta,
                         bool tb, double eps, double sum_eps)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = (int)((uint64_t)t * 7919 % m);
    int l = (int)((uint64_t)t * 104729 % n);
    double sum = 0, size = 0;
    for (int q = 0; q < k; q++) {
        double x = (double)(float)a[ta ? (size_t)i * k + q
                                       : (size_t)q * m + i];
        x *= (double)(float)b[tb ? (size_t)q * n + l
                                 : (size_t)l * k + q];
        sum += x;
        size += fabs(x);
    }
    double off = fabs((double)c[(size_t)l * m + i] - sum);
    double bound = eps * fabs(sum) + sum_eps * size;
    worst[t] = off <= bound ? 0 : off / bound;
}

static inline bool lt_right(const struct LtJob *j)
{
    enum { SAMPLES = 4096 };
    double *worst, h[SAMPLES], wrong = 0;
    CUDA_OK(cudaMalloc(&worst, sizeof h));
    switch (64 * (int)j->kind->in + (int)j->kind->out) {
    #define WORST(from, to, in, out) case 64 * from + to: \
        worst_of<<<SAMPLES / 32, 32>>>(worst, (const in *)j->a, \
            (const in *)j->b, (const out *)j->c, j->m, j->n, j->k, j->ta, \
            j->tb, j->kind->eps, j->kind->sum_eps); break;
    WORST(CUDA_R_16BF, CUDA_R_16BF, __nv_bfloat16, __nv_bfloat16)
    WORST(CUDA_R_16F, CUDA_R_16F, __half, __half)
    WORST(CUDA_R_8F_E4M3, CUDA_R_16BF, __nv_fp8_e4m3, __nv_bfloat16)
    WORST(CUDA_R_8F_E4M3, CUDA_R_32F, __nv_fp8_e4m3, float)
    WORST(CUDA_R_8I, CUDA_R_32I, int8_t, int32_t)
    WORST(CUDA_R_32F, CUDA_R_32F, float, float)
    WORST(CUDA_R_64F, CUDA_R_64F, double, double)
    default: fail("no check of %s", j->kind->name);
    }
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(h, worst, sizeof h, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaFree(worst));
    for (int i = 0; i < SAMPLES; i++)
        wrong = h[i] <= wrong ? wrong : h[i];
    if (!(wrong == 0))
        printf("off by %g times what is allowed\n", wrong);
    return wrong == 0;
}

/* cublaslt: which kernel runs */
struct LtKernel {
    char name[160];
    int kernels, blocks, tile_m, tile_n;
};

static inline void kernel_of(CUgraphNode node, struct LtKernel *k)
{
    typedef CUresult Params(CUgraphNode, CUDA_KERNEL_NODE_PARAMS *);
    typedef CUresult Name(const char **, void *);
    CUDA_KERNEL_NODE_PARAMS p;
    const char *name = "?";
    memset(&p, 0, sizeof p);
    if (((Params *)driver_function("cuGraphKernelNodeGetParams", 12030))(
            node, &p))
        return;
    if (p.func)
        ((Name *)driver_function("cuFuncGetName", 12030))(&name, p.func);
    else
        ((Name *)driver_function("cuKernelGetName", 12030))(&name, p.kern);
    k->kernels++;
    if (k->kernels > 1)
        return;
    snprintf(k->name, sizeof k->name, "%s", name);
    k->blocks = (int)(p.gridDimX * p.gridDimY * p.gridDimZ);
    for (const char *s = strchr(k->name, '_'); s; s = strchr(s + 1, '_'))
        if (sscanf(s, "_%dx%d_", &k->tile_m, &k->tile_n) == 2)
            break;
}

static inline struct LtKernel lt_kernel(const struct LtJob *j)
{
    struct LtKernel k = {};
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphNode_t node[16];
    size_t n = 16;
    CUDA_OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CUDA_OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    lt_run_on(j, s);
    CUDA_OK(cudaStreamEndCapture(s, &g));
    CUDA_OK(cudaGraphGetNodes(g, node, &n));
    for (size_t i = 0; i < n; i++)
        kernel_of((CUgraphNode)node[i], &k);
    CUDA_OK(cudaGraphDestroy(g));
    CUDA_OK(cudaStreamDestroy(s));
    return k;
}

#endif
