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
