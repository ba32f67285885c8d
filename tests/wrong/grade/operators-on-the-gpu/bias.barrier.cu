// says: uninitialised: 
__global__ void bias(float *db, const float *dy, int N, int C)
{
    __shared__ float s[8][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int c = blockIdx.x * 32 + lane;
    float v = 0;
    for (int n = warp; n < N && c < C; n += 8)
        v += dy[n * C + c];
    s[warp][lane] = v;
    if (warp == 0 && c < C) {
        v = 0;
        for (int w = 0; w < 8; w++)
            v += s[w][lane];
        db[c] = v;
    }
}
