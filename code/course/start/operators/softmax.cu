/* Tangled from chapters/course/operators-solutions.nw, "Broken: softmax and its gradient".  Edit it there. */

// operators/softmax: broken code
//
// p[c] = exp(x[c]) / the sum of all exp(x[k]), for each row of x, which
// has `columns` floats.  Given p and dp, the derivative of the loss by p,
// the backward kernel adds the derivative by x to dx.  Both run in one
// thread.  The forward kernel is right for small numbers, the backward
// kernel is wrong for all.

__global__ void forward(float *p, const float *x, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        float sum = 0;
        for (int c = 0; c < columns; c++)
            sum += expf(x[r * columns + c]);
        for (int c = 0; c < columns; c++)
            p[r * columns + c] = expf(x[r * columns + c]) / sum;
    }
}

__global__ void backward(float *dx, const float *dp, const float *p,
                         int rows, int columns)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            int i = r * columns + c;
            dx[i] += p[i] * (1 - p[i]) * dp[i];
        }
}
