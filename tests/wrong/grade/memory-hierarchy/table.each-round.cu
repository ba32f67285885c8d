// says: sectors read .*over
__global__ void look_up(float *y, const unsigned char *x,
                        const float *table, int n)
{
    __shared__ float s[256];
    int first = blockIdx.x * 2048 + threadIdx.x;
    for (int k = 0; k < 2048; k += 256) {
        s[threadIdx.x] = table[threadIdx.x];
        __syncthreads();
        if (first + k < n)
            y[first + k] = s[x[first + k]];
        __syncthreads();
    }
}
