// race: the leader's ticket goes through shared memory, and a vote is no sync
#include "wrong.h"

__global__ void filter(float *y, int *count, const float *x)
{
    __shared__ int base[2];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    bool keep = (int)x[t] % 3 == 0;
    unsigned kept = __ballot_sync(0xffffffff, keep);
    if (lane == 0)
        base[warp] = atomicAdd(count, __popc(kept));    // OTHER
#ifdef RIGHT
    __syncwarp();
#else
    __any_sync(0xffffffff, keep);
#endif
    if (keep)
        y[base[warp] + __popc(kept & ((1u << lane) - 1))] = x[t];   // HERE
}

int main()
{
    float *x = numbers<float>(64), *y = zeroes<float>(64);
    int *count = zeroes<int>(1);
    filter<<<1, 64>>>(y, count, x);
    finish();
    cudaFree(x);
    cudaFree(y);
    cudaFree(count);
}
