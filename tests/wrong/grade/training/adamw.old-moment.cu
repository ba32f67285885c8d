// says: w\[[0-9]+\] is .* elements are wrong
__global__ void adamw(float *w, float *m, float *v, const float *g, int n,
                      float rate, float root, float shrink)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float slope = g[i], weight = w[i];
    float m0 = m[i], mean = 0.9f * m0 + 0.1f * slope;
    float square = 0.95f * v[i] + 0.05f * slope * slope;
    m[i] = mean;
    v[i] = square;
    w[i] = weight - (rate * m0 / (sqrtf(square) * root + 1e-8f)
                     + shrink * weight);
}
