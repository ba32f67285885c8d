/* Tangled from chapters/course/operators-solutions.nw, "Slow: the gradient of a bias, in C".  Edit it there. */

// operators/bias: slow code
//
// y[r][c] = x[r][c] + bias[c] has the gradient dbias[c] += the sum over
// all rows r of dy[r][c].  dy has `rows` rows of `columns` floats, one row
// after the other.  The kernel runs in one thread, and is right.  How many
// lines of cache does it fetch for each number?  Change the order of the
// loops.

__global__ void bias_backward(float *dbias, const float *dy, int rows,
                              int columns)
{
    for (int c = 0; c < columns; c++)
        for (int r = 0; r < rows; r++)
            dbias[c] += dy[r * columns + c];
}
