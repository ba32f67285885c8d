/* Tangled from chapters/course/cpu-matmul-solutions.nw, "A packed panel".  Edit it there. */

// cpu-matmul/pack: panels of eight columns
//
// b has `depth` rows of `columns` floats, one row after the other.  Copy
// it into panels of eight columns: element k, j of b goes to place (j / 8)
// * 8 * depth + 8 * k + j % 8 of p, so that a matmul of eight columns
// reads one run of memory.  Columns of the last panel that b does not have
// are 0; p is not cleared before.  One thread; the start is right, and
// walks down the columns.

__global__ void pack(float *p, const float *b, int depth, int columns)
{
    for (int j = 0; j < (columns + 7) / 8 * 8; j++)
        for (int k = 0; k < depth; k++)
            p[j / 8 * 8 * depth + 8 * k + j % 8] =
                j < columns ? b[k * columns + j] : 0;
}
