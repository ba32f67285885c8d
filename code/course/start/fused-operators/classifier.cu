/* Tangled from chapters/course/fused-operators-solutions.nw, "Broken: loss and gradient in place".  Edit it there. */

// fused-operators/classifier: broken code
//
// x has N rows of C logits.  loss[n] is -log of the probability that the
// softmax of row n gives to target[n].  The gradient takes the place of the
// logits: the probabilities, with 1 subtracted at the target.  A block has
// 256 threads, and each of its eight warps takes one row.  Repair the
// kernel, also for large logits.

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

__global__ void classifier(float *loss, float *x, const int *target, int N,
                           int C)
{
    int lane = threadIdx.x % 32;
    int n = blockIdx.x * 8 + threadIdx.x / 32;
    if (n >= N)
        return;
    x += n * C;
    float sum = 0;
    for (int c = lane; c < C; c += 32)
        sum += expf(x[c]);
    sum = warp_sum(sum);
    for (int c = lane; c < C; c += 32)
        x[c] = expf(x[c]) / sum - (c == target[n]);
    if (lane == 0)
        loss[n] = logf(sum) - x[target[n]];
}
