/* Tangled from chapters/course/attention-on-hopper-solutions.nw, "Bytes that arrive by themselves".  Edit it there. */

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

__global__ void reverse(float *y, const float *x)
{
    __shared__ __align__(128) float tile[256];
    __shared__ unsigned long long bar;
    int first = 256 * blockIdx.x, t = threadIdx.x;
    if (t == 0)
        init(&bar, 1);
    __syncthreads();
    if (t == 0) {
        expect(&bar, 1024);
        load(tile, x + first, 1024, &bar);
    }
    wait(&bar, 0);
    y[first + t] = tile[255 - t];
}
