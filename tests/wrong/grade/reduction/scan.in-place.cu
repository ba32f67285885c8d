// says: race: 
__global__ void scan(int *y, const int *x, int n)
{
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        if (t >= d)
            s[t] += s[t - d];
        __syncthreads();
    }
    if (i < n)
        y[i] = s[t];
}
