/* Tangled from chapters/course/reduction-solutions.nw, "The largest number, and where it is".  Edit it there. */

__device__ long long max_of_warp(long long key)
{
    for (int d = 16; d > 0; d /= 2) {
        long long other = __shfl_down_sync(0xffffffff, key, d);
        key = other > key ? other : key;
    }
    return key;
}

__global__ void argmax(int *y, const int *x, int n)
{
    const long long least = -0x7fffffffffffffff;
    __shared__ long long s[8];
    int t = threadIdx.x;
    long long best = least;
    for (int i = t; i < n; i += 256) {
        long long key = x[i] * 0x100000000 + (0xffffffff - i);
        best = key > best ? key : best;
    }
    best = max_of_warp(best);
    if (t % 32 == 0)
        s[t / 32] = best;
    __syncthreads();
    if (t < 32) {
        best = max_of_warp(t < 8 ? s[t] : least);
        if (t == 0) {
            y[0] = best >> 32;
            y[1] = ~(int)best;
        }
    }
}
