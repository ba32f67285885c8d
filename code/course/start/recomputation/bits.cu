/* Tangled from chapters/course/recomputation-solutions.nw, "A bit for each element".  Edit it there. */

// recomputation/bits: a bit for each element
//
// The gradient of ReLU is dx[i] = dy[i] where x[i] > 0, else 0.  The
// backward pass must know the signs, but x is gone by then.  The forward
// kernel may write `signs`: ceil(n / 32) words.  The start writes the
// signs of 32 numbers by one lane, which reads them again.  It is right.
// Make the word of a warp without reading a number twice, and let the
// backward kernel read each word once in a warp.  Blocks have 128 threads.

__global__ void forward(float *y, unsigned *signs, const float *x, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    y[i] = x[i] > 0 ? x[i] : 0;
    if (i % 32 > 0)
        return;
    unsigned word = 0;
    for (int k = 0; k < 32 && i + k < n; k++)
        word |= (x[i + k] > 0 ? 1u : 0u) << k;
    signs[i / 32] = word;
}

__global__ void backward(float *dx, const unsigned *signs, const float *dy,
                         int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n)
        dx[i] = signs[i / 32] >> i % 32 & 1 ? dy[i] : 0;
}
