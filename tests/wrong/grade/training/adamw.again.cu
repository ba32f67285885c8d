// says: sectors read +1792 .*over
__global__ void adamw(float *w, float *m, float *v, const float *g, int n,
                      float rate, float root, float shrink)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    w[i] -= shrink * w[i];
    m[i] *= 0.9f;
    m[i] += 0.1f * g[i];
    v[i] *= 0.95f;
    v[i] += 0.05f * g[i] * g[i];
    w[i] -= rate * m[i] / (sqrtf(v[i]) * root + 1e-8f);
}
