// says: part\[[0-9]+\] is 0, expected
__global__ void work(float *y, float *part, const float *x, int tiles,
                     int steps)
{
    for (int i = blockIdx.x; i < tiles; i += gridDim.x) {
        float sum = 0;
        for (int k = 0; k < steps; k++)
            sum += x[32 * (steps * i + k) + threadIdx.x];
        y[32 * i + threadIdx.x] = sum;
    }
}

__global__ void join(float *y, const float *part, int tiles, int steps,
                     int blocks)
{
}
