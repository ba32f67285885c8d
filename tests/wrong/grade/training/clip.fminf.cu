// says: w\[[0-9]+\] is .* elements are wrong
__global__ void clip(float *w, const float *g, int *refused, int n,
                     float lr, float most)
{
    __shared__ double s[256];
    int t = threadIdx.x;
    double sum = 0;
    for (int i = t; i < n; i += 256)
        sum += (double)g[i] * g[i];
    s[t] = sum;
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            s[t] += s[t + d];
    }
    __syncthreads();
    double norm = sqrt(s[0]);
    bool good = isfinite(norm);
    float factor = fminf(1, most / norm);
    for (int i = t; i < n; i += 256)
        w[i] -= lr * factor * g[i];
    if (t == 0)
        *refused = !good;
}
