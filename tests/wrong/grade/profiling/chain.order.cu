// says: elements are wrong
__global__ void chain(float *y, const float *x, const float *b,
                      const float *r, int n, int d)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = fmaxf(x[i] + b[i % d] + r[i], 0);
}
