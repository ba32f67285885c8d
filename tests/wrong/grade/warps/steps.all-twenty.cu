// says: FLOP .*over
__global__ void steps(float *y, const float *x, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i], fifth = 0;
#pragma unroll 1
    for (int k = 1; k <= 20; k++) {
        v = v * v - 0.5f;
        fifth = k == 5 ? v : fifth;
    }
    y[i] = i % 2 ? fifth : v;
}
