// says: past the end of
__global__ void back(float *dx, const float *kept, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    float g = 1;
    for (int segment = 4; segment >= 0; segment--) {
        float v[4];
        v[0] = kept[segment * n + i];
        for (int k = 1; k < 4; k++)
            v[k] = v[k - 1] * v[k - 1] - 0.75f;
        for (int k = 3; k >= 0; k--)
            g *= 2 * v[k];
    }
    dx[i] = g;
}
