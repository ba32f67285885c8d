/* Tangled from chapters/course/attention-backward-solutions.nw, "Broken: the gradients of a key".  Edit it there. */

// attention-backward/keys: broken code
//
// The head of attention-backward/again, seen from its keys.  A key is seen
// by the queries t >= u.  dv[u] is the sum over these of p dy[t], and
// dk[u] is scale times the sum of ds q[t], where p is
// exp(scale * (q[t] . k[u]) - lse[t]), ds is p (dp - d[t]), and dp is
// dy[t] . v[u].  The grid has a thread for each key, in blocks of 64.  The
// kernel is wrong in three ways.

__device__ float dot(const float *a, const float *b)
{
    float sum = 0;
    for (int c = 0; c < 8; c++)
        sum += a[c] * b[c];
    return sum;
}

__global__ void keys(float *dk, float *dv, const float *q, const float *k,
                     const float *v, const float *dy, const float *lse,
                     const float *d, float scale, int T)
{
    int u = blockIdx.x * 64 + threadIdx.x;
    if (u >= T)
        return;
    float out_k[8] = { 0 }, out_v[8] = { 0 };
    for (int t = 0; t <= u; t++) {
        float p = expf(scale * dot(q + 8 * t, k + 8 * u) - lse[t]);
        float ds = p * dot(dy + 8 * t, v + 8 * u) - d[t];
        for (int c = 0; c < 8; c++) {
            out_v[c] += p * dy[8 * t + c];
            out_k[c] += ds * q[8 * t + c];
        }
    }
    for (int c = 0; c < 8; c++) {
        dv[8 * u + c] = scale * out_v[c];
        dk[8 * u + c] = scale * out_k[c];
    }
}
