// says: bytes of atomic operations .*over
__global__ void total(int *y, int *part, unsigned *done, const int *x,
                      int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        atomicAdd((int *)done, x[i]);
    if (i < n) {
        part[blockIdx.x] = 0;
        __threadfence();
        atomicExch(y, atomicAdd((int *)done, 0));
    }
}
