// says: elements are wrong
__device__ void order(float &a, float &b)
{
    float low = fminf(a, b);
    b = fmaxf(a, b);
    a = low;
}

__global__ void median(float *y, const float *x, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    float v[5];
#pragma unroll
    for (int k = 0; k < 5; k++)
        v[k] = i + k >= 2 && i + k - 2 < n ? x[i + k - 2] : 0;
#pragma unroll
    for (int top = 4; top >= 2; top--)
#pragma unroll
        for (int k = 0; k < top - 1; k++)
            order(v[k], v[k + 1]);
    y[i] = v[2];
}
