// says: elements are wrong
// Equal but for the last bits.
__global__ void add(float *z, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = __fmul_rn(x[i] + y[i], 1.0000002f);
}
