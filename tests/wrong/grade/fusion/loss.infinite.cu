// says: loss\[[0-9]+\] is .*expected
__global__ void loss(float *loss, const float *x, const int *target, int c)
{
    const float *row = &x[blockIdx.x * c];
    float m = -__int_as_float(0x7f800000), sum = 0;
    for (int i = threadIdx.x; i < c; i += 32) {
        float v = row[i], higher = fmaxf(m, v);
        sum = sum * __expf(m - higher) + __expf(v - higher);
        m = higher;
    }
    for (int d = 16; d > 0; d /= 2) {
        float higher = fmaxf(m, __shfl_xor_sync(0xffffffff, m, d));
        sum *= __expf(m - higher);
        sum += __shfl_xor_sync(0xffffffff, sum, d);
        m = higher;
    }
    if (threadIdx.x == 0)
        loss[blockIdx.x] = m + __logf(sum) - row[target[blockIdx.x]];
}
