/* Tangled from chapters/course/training-solutions.nw, "A warp draws a token".  Edit it there. */

// training/draw: a warp draws a token
//
// x has N rows of V logits.  The weight of token i in a row is
// exp((x[i] - max) / temperature), where max is the largest logit of the
// row.  token[n] is to be the first token of row n for which the sum of
// all weights up to it, its own included, exceeds u[n] times the sum of
// the whole row; if rounding leaves none, the last one.  A block has 256
// threads, and each of its eight warps takes one row.  The kernel is right,
// but one lane does the work.  Let all 32 lanes draw.

__global__ void draw(int *token, const float *x, const float *u,
                     float temperature, int N, int V)
{
    int lane = threadIdx.x % 32, n = blockIdx.x * 8 + threadIdx.x / 32;
    if (n >= N || lane > 0)
        return;
    x += n * V;
    float max = -INFINITY, total = 0, sum = 0;
    for (int i = 0; i < V; i++)
        max = fmaxf(max, x[i]);
    for (int i = 0; i < V; i++)
        total += expf((x[i] - max) / temperature);
    int i = 0;
    while (i < V - 1) {
        sum += expf((x[i] - max) / temperature);
        if (sum > u[n] * total)
            break;
        i++;
    }
    token[n] = i;
}
