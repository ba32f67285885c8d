/* Tangled from chapters/workshop/measuring-a-gpu.nw, "bandwidth: how fast each level delivers".  Edit it there. */

/* A kernel that reads, and does nothing else. */
#ifndef BENCH_READ_ONCE_CUH
#define BENCH_READ_ONCE_CUH

/* keep what was read */
__device__ static void mix(uint4 *any, const uint4 *v)
{
    any->x ^= v[0].x ^ v[1].x ^ v[2].x ^ v[3].x;
    any->y ^= v[0].y ^ v[1].y ^ v[2].y ^ v[3].y;
    any->z ^= v[0].z ^ v[1].z ^ v[2].z ^ v[3].z;
    any->w ^= v[0].w ^ v[1].w ^ v[2].w ^ v[3].w;
}

/* No sum of random numbers is exactly this: the test keeps the loads. */
__device__ static void keep(uint4 *sink, uint4 any)
{
    if (any.x == 1 && any.y == 2 && any.z == 3 && any.w == 4)
        *sink = any;
}

/* read a block once */
/* All of x[0..n). */
__global__ void read_once(uint4 *sink, const uint4 *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t all = (size_t)gridDim.x * blockDim.x;
    uint4 any = { 0, 0, 0, 0 };
    for (; i + 3 * all < n; i += 4 * all) {
        uint4 v[4];
        for (int k = 0; k < 4; k++)
            v[k] = x[i + k * all];
        mix(&any, v);
    }
    for (; i < n; i += all) {
        const uint4 v[4] = { x[i] };
        mix(&any, v);
    }
    keep(sink, any);
}

#endif
