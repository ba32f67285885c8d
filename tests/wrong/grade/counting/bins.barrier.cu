// says: race: 
__global__ void bins(int *y, const int *bin, const int *w, int n)
{
    __shared__ int s[8][32];
    int t = threadIdx.x, lane = t % 32;
    s[t / 32][lane] = 0;
    __syncthreads();
    for (int i = t; i < n; i += 256)
        atomicAdd(&s[bin[i]][lane], w[i]);
    int v = s[t / 32][lane];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (lane == 0)
        y[t / 32] = v;
}
