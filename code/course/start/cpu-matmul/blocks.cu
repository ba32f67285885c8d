/* Tangled from chapters/course/cpu-matmul-solutions.nw, "Blocks that stay in the cache".  Edit it there. */

// cpu-matmul/blocks: blocks that stay in the cache
//
// c += a b, where a has `rows` rows of `depth` floats, b has `depth` rows
// of `columns`, and c has `rows` rows of `columns`, in one thread.  The
// order of the loops is good already, but b is fetched once for each row
// of c if it is larger than the cache of 32 KB.  When the lines are
// counted, b has 64 rows of 256 floats, 64 KB, and c has 16 rows.  Take a
// part of b that stays in the cache while all rows of c use it.

__global__ void multiply(float *c, const float *a, const float *b, int rows,
                         int columns, int depth)
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < depth; k++)
            for (int j = 0; j < columns; j++)
                c[i * columns + j] += a[i * depth + k] * b[k * columns + j];
}
