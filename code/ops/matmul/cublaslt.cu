/* Tangled from chapters/workshop/matmul-plumbing.nw, "Describing a matmul to the library".  Edit it there. */

#include <stdint.h>
#include <string.h>
#include <cublasLt.h>
#include "backend/backend.h"
#include "ops/kernels/common.cuh"
#include "ops/matmul/matmul_impls.h"

/* check a call of cuBLASLt */
#define LT_OK(call) lt_ok((call), #call, __FILE__, __LINE__)

static void lt_ok(cublasStatus_t s, const char *call, const char *file,
                  int line)
{
    if (s != CUBLAS_STATUS_SUCCESS)
        backend_failed("%s:%d: %.60s: %s", file, line, call,
                       cublasLtGetStatusString(s));
}

/* describe what cuBLASLt is asked for */
/* All that a plan depends on, and nothing else: compared as bytes, so it
 * is cleared before it is filled. */
struct Ask {
    int m, n, k;                    /* of the library's column-major out */
    int ta, tb, epilogue, in, out, compute;
    int64_t lda, ldb, ldc, ldo, ldaux;
    unsigned align_a, align_b, align_c, align_o;
    float beta;
    int candidate;                  /* of the library's proposals, or 0 */
};

struct Plan {
    struct Ask ask;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t a, b, c, out;
    cublasLtMatmulAlgo_t algo;
    bool none;                      /* the library cannot do this one    */
};

struct Pointers {
    const void *a, *b, *c, *bias, *aux;
    void *out;
};

/* open the library with its workspace */
enum { WORKSPACE = 64 << 20, PLANS = 128, MOST = 64 };

static struct Library {                 /* one for each device */
    cublasLtHandle_t handle;
    void *workspace;
    struct Plan plans[PLANS];           /* the oldest gives way to a new */
    int plans_made;
} libraries[MOST_DEVICES];

static struct Library *library(void)
{
    struct Library *l = &libraries[backend_device()];
    if (!l->handle)
        LT_OK(cublasLtCreate(&l->handle));
    if (!l->workspace)
        l->workspace = backend_alloc(WORKSPACE,
                                     "the workspace of cuBLASLt");
    return l;
}

/* describe a matmul to cuBLASLt */
static void set(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t what,
                const void *value, size_t bytes)
{
    LT_OK(cublasLtMatmulDescSetAttribute(d, what, value, bytes));
}

static void describe(struct Plan *p)
{
    const struct Ask *q = &p->ask;
    const cublasOperation_t ta = q->ta ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t tb = q->tb ? CUBLAS_OP_T : CUBLAS_OP_N;
    LT_OK(cublasLtMatmulDescCreate(&p->desc,
        (cublasComputeType_t)q->compute, CUDA_R_32F));
    set(p->desc, CUBLASLT_MATMUL_DESC_TRANSA, &ta, sizeof ta);
    set(p->desc, CUBLASLT_MATMUL_DESC_TRANSB, &tb, sizeof tb);
    set(p->desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &q->epilogue,
        sizeof q->epilogue);
    if (q->ldaux)
        set(p->desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &q->ldaux,
            sizeof q->ldaux);
    /* lay out the four matrices */
    const cudaDataType in = (cudaDataType)q->in, out = (cudaDataType)q->out;
    LT_OK(cublasLtMatrixLayoutCreate(&p->a, in, q->ta ? q->k : q->m,
                                     q->ta ? q->m : q->k, q->lda));
    LT_OK(cublasLtMatrixLayoutCreate(&p->b, in, q->tb ? q->n : q->k,
                                     q->tb ? q->k : q->n, q->ldb));
    LT_OK(cublasLtMatrixLayoutCreate(&p->c, out, q->m, q->n, q->ldc));
    LT_OK(cublasLtMatrixLayoutCreate(&p->out, out, q->m, q->n, q->ldo));
}

/* name the kernels that were measured */
/* Kernels of cuBLASLt 13 by its own numbers, and their tiles. */
static const struct Kernel {
    int id, tile, cluster, custom;
} tiles_128x160 = { 66, 29, 3, 1 },
  tiles_176x128 = { 66, 201, 5, 2 },
  tiles_96x128 = { 66, 28, 3, 0 },
  older_128x128 = { 39, 20, 5, 0 };

/* configure the chosen kernel */
static bool configure(struct Plan *p, const struct Kernel *c)
{
    const uint32_t stages = CUBLASLT_MATMUL_STAGES_64xAUTO;
    const uint16_t cluster = c->cluster;
    cublasLtMatmulHeuristicResult_t r;
    cublasLtMatmulAlgo_t *a = &p->algo;
    if (cublasLtMatmulAlgoInit(library()->handle,
            (cublasComputeType_t)p->ask.compute, CUDA_R_32F, CUDA_R_16BF,
            CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF, c->id, a)
        != CUBLAS_STATUS_SUCCESS)
        return false;
    /* set tile, cluster and the rest */
    #define CONFIGURE(what, value) \
        LT_OK(cublasLtMatmulAlgoConfigSetAttribute(a, \
            CUBLASLT_ALGO_CONFIG_##what, &value, sizeof value))
    CONFIGURE(TILE_ID, c->tile);
    CONFIGURE(STAGES_ID, stages);
    CONFIGURE(CLUSTER_SHAPE_ID, cluster);
    CONFIGURE(CUSTOM_OPTION, c->custom);
    return cublasLtMatmulAlgoCheck(library()->handle, p->desc, p->a, p->b,
                                   p->c, p->out, a,
                                   &r) == CUBLAS_STATUS_SUCCESS
           && r.workspaceSize <= WORKSPACE;
}

/* choose a kernel by what was measured */
/* What was fastest on such a chip at such sizes, or NULL. */
static const struct Kernel *chosen(const struct Ask *q)
{
    enum { THIN = 768, WIDE = 4 * THIN };
    /* only where the rule was measured to pay */
    static struct cudaDeviceProp gpus[MOST_DEVICES];
    struct cudaDeviceProp &gpu = gpus[backend_device()];
    if (!gpu.major)
        CUDA_TRY(cudaGetDeviceProperties(&gpu, backend_device()));
    if (gpu.major != 9 || gpu.minor || gpu.multiProcessorCount != 132
        || q->in != CUDA_R_16BF || q->out != CUDA_R_16BF || q->n < 8192
        || (q->m != THIN && q->k != THIN) || q->k > WIDE)
        return NULL;
    if ((q->lda | q->ldb | q->ldo) % 8
        || (q->align_a | q->align_b | q->align_c | q->align_o) % 16)
        return NULL;
    if (q->epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS)
        return &tiles_96x128;
    if (q->epilogue == CUBLASLT_EPILOGUE_DGELU)
        return &older_128x128;
    return q->m > WIDE ? &tiles_176x128 : &tiles_128x160;
}

/* ask the library for its proposals */
static void prefer(cublasLtMatmulPreference_t p,
                   cublasLtMatmulPreferenceAttributes_t what,
                   const void *value, size_t bytes)
{
    LT_OK(cublasLtMatmulPreferenceSetAttribute(p, what, value, bytes));
}

/* The library's proposals, best first; how many. */
static int proposals(const struct Plan *p,
                     cublasLtMatmulHeuristicResult_t *best, int most)
{
    cublasLtMatmulPreference_t like;
    const size_t room = WORKSPACE;
    int found = 0;
    LT_OK(cublasLtMatmulPreferenceCreate(&like));
    prefer(like, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room,
           sizeof room);
    /* say how the pointers are aligned */
    prefer(like, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &p->ask.align_a,
           sizeof p->ask.align_a);
    prefer(like, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &p->ask.align_b,
           sizeof p->ask.align_b);
    prefer(like, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &p->ask.align_c,
           sizeof p->ask.align_c);
    prefer(like, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &p->ask.align_o,
           sizeof p->ask.align_o);
    const cublasStatus_t s = cublasLtMatmulAlgoGetHeuristic(
        library()->handle, p->desc, p->a, p->b, p->c, p->out, like, most,
        best, &found);
    LT_OK(cublasLtMatmulPreferenceDestroy(like));
    if (s != CUBLAS_STATUS_NOT_SUPPORTED)
        LT_OK(s);
    return s == CUBLAS_STATUS_SUCCESS ? found : 0;
}

/* take the measured kernel, or a proposal */
static void choose(struct Plan *p)
{
    cublasLtMatmulHeuristicResult_t best[MOST];
    const int wish = p->ask.candidate;
    const int i = wish ? wish - 1 : 0;
    const struct Kernel *k = wish ? NULL : chosen(&p->ask);
    if (k && configure(p, k))
        return;
    const int found = proposals(p, best, i + 1);
    p->none = i >= found;
    if (!p->none)
        p->algo = best[i].algo;
}

/* free a plan */
static void forget(struct Plan *p)
{
    if (p->desc) {
        LT_OK(cublasLtMatmulDescDestroy(p->desc));
        LT_OK(cublasLtMatrixLayoutDestroy(p->a));
        LT_OK(cublasLtMatrixLayoutDestroy(p->b));
        LT_OK(cublasLtMatrixLayoutDestroy(p->c));
        LT_OK(cublasLtMatrixLayoutDestroy(p->out));
    }
    memset(p, 0, sizeof *p);
}

/* find a plan, or make one */
static struct Plan *plan_for(const struct Ask *q)
{
    struct Library *l = library();
    for (int i = 0; i < PLANS && i < l->plans_made; i++)
        if (memcmp(&l->plans[i].ask, q, sizeof *q) == 0)
            return &l->plans[i];
    struct Plan *p = &l->plans[l->plans_made++ % PLANS];
    forget(p);
    p->ask = *q;
    describe(p);
    choose(p);
    if (!backend_ok(NULL))
        forget(p);                      /* it may be half made */
    return p;
}

/* run a plan */
static unsigned alignment(const void *p)
{
    const uintptr_t low = (uintptr_t)p & -(uintptr_t)p;
    return low == 0 || low > 256 ? 256 : (unsigned)low;
}

static bool run(struct Ask *q, const struct Pointers *at)
{
    const float one = 1;
    q->align_a = alignment(at->a), q->align_b = alignment(at->b);
    q->align_c = alignment(at->c), q->align_o = alignment(at->out);
    struct Plan *p = plan_for(q);
    if (!backend_ok(NULL))
        return true;                    /* the failure is kept */
    if (p->none)
        return false;
    /* set the pointers of bias and of the second matrix */
    if (at->bias)
        set(p->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &at->bias,
            sizeof at->bias);
    if (at->aux)
        set(p->desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &at->aux,
            sizeof at->aux);
    /* multiply, or say which matmul failed */
    const cublasStatus_t s = cublasLtMatmul(library()->handle, p->desc, &one,
                                            at->a, p->a, at->b, p->b, &q->beta,
                                            at->c, p->c, at->out, p->out,
                                            &p->algo, library()->workspace,
                                            WORKSPACE, backend_stream());
    if (s != CUBLAS_STATUS_SUCCESS)
        backend_failed("cuBLASLt: product of %d x %d x %d, epilogue %d, "
                       "transposed %d %d: %s", q->n, q->m, q->k, q->epilogue,
                       q->tb, q->ta, cublasLtGetStatusString(s));
    return true;
}

/* multiply bf16 by cuBLASLt */
struct CublasltExperiment cublaslt_experiment;

/* choose the library's epilogue */
static int epilogue_of(const struct MatmulBf16 *p)
{
    if (cublaslt_experiment.sums)
        return p->epilogue ? CUBLASLT_EPILOGUE_DGELU_BGRAD
                           : CUBLASLT_EPILOGUE_BGRADA;
    if (p->epilogue == EPI_GELU)
        return CUBLASLT_EPILOGUE_GELU
             | (p->pre ? CUBLASLT_EPILOGUE_GELU_AUX : 0)
             | (p->bias ? CUBLASLT_EPILOGUE_BIAS : 0);
    if (p->epilogue == EPI_DGELU)
        return CUBLASLT_EPILOGUE_DGELU;
    return p->bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

bool matmul_bf16_cublaslt(const struct MatmulBf16 *p)
{
    struct Ask q;
    const struct CublasltExperiment *e = &cublaslt_experiment;
    const struct Pointers at = { p->b, p->a, p->add ? p->add : p->out,
        e->sums ? (const void *)e->sums : p->bias, p->pre, p->out };
    if (p->K == 0)
        return false;
    memset(&q, 0, sizeof q);
    /* describe the matmul with its operands exchanged */
    q.m = p->N, q.n = p->M, q.k = p->K;
    q.ta = (p->flags & GEMM_TB) != 0;
    q.tb = (p->flags & GEMM_TA) != 0;
    q.in = CUDA_R_16BF;
    q.out = p->out_float ? CUDA_R_32F : CUDA_R_16BF;
    q.compute = CUBLAS_COMPUTE_32F;
    q.epilogue = epilogue_of(p);
    q.lda = p->ldb, q.ldb = p->lda, q.ldc = q.ldo = p->ldo;
    q.ldaux = p->pre ? p->ldo : 0;
    q.beta = p->add || p->flags & GEMM_ADD ? 1 : 0;
    q.candidate = e->candidate;
    return run(&q, &at);
}

/* multiply fp32 by cuBLASLt */
static bool gemm_by(const struct Gemm *g, cublasComputeType_t compute)
{
    struct Ask q;
    const struct Pointers at = { g->b, g->a, g->c, g->bias, NULL, g->c };
    if (g->K == 0)
        return false;
    memset(&q, 0, sizeof q);
    /* describe the fp32 matmul with its operands exchanged */
    q.m = g->N, q.n = g->M, q.k = g->K;
    q.ta = (g->flags & GEMM_TB) != 0;
    q.tb = (g->flags & GEMM_TA) != 0;
    q.in = q.out = CUDA_R_32F;
    q.compute = compute;
    q.epilogue = g->bias ? CUBLASLT_EPILOGUE_BIAS
                         : CUBLASLT_EPILOGUE_DEFAULT;
    q.lda = g->ldb, q.ldb = g->lda, q.ldc = q.ldo = g->ldc;
    q.beta = g->flags & GEMM_ADD ? 1 : 0;
    return run(&q, &at);
}

bool gemm_cublaslt(const struct Gemm *g)
{
    return gemm_by(g, CUBLAS_COMPUTE_32F);
}

bool gemm_cublaslt_tf32(const struct Gemm *g)
{
    return gemm_by(g, CUBLAS_COMPUTE_32F_FAST_TF32);
}
