// says: barrier: thread
__global__ void add(float *z, const float *x, const float *y, int n)
{
    if (threadIdx.x == 0)
        for (;;)
            __syncthreads();
    __syncthreads();
}
