/* Tangled from chapters/course/cpu-matmul-solutions.nw, "Broken: a tile of four by four".  Edit it there. */

__global__ void multiply(float *c, const float *a, const float *b, int rows,
                         int columns, int depth)
{
    for (int i = 0; i < rows; i += 4)
        for (int j = 0; j < columns; j += 4) {
            float sum[4][4] = { { 0 } };
            for (int k = 0; k < depth; k++) {
                float up[4], along[4];
#pragma unroll
                for (int x = 0; x < 4; x++) {
                    up[x] = a[min(i + x, rows - 1) * depth + k];
                    along[x] = b[k * columns + min(j + x, columns - 1)];
                }
#pragma unroll
                for (int y = 0; y < 4; y++)
#pragma unroll
                    for (int x = 0; x < 4; x++)
                        sum[y][x] += up[y] * along[x];
            }
#pragma unroll
            for (int y = 0; y < 4; y++)
#pragma unroll
                for (int x = 0; x < 4; x++)
                    if (i + y < rows && j + x < columns)
                        c[(i + y) * columns + j + x] += sum[y][x];
        }
}
