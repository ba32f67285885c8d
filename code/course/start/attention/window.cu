/* Tangled from chapters/course/attention-solutions.nw, "Broken: a window of keys".  Edit it there. */

// attention/window: broken code
//
// Attention in which query q sees the last 8 keys only: k = q - 7 to q, as
// far as there are.  Queries, keys and values have 8 floats; y[q] is the
// sum of v[k] weighted by the softmax of the dot products of q and k,
// times scale.  The grid has a thread for each query, in blocks of 64.
// The kernel is wrong in three ways.

__global__ void windowed(float *y, const float *q, const float *k,
                         const float *v, float scale, int T)
{
    int t = blockIdx.x * 64 + threadIdx.x;
    if (t >= T)
        return;
    float most = 0, sum = 0, out[8] = { 0 };
    for (int i = max(t - 8, 0); i <= t; i++) {
        float dot = 0;
        for (int c = 0; c < 8; c++)
            dot += q[8 * t + c] * k[8 * i + c];
        float s = dot * scale, larger = fmaxf(most, s);
        float old = expf(most - larger), weight = expf(s - larger);
        sum = sum * old + weight;
        for (int c = 0; c < 8; c++)
            out[c] += weight * v[8 * i + c];
        most = larger;
    }
    for (int c = 0; c < 8; c++)
        y[8 * t + c] = out[c] / sum;
}
