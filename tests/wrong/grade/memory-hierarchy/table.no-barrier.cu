// says: uninitialised: 
__global__ void look_up(float *y, const unsigned char *x,
                        const float *table, int n)
{
    __shared__ float s[256];
    s[threadIdx.x] = table[threadIdx.x];
    int first = blockIdx.x * 2048 + threadIdx.x;
    for (int i = first; i < first + 2048 && i < n; i += 256)
        y[i] = s[x[i]];
}
