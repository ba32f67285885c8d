// says: sectors read .*over
__global__ void chain(float *y, const float *x, const float *b,
                      const float *r, int n, int d)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    volatile float *at = y + i;
    *at = x[i] + b[i % d];
    *at = fmaxf(*at, 0);
    *at = *at + r[i];
}
