/* Tangled from chapters/workshop/measuring-tensor-cores.nw, "The ladder".  Edit it there. */

#include "ladder/tensor_cores.h"
#include "ops/matmul/hopper_tiles.cuh"

namespace {

/* version 2: one warpgroup */
template <class T>
__global__ void __launch_bounds__(GROUP)
one_group(const __grid_constant__ TileJob j)
{
#if __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(1024) unsigned char tile_memory[];
    TileMemory<T> &s = *(TileMemory<T> *)tile_memory;
    const TilePlace at = place_in_team(s, 0);
    float sum[T::BLOCKS][T::BN / 2];
    TileWork w;
    Ring r = { 0, 0 };
    set_up(s);
    work_at<T>(j, 0, &w);
    keep_bias<T>(s, j, at, w.n);
    if (threadIdx.x == 0)
        load_stage(s, j, w, 0, 0, 0);
    for (int k = 0; k < w.steps; k++, advance<T::STAGES>(r)) {
        if (threadIdx.x == 0 && k + 1 < w.steps)
            load_stage(s, j, w, r.stage ^ 1, (k + 1) * DEEP, 0);
        mbarrier_wait(&s.full[r.stage], r.parity);
        /* multiply this stage, and wait for it */
        start_steps<T, 0, DEEP / 16>(sum, at.a + r.stage * (T::A_BYTES / 16),
                                     at.b + r.stage * (T::B_BYTES / 16), k == 0);
        wgmma_wait<0>();
        hold_sums<T>(sum);
        __syncthreads();                /* the stage may be overwritten */
    }
    write_direct(s, sum, j, at, w);
#endif
}

}

/* tensor cores: run a version */
/* once: not persistent, a cluster for each tile */
template <class T> static bool
run_tiles(const struct MatmulBf16 *p, void *room, bool once, bool parts)
{
    if (!tiles_aligned(p) || !is_hopper())
        return false;
    TileJob j = tile_job<T>(p);
    if (parts && !tiles_divide<T>(j))
        return false;
    if (parts)
        tiles_in_parts<T>(&j, room);
    launch_tiles<T>(matmul_hopper_kernel<T>, 3 * GROUP, j,
                    once ? j.tiles : 0, 0);
    return true;
}

template <class T>
static bool run_group(const struct MatmulBf16 *p)
{
    if (!tiles_aligned(p) || !is_hopper())
        return false;
    const TileJob j = tile_job<T>(p);
    launch_tiles<T>(one_group<T>, GROUP, j, j.tiles, 0);
    return true;
}

/* tensor cores: list the versions */
/* A function for a version of bf16 results: forward, and with GEMM_TB. */
#define VERSION(name, once, ...)                                         \
static bool name(const struct MatmulBf16 *p, void *room)                 \
{                                                                        \
    return p->flags & GEMM_TA || p->out_float ? false                    \
        : p->flags & GEMM_TB                                             \
        ? run_tiles<Tiles<0, 0, __VA_ARGS__>>(p, room, once, false)      \
        : run_tiles<Tiles<0, 1, __VA_ARGS__>>(p, room, once, false);     \
}
/* BLOCKS, BN, TURNS, CLUSTER, STAGES, BUFFERS, output */
VERSION(v3, true, 1, 192, 0, 1, 4, 1, OUT_DIRECT)
VERSION(v4, false, 1, 192, 0, 1, 4, 1, OUT_DIRECT)
VERSION(v5, false, 1, 192, 0, 2, 4, 1, OUT_DIRECT)
VERSION(v6, false, 2, 192, 1, 1, 4, 1, OUT_DIRECT)
VERSION(v7, false, 2, 192, 1, 1, 4, 4, OUT_PLAIN)

static bool v2(const struct MatmulBf16 *p, void *)
{
    return p->flags & GEMM_TA || p->out_float ? false
        : p->flags & GEMM_TB
        ? run_group<Tiles<0, 0, 2, 128, 1, 1, 2, 1, OUT_DIRECT>>(p)
        : run_group<Tiles<0, 1, 2, 128, 1, 1, 2, 1, OUT_DIRECT>>(p);
}

typedef Tiles<1, 1, 2, 192, 0, 2, 4, 1, OUT_FLOAT> Deep;

static bool whole(const struct MatmulBf16 *p, void *room)
{
    return (p->flags & (GEMM_TA | GEMM_TB)) == GEMM_TA && p->out_float
        && run_tiles<Deep>(p, room, false, false);
}

static bool v8(const struct MatmulBf16 *p, void *room)
{
    return (p->flags & (GEMM_TA | GEMM_TB)) == GEMM_TA && p->out_float
        && run_tiles<Deep>(p, room, false, true);
}

const struct TensorMatmul *tensor_matmuls(void)
{
    static const struct TensorMatmul ladder[] = {
        { "v2", v2 }, { "v3", v3 }, { "v4", v4 }, { "v5", v5 },
        { "v6", v6 }, { "v7", v7 }, { "whole", whole }, { "v8", v8 },
        { NULL, NULL },
    };
    return ladder;
}

size_t tensor_room(void)
{
    return TILE_PARTS;
}

template <class T, bool apart>
static bool eight(const struct MatmulE4m3 *p, void *room)
{
    struct MatmulBf16 q = {};
    typedef Eight<T, apart> Tile;
    q.M = p->M, q.N = p->N, q.K = p->K / 2;
    q.a = (const bf16 *)p->a, q.b = (const bf16 *)p->b;
    q.lda = q.ldb = q.K, q.ldo = q.N;
    q.out = p->out, q.out_float = p->out_float;
    if (p->K % 16 || !tiles_aligned(&q) || !is_hopper())
        return false;
    TileJob j = tile_job<Tile>(&q);
    j.scale_a = p->scale_a, j.scale_b = p->scale_b;
    if (T::OUTPUT == OUT_FLOAT && tiles_uneven<Tile>(j))
        tiles_in_parts<Tile>(&j, room);
    launch_tiles<Tile>(matmul_hopper_kernel<Tile>, 3 * GROUP, j, 0, 0);
    return true;
}

static bool fast(const struct MatmulE4m3 *p, void *room)
{
    typedef Tiles<0, 0, 2, 192, 1, 2, 4, 4, OUT_PLAIN> Shallow;
    typedef Tiles<0, 0, 2, 192, 0, 2, 3, 2, OUT_PLAIN> Deep;
    typedef Tiles<0, 0, 2, 192, 0, 2, 4, 1, OUT_FLOAT> Weights;
    return p->out_float ? eight<Weights, false>(p, room)
         : p->K < 2048 ? eight<Shallow, false>(p, room)
         : eight<Deep, false>(p, room);
}

static bool apart(const struct MatmulE4m3 *p, void *room)
{
    typedef Tiles<0, 0, 1, 192, 0, 2, 4, 4, OUT_PLAIN> Forward;
    typedef Tiles<0, 0, 1, 192, 0, 2, 5, 1, OUT_FLOAT> Weights;
    return p->out_float ? eight<Weights, true>(p, room)
         : eight<Forward, true>(p, room);
}

const struct TensorE4m3 *tensor_e4m3(void)
{
    static const struct TensorE4m3 ladder[] = {
        { "fast", fast }, { "apart", apart }, { NULL, NULL },
    };
    return ladder;
}
