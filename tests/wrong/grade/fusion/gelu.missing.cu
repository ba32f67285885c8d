// says: y\[[0-9]+\] is .*expected
__global__ void gelu(float *y, const float *x, const float *bias, int c,
                     int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int k = i; k < i + 4 && k < n; k++)
        y[k] = x[k] + bias[k % c];
}
