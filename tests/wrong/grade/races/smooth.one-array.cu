// says: race: 
__global__ void smooth(int *x, int steps)
{
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, v = x[i];
    for (int k = 0; k < steps; k++) {
        s[t] = v;
        __syncthreads();
        v = (v + s[(t + 1) % 256]) % 1009;
    }
    x[i] = v;
}
