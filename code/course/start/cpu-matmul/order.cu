/* Tangled from chapters/course/cpu-matmul-solutions.nw, "Slow: three loops in another order".  Edit it there. */

// cpu-matmul/order: slow code
//
// c += a b, where a has `rows` rows of `depth` floats, b has `depth` rows
// of `columns`, and c has `rows` rows of `columns`.  The kernel runs in
// one thread, and is right.  A model of a cache (32 KB in lines of 64
// bytes) counts what it fetches.  Which of the three matrices does the
// inner loop walk through in the worst way?  Change the order of the
// loops, and nothing else.

__global__ void multiply(float *c, const float *a, const float *b, int rows,
                         int columns, int depth)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            for (int k = 0; k < depth; k++)
                c[i * columns + j] += a[i * depth + k] * b[k * columns + j];
}
