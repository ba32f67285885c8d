// says: out of bounds
__global__ void powers(float *y, const float *x, const float *c, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    float v = x[i], sum = c[15];
    for (int k = 14; k >= 0; k--)
        sum = fmaf(sum, v, c[k]);
    y[i] = sum;
}
