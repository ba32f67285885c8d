/* Clusters: registers, the barrier, shared memory of other blocks, barriers
 * there, and copies to several blocks. */
#include "hopper.h"
#include <cooperative_groups.h>
#include <stdio.h>

namespace cg = cooperative_groups;

#define REGISTER(name) ({ unsigned x_; \
    asm("mov.u32 %0, %%" name ";" : "=r"(x_)); x_; })

/* y[linear block] = its place, in decimal digits */
__global__ void places(unsigned *y)
{
    unsigned n = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    if (threadIdx.x == 0)
        y[n] = REGISTER("cluster_ctarank") + 10 * REGISTER("cluster_ctaid.x")
             + 100 * REGISTER("cluster_ctaid.y") + 1000 * REGISTER("clusterid.x")
             + 10000 * REGISTER("clusterid.y")
             + 100000 * REGISTER("cluster_nctarank");
}

/* Each block adds up its numbers, and the first those of all. */
__global__ void sums(int *y, const int *x)
{
    __shared__ int sum[64], total;
    cg::cluster_group c = cg::this_cluster();
    const int t = threadIdx.x, n = blockIdx.x * 64 + t;
    sum[t] = x[n];
    if (t == 0)
        total = 0;
    c.sync();
    int next = *c.map_shared_rank(&sum[t], (c.block_rank() + 1) % c.num_blocks());
    atomicAdd(c.map_shared_rank(&total, 0), next);
    c.sync();
    if (c.block_rank() == 0 && t == 0)
        y[blockIdx.x / c.num_blocks()] = total;
}

/* Block 0 waits until every block has arrived at its barrier, and then sends
 * a row to all of them; each gives it on to its right neighbour. */
__global__ void rows(float *y, const __grid_constant__ CUtensorMap map)
{
    __shared__ __align__(128) float row[256], left[256];
    __shared__ uint64_t ready, full, passed;
    const int t = threadIdx.x;
    const unsigned rank = cg::cluster_group::block_rank();
    const unsigned n = cg::cluster_group::num_blocks();
    if (t == 0) {
        PTX("mbarrier.init.shared::cta.b64 [%0], %1;", "r"(at(&ready)), "r"(n));
        PTX("mbarrier.init.shared::cta.b64 [%0], 1;", "r"(at(&full)));
        PTX("mbarrier.init.shared::cta.b64 [%0], 1;", "r"(at(&passed)));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cg::cluster_group::sync();
    if (t == 0) {
        PTX("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;",
            "r"(at(&full)));
        PTX("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;",
            "r"(at(&passed)));
        PTX("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, 0;\n"
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}",
            "r"(at(&ready)));
    }
    if (rank == 0 && t == 0) {
        WAIT(&ready, 0);
        PTX("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
            ".mbarrier::complete_tx::bytes.multicast::cluster "
            "[%0], [%1, {%2, %3}], [%4], %5;", "r"(at(row)), "l"(&map),
            "r"(0), "r"(3), "r"(at(&full)), "h"((unsigned short)((1 << n) - 1)));
    }
    WAIT(&full, 0);
    if (t == 0)
        PTX("{\n.reg .b32 to, bar;\nmapa.shared::cluster.u32 to, %0, %3;\n"
            "mapa.shared::cluster.u32 bar, %1, %3;\n"
            "cp.async.bulk.shared::cluster.shared::cta"
            ".mbarrier::complete_tx::bytes [to], [%2], 1024, [bar];\n}",
            "r"(at(left)), "r"(at(&passed)), "r"(at(row)), "r"((rank + 1) % n));
    WAIT(&passed, 0);
    y[blockIdx.x * 256 + t] = row[t] + 1000 * left[t];
    cg::cluster_group::sync();
}

template <class... P, class... A>
static void launch(dim3 cluster, dim3 grid, int threads,
                   void (*kernel)(P...), A... a)
{
    cudaLaunchAttribute how = {};
    cudaLaunchConfig_t c = {};
    how.id = cudaLaunchAttributeClusterDimension;
    how.val.clusterDim.x = cluster.x;
    how.val.clusterDim.y = cluster.y;
    how.val.clusterDim.z = cluster.z;
    c.gridDim = grid;
    c.blockDim = dim3(threads);
    c.attrs = &how;
    c.numAttrs = 1;
    cudaLaunchKernelEx(&c, kernel, a...);
}

/* A cluster that the kernel declares. */
#define BLOCKS 2
__global__ void __cluster_dims__(BLOCKS, 1, 1) declared(unsigned *y)
{
    unsigned r, n;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    if (threadIdx.x == 0)
        y[blockIdx.x] = r + 10 * n;
}

static int failed;
static void tell(const char *name, int wrong)
{
    printf("%s: %d wrong, %s\n", name, wrong,
           cudaGetErrorString(cudaDeviceSynchronize()));
    failed += wrong != 0;
}

int main()
{
    static unsigned h[1024];
    static float f[1024];
    unsigned *x, *y;
    int wrong = 0;
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&y, sizeof h);
    for (int i = 0; i < 1024; i++)
        h[i] = (unsigned)i;
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);

    launch(dim3(2, 2), dim3(6, 4), 32, places, y);
    cudaMemcpy(h, y, 24 * 4, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < 24; i++) {
        const unsigned bx = i % 6, by = i / 6;
        wrong += h[i] != bx % 2 + 2 * (by % 2) + 10 * (bx % 2)
            + 100 * (by % 2) + 1000 * (bx / 2) + 10000 * (by / 2) + 400000;
    }
    tell("places", wrong);

    launch(dim3(4), dim3(8), 64, sums, (int *)y, (const int *)x);
    cudaMemcpy(h, y, 8, cudaMemcpyDeviceToHost);
    tell("sums", (h[0] != 255 * 256 / 2) + (h[1] != 255 * 256 / 2 + 65536));

    CUtensorMap map;
    cuuint64_t size[] = { 256, 4 }, stride[] = { 1024 };
    cuuint32_t box[] = { 256, 1 }, one[] = { 1, 1 };
    for (int i = 0; i < 1024; i++)
        f[i] = (float)(i % 256 + (i >= 768));
    cudaMemcpy(x, f, sizeof f, cudaMemcpyHostToDevice);
    Encode *encode = encoder();
    wrong = !encode || encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, x, size,
        stride, box, one, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    launch(dim3(4), dim3(4), 256, rows, (float *)y, map);
    cudaMemcpy(f, y, sizeof f, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 1024; i++)
        wrong += !(f[i] == 1001.0f * (float)(i % 256 + 1));
    tell("rows", wrong);

    declared<<<6, 32>>>(y);
    cudaMemcpy(h, y, 24, cudaMemcpyDeviceToHost);
    wrong = 0;
    for (unsigned i = 0; i < 6; i++)
        wrong += h[i] != 20 + i % 2;
    tell("declared", wrong);
    cudaFree(x);
    cudaFree(y);
    return failed;
}
