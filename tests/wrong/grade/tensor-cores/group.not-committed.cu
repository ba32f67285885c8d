// says: Wait for its group first
/* the functions of tensor-cores/group */
// the descriptor of a matrix of rows of 128 bytes in the 128-byte swizzle
__device__ unsigned long long matrix(const void *p)
{
    unsigned long long at = __cvta_generic_to_shared(p);
    return at / 16 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

__device__ void fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}


__device__ void begin()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// 64 rows of 16 times 8 rows of 16, transposed; added to d, or stored
__device__ void multiply(float d[4], unsigned long long a,
                         unsigned long long b, int add)
{
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %6, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;\n}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "l"(a), "l"(b), "r"(add) : "memory");
}

__device__ void commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

__device__ void wait()
{
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__global__ void product(float *c, const uint4 *a, const uint4 *b)
{
    __shared__ __align__(1024) uint4 as[64 * 8], bs[8 * 8];
    int t = threadIdx.x;
    for (int i = t; i < 512; i += 128)
        as[i ^ i / 8 % 8] = a[512 * blockIdx.x + i];
    if (t < 64)
        bs[t ^ t / 8 % 8] = b[64 * blockIdx.x + t];
    fence();
    __syncthreads();
    float d[4] = { 0 };
    begin();
    for (int k = 0; k < 4; k++)
        multiply(d, matrix(as) + 2 * k, matrix(bs) + 2 * k, k > 0);
    wait();
    commit();
    int row = t / 32 * 16 + t % 32 / 4, pair = t % 4;
    float2 *to = (float2 *)(c + 512 * blockIdx.x);
    to[row * 4 + pair] = make_float2(d[0], d[1]);
    to[(row + 8) * 4 + pair] = make_float2(d[2], d[3]);
}
