// says: sectors read .*over
__global__ void quantize(signed char *q, float *a, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, first = i / 32 * 32;
    if (i >= n)
        return;
    float most = 0.0f;
    for (int k = first; k < first + 32 && k < n; k++)
        most = fmaxf(most, fabsf(x[k]));
    float scale = most > 0 ? 127.0f / most : 0;
    q[i] = __float2int_rn(x[i] * scale);
    if (i == first)
        a[i / 32] = most;
}
