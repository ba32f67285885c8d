// says: barriers .*over
__global__ void smooth(int *x, int steps)
{
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = x[i];
    __syncthreads();
    for (int k = 0; k < steps; k++) {
        int v = (s[t] + s[(t + 1) % 256]) % 1009;
        __syncthreads();
        s[t] = v;
        __syncthreads();
    }
    x[i] = s[t];
}
