// says: waits for ever
/* the functions of attention-on-hopper/load */
__device__ unsigned at(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ void init(unsigned long long *bar, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n"
                 "fence.mbarrier_init.release.cluster;"
                 :: "r"(at(bar)), "r"(arrivals) : "memory");
}

// arrive, and announce bytes that TMA will bring
__device__ void expect(unsigned long long *bar, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 "
                 "_, [%0], %1;" :: "r"(at(bar)), "r"(bytes) : "memory");
}

__device__ void load(void *to, const void *from, int bytes,
                     unsigned long long *bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(at(to)), "l"(from), "r"(bytes), "r"(at(bar))
                 : "memory");
}

__device__ void wait(unsigned long long *bar, int parity)
{
    asm volatile("{\n.reg .pred p;\nagain:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
        "@!p bra again;\n}" :: "r"(at(bar)), "r"(parity) : "memory");
}

__device__ void arrive(unsigned long long *bar)
{
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];"
                 :: "r"(at(bar)) : "memory");
}

__global__ void ring(int *y, const int *x, int tiles)
{
    __shared__ __align__(128) int tile[3][128];
    __shared__ unsigned long long full[3], empty[3];
    int t = (int)threadIdx.x - 32, sum = 0;
    if (threadIdx.x == 0)
        for (int s = 0; s < 3; s++) {
            init(&full[s], 1);
            init(&empty[s], 128);
        }
    __syncthreads();
    if (threadIdx.x == 0)
        for (int k = 0; k < tiles; k++) {
            int s = k % 3;
            wait(&empty[s], k / 3 % 2);
            expect(&full[s], 512);
            load(tile[s], x + 128 * k, 512, &full[s]);
        }
    if (t >= 0) {
        for (int k = 0; k < tiles; k++) {
            int s = k % 3;
            wait(&full[s], k / 3 % 2);
            sum += (k + 1) * tile[s][127 - t];
            arrive(&empty[s]);
        }
        y[t] = sum;
    }
}
