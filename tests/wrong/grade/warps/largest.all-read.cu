// says: sectors read .*over
__global__ void largest(float *y, const float *x, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    float most = x[i];
    for (int k = i / 32 * 32; k < i / 32 * 32 + 32 && k < n; k++)
        most = fmaxf(most, x[k]);
    y[i] = most;
}
