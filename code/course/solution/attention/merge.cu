/* Tangled from chapters/course/attention-solutions.nw, "Two halves of a context".  Edit it there. */

__global__ void merge(float *y, float *l, const float *a, const float *la,
                      const float *b, const float *lb, int rows)
{
    int i = blockIdx.x * 128 + threadIdx.x, r = i / 32;
    if (r >= rows)
        return;
    float most = fmaxf(la[r], lb[r]);
    float from = most == -INFINITY ? 0 : most;
    float wa = expf(la[r] - from), wb = expf(lb[r] - from);
    float sum = wa + wb;
    y[i] = sum > 0 ? (wa * a[i] + wb * b[i]) / sum : 0;
    if (i % 32 == 0)
        l[r] = from + logf(sum);
}
