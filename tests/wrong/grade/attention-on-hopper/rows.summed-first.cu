// says: sum.*elements are wrong
__global__ void softmax(float *most, float *sum, const float *s, int n)
{
    int piece = blockIdx.x * 4 + threadIdx.x / 32;
    int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    if (piece >= n)
        return;
    float x[16], top[2] = { -INFINITY, -INFINITY }, total[2] = { 0, 0 };
    for (int i = 0; i < 16; i += 2) {
        int h = i / 2 % 2, row = g + 8 * h, column = i / 4 * 8 + 2 * t;
        float2 v = *(const float2 *)(s + (piece * 16 + row) * 32 + column);
        x[i] = v.x;
        x[i + 1] = v.y;
        top[h] = fmaxf(top[h], fmaxf(v.x, v.y));
    }
    for (int i = 0; i < 16; i++)
        total[i / 2 % 2] += expf(x[i] - top[i / 2 % 2]);
    for (int h = 0; h < 2; h++)
        for (int d = 1; d < 4; d *= 2)
            top[h] = fmaxf(top[h], __shfl_xor_sync(~0u, top[h], d));
    for (int h = 0; h < 2; h++) {
        for (int d = 1; d < 4; d *= 2)
            total[h] += __shfl_xor_sync(~0u, total[h], d);
        if (t == 0) {
            most[piece * 16 + g + 8 * h] = top[h];
            sum[piece * 16 + g + 8 * h] = total[h];
        }
    }
}
