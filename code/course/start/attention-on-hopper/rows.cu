/* Tangled from chapters/course/attention-on-hopper-solutions.nw, "Broken: the softmax of a row".  Edit it there. */

// attention-on-hopper/rows: broken code
//
// s has n pieces of 16 rows of 32 scores, one after the other.  A warp
// takes a piece and holds it as wgmma leaves it: in each eight columns,
// lane 4 g + t holds four scores, row g, columns 2 t and 2 t + 1, and row
// g + 8, the same columns.  most[r] is the maximum of a row, and sum[r]
// the sum of exp(s - most[r]) over the row.  A block has 128 threads.  The
// kernel is wrong in three ways.

__global__ void softmax(float *most, float *sum, const float *s, int n)
{
    int piece = blockIdx.x * 4 + threadIdx.x / 32;
    int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    if (piece >= n)
        return;
    float x[16], top[2] = { -INFINITY, -INFINITY }, total[2] = { 0, 0 };
    for (int i = 0; i < 16; i++) {
        int row = g + i / 2 % 2 * 8, column = i / 4 * 8 + 2 * t + i % 2;
        x[i] = s[(piece * 16 + row) * 32 + column];
        top[i % 2] = fmaxf(top[i % 2], x[i]);
    }
    for (int h = 0; h < 2; h++)
        for (int d = 16; d > 2; d /= 2)
            top[h] = fmaxf(top[h], __shfl_xor_sync(~0u, top[h], d));
    for (int i = 0; i < 16; i++)
        total[i / 2 % 2] += expf(x[i] - top[i / 2 % 2]);
    for (int h = 0; h < 2; h++)
        if (t == 0) {
            most[piece * 16 + g + 8 * h] = top[h];
            sum[piece * 16 + g + 8 * h] = total[h];
        }
}
