/* Tangled from chapters/course/fusion-solutions.nw, "Broken: the loss of a row".  Edit it there. */

// fusion/loss: broken code
//
// loss[row] is the cross-entropy of softmax: the logarithm of the sum of
// exp(x) over a row of c logits, less the logit of the row's target.  A
// block is one warp and has one row.  Each number is read once, with a
// running maximum and a running sum.  Repair it for all c and all logits.

__global__ void loss(float *loss, const float *x, const int *target, int c)
{
    const float *row = &x[blockIdx.x * c];
    float m = 0, sum = 0;
    for (int i = threadIdx.x; i < c; i += 32) {
        float higher = fmaxf(m, row[i]);
        sum = sum * __expf(m - higher) + __expf(row[i] - higher);
        m = higher;
    }
    for (int d = 16; d > 0; d /= 2) {
        m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, d));
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    }
    if (threadIdx.x == 0)
        loss[blockIdx.x] = m + __logf(sum) - row[target[blockIdx.x]];
}
