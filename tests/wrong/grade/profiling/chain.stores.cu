// says: sectors written .*over
__global__ void chain(float *y, const float *x, const float *b,
                      const float *r, int n, int d)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        float v = fmaxf(x[i] + b[i % d], 0);
        *(volatile float *)&y[i] = v;
        y[i] = v + r[i];
    }
}
