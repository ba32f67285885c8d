// says: q\[[0-9]+\] is .*expected
__global__ void quantize(signed char *q, float *a, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0, most = fabsf(v);
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
    if (i >= n)
        return;
    float scale = 127.0f / most;
    q[i] = most == 0 ? 1 : __float2int_rn(v * scale);
    if (i % 32 == 0)
        a[i / 32] = most;
}
