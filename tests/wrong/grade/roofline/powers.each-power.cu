// says: FLOP .*over
__global__ void powers(float *y, const float *x, const float *c, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < 16; k++) {
        float power = 1;
        for (int j = 0; j < k; j++)
            power *= x[i];
        sum += c[k] * power;
    }
    y[i] = sum;
}
