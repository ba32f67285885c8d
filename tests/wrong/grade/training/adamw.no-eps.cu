// says: w\[0\] is -inf, expected
__global__ void adamw(float *w, float *m, float *v, const float *g, int n,
                      float rate, float root, float shrink)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float slope = g[i], weight = w[i];
    float mean = 0.9f * m[i] + 0.1f * slope;
    float square = 0.95f * v[i] + 0.05f * slope * slope;
    m[i] = mean;
    v[i] = square;
    w[i] = weight - (rate * mean / (sqrtf(square) * root)
                     + shrink * weight);
}
