/* Tangled from chapters/workshop/measuring-tensor-cores.nw, "How the operator starts a kernel".  Edit it there. */

/* Matmuls by TMA and wgmma, with their epilogues. */
#include "backend/backend.h"
#include "ops/linear/bias_grad_bf16.h"
#include "ops/matmul/hopper_tiles.cuh"
#include "ops/matmul/matmul_impls.h"

/* hopper: allocate the parts of deep matmuls */
/* Kept for each device; the counters in front are zero between calls. */
static void *parts(void)
{
    static void *kept[MOST_DEVICES];
    void **mine = &kept[backend_device()];
    if (!*mine) {
        *mine = backend_alloc(TILE_PARTS, "parts of matrix products");
        if (*mine)
            CUDA_TRY(cudaMemsetAsync(*mine, 0, TILE_COUNTERS,
                                     backend_stream()));
    }
    return *mine;
}

/* hopper: run a kind of tile */
template <class T> static bool run(const struct MatmulBf16 *p)
{
    TileJob j = tile_job<T>(p);
    const bool sums = T::OUTPUT == OUT_DGELU && p->bias_grad;
    if (T::OUTPUT == OUT_FLOAT && tiles_uneven<T>(j))
        tiles_in_parts<T>(&j, parts());
    if (sums)
        j.sums = (float *)backend_scratch((size_t)j.rows * p->N
                                          * sizeof(float));
    if (!backend_ok(NULL))
        return true;                    /* the failure is kept */
    launch_tiles<T>(matmul_hopper_kernel<T>, 3 * GROUP, j, 0,
                    backend_stream());
    if (sums) {
        struct Parts q = {};
        q.sum[0] = p->bias_grad;
        q.part = j.sums, q.sums = 1, q.parts = j.rows;
        sum_parts(&q, p->N, p->accumulate_bias);
    }
    return true;
}

/* hopper: name the kinds of tiles */
/* operands, BLOCKS, BN, TURNS, CLUSTER, STAGES, BUFFERS, output */
typedef Tiles<0, 1, 2, 192, 1, 1, 4, 4, OUT_PLAIN> Forward;
typedef Tiles<0, 1, 2, 192, 1, 1, 4, 4, OUT_GELU> ForwardGelu;
typedef Tiles<0, 1, 2, 192, 1, 1, 4, 4, OUT_ADD> ForwardAdd;
typedef Tiles<0, 0, 2, 192, 1, 1, 4, 4, OUT_PLAIN> Backward;
typedef Tiles<0, 0, 2, 128, 1, 1, 5, 4, OUT_DGELU> BackwardGelu;
typedef Tiles<0, 1, 2, 192, 0, 2, 3, 2, OUT_PLAIN> DeepForward;
typedef Tiles<0, 1, 2, 192, 0, 2, 3, 2, OUT_ADD> DeepForwardAdd;
typedef Tiles<0, 0, 2, 192, 0, 2, 3, 2, OUT_PLAIN> DeepBackward;
typedef Tiles<1, 1, 2, 192, 0, 2, 4, 1, OUT_FLOAT> Weights;

/* hopper: choose a kind by the operands */
template <class Shallow, class Deep>
static bool run_by_depth(const struct MatmulBf16 *p)
{
    return p->K < 2048 ? run<Shallow>(p) : run<Deep>(p);
}

bool matmul_bf16_hopper(const struct MatmulBf16 *p)
{
    const int operands = p->flags & (GEMM_TA | GEMM_TB);
    if (p->K == 0 || !tiles_aligned(p) || !is_hopper())
        return false;
    if (operands == GEMM_TA && p->out_float)
        return run<Weights>(p);
    if (p->out_float || operands & GEMM_TA)
        return false;
    if (operands == GEMM_TB)
        return p->epilogue == EPI_DGELU ? run<BackwardGelu>(p)
             : p->epilogue || p->add ? false
             : run_by_depth<Backward, DeepBackward>(p);
    return p->epilogue == EPI_GELU ? run<ForwardGelu>(p)
         : p->epilogue ? false
         : p->add ? run_by_depth<ForwardAdd, DeepForwardAdd>(p)
         : run_by_depth<Forward, DeepForward>(p);
}
