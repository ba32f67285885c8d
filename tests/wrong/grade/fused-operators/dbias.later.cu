// says: sectors read +3072 .*over
__global__ void sigmoid_grad(float *dx, float *db, const float *dy,
                             const float *y, int N, int C)
{
    __shared__ float s[8][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int c = blockIdx.x * 32 + lane;
    for (int n = warp; n < N && c < C; n += 8)
        dx[n * C + c] = dy[n * C + c] * y[n * C + c] * (1 - y[n * C + c]);
    float sum = 0;
    for (int n = warp; n < N && c < C; n += 8)
        sum += dx[n * C + c];
    s[warp][lane] = sum;
    __syncthreads();
    if (warp == 0 && c < C) {
        for (int w = 1; w < 8; w++)
            sum += s[w][lane];
        db[c] = sum;
    }
}
