// says: elements are wrong
__global__ void negative(int *y, const float *x, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    unsigned votes = __ballot_sync(0xffffffff, i < n && x[i] < 0);
    if (i % 32 == 0 && i < n)
        y[i / 32] = __ffs(votes) - 1;
}
