// says: sectors read .*over
__global__ void merge(float *y, float *l, const float *a, const float *la,
                      const float *b, const float *lb, int rows)
{
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows)
        return;
    float most = fmaxf(la[r], lb[r]);
    float from = most == -INFINITY ? 0 : most;
    float wa = expf(la[r] - from), wb = expf(lb[r] - from);
    float sum = wa + wb;
    for (int i = 32 * r; i < 32 * r + 32; i++)
        y[i] = sum > 0 ? (wa * a[i] + wb * b[i]) / sum : 0;
    l[r] = from + logf(sum);
}
