/* Tangled from chapters/course/products-of-a-step-solutions.nw, "Broken: a sum cut into parts".  Edit it there. */

// products-of-a-step/depth: broken code
//
// c = relu(a b + bias), where relu(x) is x, or 0 for negative x.  a has M
// rows of K numbers, b has K rows of 32, bias has 32 numbers, and all are
// floats.  There are few tiles, so K is cut into parts of (K + parts - 1)
// / parts terms; the last parts may have fewer terms, or none.
//
// `work` writes the sums of part p to part, from part[p * M * 32] on.  Its
// grid has parts blocks in y, and in x a warp for each row, with 256
// threads in a block.  Then `finish` makes c, with a thread for each
// element, in blocks of 256.  Repair both kernels for all M, K and parts.

__global__ void work(float *part, const float *a, const float *b,
                     const float *bias, int M, int K, int parts)
{
    int i = blockIdx.x * 256 + threadIdx.x, m = i / 32, n = i % 32;
    if (m >= M)
        return;
    int steps = (K + parts - 1) / parts, first = blockIdx.y * steps;
    float sum = bias[n];
    for (int k = first; k < first + steps; k++)
        sum += a[m * K + k] * b[k * 32 + n];
    part[blockIdx.y * M * 32 + i] = fmaxf(sum, 0);
}

__global__ void finish(float *c, const float *part, const float *bias,
                       int M, int parts)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= M * 32)
        return;
    float sum = 0;
    for (int p = 0; p < parts; p++)
        sum += part[p * M * 32 + i];
    c[i] = sum;
}
