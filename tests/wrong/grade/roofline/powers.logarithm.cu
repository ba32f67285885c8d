// says: elements are wrong
__global__ void powers(float *y, const float *x, const float *c, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float sum = c[0];
    for (int k = 1; k < 16; k++)
        sum = fmaf(exp2f(k * log2f(x[i])), c[k], sum);
    y[i] = sum;
}
