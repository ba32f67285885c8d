// says: race: |uninitialised
__global__ void smooth(int *x, int steps)
{
    __shared__ int s[2][256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, v = x[i];
    for (int k = 0; k < steps; k++) {
        s[k % 2][t] = v;
        __syncwarp();
        v = (v + s[k % 2][(t + 1) % 256]) % 1009;
    }
    x[i] = v;
}
