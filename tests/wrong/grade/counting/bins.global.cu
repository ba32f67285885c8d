// says: uninitialised|bytes of atomic operations .*over
__global__ void bins(int *y, const int *bin, const int *w, int n)
{
    int t = threadIdx.x;
    if (t < 8)
        y[t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += 256)
        atomicAdd(&y[bin[i]], w[i]);
}
