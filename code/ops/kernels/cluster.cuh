/* Tangled from chapters/workshop/measuring-tensor-cores.nw, "Clusters".  Edit it there. */

/* cluster.cuh: instructions of sm_90a for clusters of blocks, and for
 * a wgmma of 192 columns.  The others are in hopper.cuh. */
#ifndef OPS_KERNELS_CLUSTER_CUH
#define OPS_KERNELS_CLUSTER_CUH

#include "ops/kernels/hopper.cuh"

/* find a block's rank in its cluster */
DEVICE_INLINE int cluster_rank()
{
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return (int)rank;
}

/* wait for all blocks of a cluster */
/* All threads of all blocks. */
DEVICE_INLINE void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release;\n"
                 "barrier.cluster.wait.acquire;" ::: "memory");
}

/* arrive at a barrier of the cluster */
/* Arrive at the barrier of block `rank` of the cluster.  No fence of the
 * whole cluster: it would cost more than a stage. */
DEVICE_INLINE void mbarrier_arrive_at(uint64_t *bar, int rank)
{
    asm volatile("{\n.reg .b32 there;\n"
        "mapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
        "}" :: "r"(shared_address(bar)), "r"(rank) : "memory");
}

/* load a box into both blocks */
/* The box of `map` at (x, y, z) into the shared memory of several blocks
 * of the cluster, a bit for each, at the same place; its bytes count on
 * the barrier of each. */
DEVICE_INLINE void tma_load_multicast(void *to, const CUtensorMap *map,
                                      uint64_t *bar, int x, int y, int z,
                                      uint16_t blocks)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%3, %4, %5}], [%2], %6;"
                 :: "r"(shared_address(to)), "l"(map),
                    "r"(shared_address(bar)), "r"(x), "r"(y), "r"(z),
                    "h"(blocks) : "memory");
}

/* arrive at a named barrier */
/* Without waiting: barrier `id` of `threads` threads. */
DEVICE_INLINE void named_barrier_arrive(int id, int threads)
{
    asm volatile("bar.arrive %0, %1;" :: "r"(id), "r"(threads) : "memory");
}

/* count in global memory */
DEVICE_INLINE unsigned load_acquire(const unsigned *p)
{
    unsigned x;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                 : "=r"(x) : "l"(p) : "memory");
    return x;
}

/* Returns the old value. */
DEVICE_INLINE unsigned add_release(unsigned *p, unsigned x)
{
    unsigned old;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
                 : "=r"(old) : "l"(p), "r"(x) : "memory");
    return old;
}

/* multiply by 192 columns */
#define WGMMA_LIST96 WGMMA_LIST64 ", "                                   \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, "  \
    "%77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, "  \
    "%90, %91, %92, %93, %94, %95"
#define WGMMA_SUMS96(d, i)  WGMMA_SUMS64(d, i), WGMMA_SUMS32(d, i + 64)

WGMMA_SHARED(192, 96, "%96", "%97", "%98", "%99", "%100")

/* multiply 8 bits by 192 columns */
/* d[64][N] = a[64][32] b[32][N], plus d if add: e4m3, fp32 sums; a is
 * stored [64][32], b [N][32].  The rest is as for bf16. */
#define WGMMA_E4M3(N, SIZE, A, B, ADD)                                   \
DEVICE_INLINE void                                                       \
wgmma_e4m3_n##N(float (&d)[SIZE], uint64_t a, uint64_t b, int add)       \
{                                                                        \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " ADD ", 0;\n"        \
        "wgmma.mma_async.sync.aligned.m64n" #N "k32.f32.e4m3.e4m3 {"     \
        WGMMA_LIST##SIZE "}, " A ", " B ", p, 1, 1;\n}"                  \
        : WGMMA_SUMS##SIZE(d, 0) : "l"(a), "l"(b), "r"(add));            \
}
WGMMA_E4M3(192, 96, "%96", "%97", "%98")

#endif
