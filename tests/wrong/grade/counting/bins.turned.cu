// says: wavefronts of shared memory .*over
__global__ void bins(int *y, const int *bin, const int *w, int n)
{
    __shared__ int s[32][8];
    int t = threadIdx.x, lane = t % 32;
    s[lane][t / 32] = 0;
    __syncthreads();
    for (int i = t; i < n; i += 256)
        atomicAdd(&s[lane][bin[i]], w[i]);
    __syncthreads();
    int v = s[lane][t / 32];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (lane == 0)
        y[t / 32] = v;
}
