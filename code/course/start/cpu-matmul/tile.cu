/* Tangled from chapters/course/cpu-matmul-solutions.nw, "Broken: a tile of four by four".  Edit it there. */

// cpu-matmul/tile: broken code
//
// c += a b, where a has `rows` rows of `depth` floats, b has `depth` rows
// of `columns`, and c has `rows` rows of `columns`.  One thread keeps a
// tile of 4 x 4 sums in registers, so that four numbers of a and four of b
// serve sixteen multiply-adds.  It is wrong in two ways, and right for
// many sizes.

__global__ void multiply(float *c, const float *a, const float *b, int rows,
                         int columns, int depth)
{
    float sum[4][4] = { { 0 } };
    for (int i = 0; i < rows; i += 4)
        for (int j = 0; j < columns; j += 4) {
            for (int k = 0; k < depth; k++)
                for (int y = 0; y < 4; y++)
                    for (int x = 0; x < 4; x++)
                        sum[y][x] += a[(i + y) * depth + k] *
                                     b[k * columns + j + x];
            for (int y = 0; y < 4; y++)
                for (int x = 0; x < 4; x++)
                    c[(i + y) * columns + j + x] += sum[y][x];
        }
}
