// says: FLOP .*over
__global__ void back(float *dx, const float *kept, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    float g = 1;
#pragma unroll 1
    for (int layer = 15; layer >= 0; layer--) {
        float v = kept[i];
#pragma unroll 1
        for (int k = 0; k < layer; k++)
            v = v * v - 0.75f;
        g *= 2 * v;
    }
    dx[i] = g;
}
