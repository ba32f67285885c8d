// says: race: 
__global__ void smooth(int *x, int steps)
{
    int t = threadIdx.x, *s = x + blockIdx.x * 256;
    for (int k = 0; k < steps; k++) {
        int v = (s[t] + s[(t + 1) % 256]) % 1009;
        __syncthreads();
        s[t] = v;
    }
}
