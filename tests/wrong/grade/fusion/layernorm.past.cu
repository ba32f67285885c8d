// says: out of bounds|expected
__device__ float sum_of_warp(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

__global__ void layernorm(float *y, float *s, const float *r,
                          const float *x, const float *w, const float *b,
                          int c)
{
    int row = blockIdx.x * c, lane = threadIdx.x;
    float v[8], sum = 0, squares = 0;
    for (int k = 0; k < 8; k++) {
        int i = lane + 32 * k;
        v[k] = i <= c ? r[row + i] + x[row + i] : 0;
        sum += v[k];
    }
    float mean = sum_of_warp(sum) / c;
    for (int k = 0; k < 8; k++)
        if (lane + 32 * k < c)
            squares += (v[k] - mean) * (v[k] - mean);
    float rstd = rsqrtf(sum_of_warp(squares) / c + 0.00001f);
    for (int k = 0; k < 8; k++) {
        int i = lane + 32 * k;
        if (i < c) {
            s[row + i] = v[k];
            y[row + i] = (v[k] - mean) * rstd * w[i] + b[i];
        }
    }
}
