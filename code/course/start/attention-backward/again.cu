/* Tangled from chapters/course/attention-backward-solutions.nw, "One number for each row".  Edit it there. */

// attention-backward/again: one number for each row
//
// One head of causal attention: T queries, keys and values of 8 floats.
// dq[t] is scale times the sum over the keys u <= t of p (dp - d[t]) k[u],
// where p is the softmax of scale * (q[t] . k[u]) over u <= t, and dp is
// dy[t] . v[u].  The grid has a thread for each query, in blocks of 64.
// The kernel is right, and walks over the keys three times.  The forward
// pass has kept lse[t], the logarithm of the sum over u of
// exp(scale * (q[t] . k[u])).  Walk once.

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
    float most = -INFINITY, sum = 0, out[8] = { 0 };
    for (int u = 0; u <= t; u++)
        most = fmaxf(most, scale * dot(q + 8 * t, k + 8 * u));
    for (int u = 0; u <= t; u++)
        sum += expf(scale * dot(q + 8 * t, k + 8 * u) - most);
    for (int u = 0; u <= t; u++) {
        float s = scale * dot(q + 8 * t, k + 8 * u);
        float p = expf(s - most) / sum;
        float ds = p * (dot(dy + 8 * t, v + 8 * u) - d[t]);
        for (int c = 0; c < 8; c++)
            out[c] += ds * k[8 * u + c];
    }
    for (int c = 0; c < 8; c++)
        dq[8 * t + c] = scale * out[c];
}
