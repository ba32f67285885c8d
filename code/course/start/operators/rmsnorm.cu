/* Tangled from chapters/course/operators-solutions.nw, "RMSNorm and its gradient".  Edit it there. */

// operators/rmsnorm: RMSNorm and its gradient
//
// RMSNorm is LayerNorm without the mean: y[c] = x[c] * s, where s is 1
// over the square root of the mean of x[k]^2 over the row, plus 1e-5 under
// the root.  A row has `columns` floats.  The forward kernel is there and
// keeps s of each row in `scale`.  Write the backward kernel: it adds the
// derivative by x to dx.  Read each of dy and x at most twice.  Both run
// in one thread.

__global__ void forward(float *y, float *scale, const float *x, int rows,
                        int columns)
{
    for (int r = 0; r < rows; r++) {
        float sum = 0;
        for (int c = 0; c < columns; c++)
            sum += x[r * columns + c] * x[r * columns + c];
        scale[r] = 1 / sqrtf(sum / columns + 1e-5f);
        for (int c = 0; c < columns; c++)
            y[r * columns + c] = x[r * columns + c] * scale[r];
    }
}

__global__ void backward(float *dx, const float *dy, const float *x,
                         const float *scale, int rows, int columns)
{
}
