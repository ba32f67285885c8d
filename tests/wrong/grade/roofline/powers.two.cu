// says: FLOP .*over
__global__ void powers(float *y, const float *x, const float *c, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i], power = v, sum = c[0];
    for (int k = 1; k < 16; k++) {
        sum = fmaf(power, c[k], sum);
        power *= v;
    }
    y[i] = sum;
}
