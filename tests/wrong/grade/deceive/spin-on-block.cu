// says: it did not end
__device__ volatile int flag;
__global__ void add(float *z, const float *x, const float *y, int n)
{
    if (blockIdx.x == 0)
        while (flag == 0)
            ;
    else
        flag = 1;
}
