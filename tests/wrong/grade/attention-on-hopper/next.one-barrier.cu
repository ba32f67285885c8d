// says: race: 
__global__ void persistent(float *y, unsigned *taken, const float *x,
                           int all, int n)
{
    __shared__ int tile;
    if (threadIdx.x == 0)
        tile = blockIdx.x;
    while (true) {
        __syncthreads();
        int now = tile;
        if (now >= all)
            break;
        int i = 128 * now + threadIdx.x;
        if (i < n)
            y[i] = x[i] * x[i];
        if (threadIdx.x == 0)
            tile = gridDim.x + atomicInc(taken, all - 1);
    }
}
