// says: wavefronts of shared memory .*over
__global__ void bins(int *y, const int *bin, const int *w, int n)
{
    __shared__ int s[8];
    int t = threadIdx.x;
    if (t < 8)
        s[t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += 256)
        atomicAdd(&s[bin[i]], w[i]);
    __syncthreads();
    if (t < 8)
        y[t] = s[t];
}
