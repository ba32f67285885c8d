// says: elements are wrong
__device__ float dot(const float *a, const float *b)
{
    float sum = 0;
    for (int c = 0; c < 8; c++)
        sum += a[c] * b[c];
    return sum;
}

__global__ void queries(float *dq, const float *q, const float *k,
                        const float *v, const float *dy, const float *lse,
                        const float *d, float scale, int T)
{
    int t = blockIdx.x * 64 + threadIdx.x;
    if (t >= T)
        return;
    float out[8] = { 0 };
    for (int u = 0; u <= t; u++) {
        float p = expf(scale * dot(q + 8 * t, k + 8 * u) - lse[t]);
        float ds = p * (dot(dy + 8 * t, v + 8 * u));
        for (int c = 0; c < 8; c++)
            out[c] += ds * k[8 * u + c];
    }
    for (int c = 0; c < 8; c++)
        dq[8 * t + c] = scale * out[c];
}
