/* Barriers with phases and bulk copies, in the forms that PTX has: each
 * kernel's result is compared with what it should be. */
#include "hopper.h"
#include <stdio.h>

#define INIT(b, n) PTX("mbarrier.init.shared::cta.b64 [%0], %1;", \
                       "r"(at(b)), "r"(n))
#define READY() asm volatile("fence.mbarrier_init.release.cluster;" \
                             ::: "memory")
#define FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define EXPECT(b, n) PTX("mbarrier.arrive.expect_tx.release.cta" \
    ".shared::cta.b64 _, [%0], %1;", "r"(at(b)), "r"(n))
#define LOAD(to, from, n, b) PTX("cp.async.bulk.shared::cluster.global" \
    ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];", \
    "r"(at(to)), "l"(from), "r"(n), "r"(at(b)))
#define STORE(to, from, n) PTX("cp.async.bulk.global.shared::cta" \
    ".bulk_group [%0], [%1], %2;", "l"(to), "r"(at(from)), "r"(n))
#define COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define READ(n) asm volatile("cp.async.bulk.wait_group.read " #n ";" \
                             ::: "memory")

enum { TILE = 256, STAGES = 3 };

/* y = 2 x: one warp loads, the others compute, one thread stores. */
__global__ void ring(float *y, const float *x, int tiles)
{
    __shared__ __align__(128) float in[STAGES][TILE], out[2][TILE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int t = threadIdx.x - 32;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            INIT(&full[s], 1);
            INIT(&empty[s], TILE);
        }
        READY();
    }
    __syncthreads();
    if (threadIdx.x == 0)
        for (int k = 0; k < tiles; k++) {
            const int s = k % STAGES;
            if (k >= STAGES)
                WAIT(&empty[s], (k / STAGES - 1) & 1);
            EXPECT(&full[s], TILE * 4);
            LOAD(in[s], x + k * TILE, TILE * 4, &full[s]);
        }
    for (int k = 0; t >= 0 && k < tiles; k++) {
        const int s = k % STAGES;
        WAIT(&full[s], k / STAGES & 1);
        const float v = 2 * in[s][t];
        PTX("mbarrier.arrive.shared::cta.b64 _, [%0];", "r"(at(&empty[s])));
        if (t == 0)
            READ(1);
        asm volatile("bar.sync 1, 256;" ::: "memory");
        out[k % 2][t] = v;
        FENCE();
        asm volatile("bar.sync 1, 256;" ::: "memory");
        if (t == 0) {
            STORE(y + k * TILE, out[k % 2], TILE * 4);
            COMMIT();
        }
    }
    if (t == 0)
        READ(0);
}

/* States instead of parities, several arrivals at once, generic addresses;
 * y[t] = the phases that thread t has seen end. */
__global__ void states(int *y)
{
    __shared__ uint64_t bar;
    __shared__ int sum;
    const int t = threadIdx.x;
    uint64_t state;
    uint32_t done, left;
    if (t == 0) {
        sum = 0;
        INIT(&bar, 96);
    }
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        atomicAdd(&sum, 1);
        if (t < 32)
            asm volatile("mbarrier.arrive.release.cta.b64 %0, [%1], 2;"
                         : "=l"(state) : "l"(&bar) : "memory");
        else
            asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                         : "=l"(state) : "r"(at(&bar)) : "memory");
        asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(left) : "l"(state));
        if (left == 0 || left > 96)
            return;
        do
            asm volatile("{\n.reg .pred p;\n"
                "mbarrier.test_wait.shared::cta.b64 p, [%1], %2;\n"
                "selp.u32 %0, 1, 0, p;\n}" : "=r"(done)
                : "r"(at(&bar)), "l"(state) : "memory");
        while (!done);
        y[t] += *(volatile int *)&sum >= 64 * (k + 1);
        __syncthreads();
    }
}

/* Sums into global and into shared memory; a barrier for cp.async.  A sum
 * into shared memory needs a cluster, here of one block. */
__global__ void sums(int *y, const int *x)
{
    __shared__ __align__(128) int a[64], b[64];
    __shared__ uint64_t bar, full;
    const int t = threadIdx.x;
    if (t == 0) {
        INIT(&bar, 64);
        INIT(&full, 1);
        READY();
    }
    __syncthreads();
    PTX("cp.async.ca.shared.global [%0], [%1], 4;", "r"(at(&a[t])),
        "l"(x + t));
    PTX("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];", "r"(at(&bar)));
    WAIT(&bar, 0);
    a[t] += 1000;
    b[t] = t;
    FENCE();
    __syncthreads();
    if (t == 0) {
        EXPECT(&full, 256);
        PTX("cp.reduce.async.bulk.shared::cluster.shared::cta"
            ".mbarrier::complete_tx::bytes.add.s32 [%0], [%1], 256, [%2];",
            "r"(at(b)), "r"(at(a)), "r"(at(&full)));
        WAIT(&full, 0);
        PTX("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 "
            "[%0], [%1], 256;", "l"(y), "r"(at(b)));
        COMMIT();
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

static int failed;
static void tell(const char *name, int wrong)
{
    printf("%s: %d wrong, %s\n", name, wrong,
           cudaGetErrorString(cudaDeviceSynchronize()));
    failed += wrong != 0;
}

int main(int argc, char **)
{
    enum { TILES = 10, N = TILES * TILE };
    static float h[N];
    static int g[64];
    float *x, *y;
    int *p, *q, wrong = 0;
    for (int i = 0; i < N; i++)
        h[i] = (float)i;
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&y, sizeof h);
    cudaMalloc(&p, sizeof g);
    cudaMalloc(&q, sizeof g);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(y, 0xff, sizeof h);
    ring<<<1, 32 + TILE>>>(y, x, TILES);
    cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += !(h[i] == 2.0f * (float)i);
    tell("ring", wrong);

    cudaMemset(p, 0, sizeof g);
    states<<<1, 64>>>(p);
    cudaMemcpy(g, p, sizeof g, cudaMemcpyDeviceToHost);
    wrong = 0;
    for (int i = 0; i < 64; i++)
        wrong += g[i] != 3;
    tell("states", wrong);

    for (int i = 0; i < 64; i++)
        g[i] = i % 2 ? 5000 : -1;
    cudaMemcpy(p, g, sizeof g, cudaMemcpyHostToDevice);
    for (int i = 0; i < 64; i++)
        g[i] = 10 * i;
    cudaMemcpy(q, g, sizeof g, cudaMemcpyHostToDevice);
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute cluster[1];
    cluster[0].id = cudaLaunchAttributeClusterDimension;
    cluster[0].val.clusterDim.x = cluster[0].val.clusterDim.y =
        cluster[0].val.clusterDim.z = 1;
    config.gridDim = dim3(1);
    config.blockDim = dim3(64);
    if (argc == 1) {            /* with a word: without a cluster */
        config.attrs = cluster;
        config.numAttrs = 1;
    }
    cudaLaunchKernelEx(&config, sums, p, (const int *)q);
    cudaMemcpy(g, p, sizeof g, cudaMemcpyDeviceToHost);
    wrong = 0;
    for (int i = 0; i < 64; i++)
        wrong += g[i] != (i % 2 ? 5000 : 11 * i + 1000);
    tell("sums", wrong);
    cudaFree(x);
    cudaFree(y);
    cudaFree(p);
    cudaFree(q);
    return failed;
}
