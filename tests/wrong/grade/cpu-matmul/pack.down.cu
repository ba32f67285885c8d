// says: cache lines fetched .*over
__global__ void pack(float *p, const float *b, int depth, int columns)
{
    for (int j = 0; j < (columns + 7) / 8 * 8; j++)
        for (int k = 0; k < depth; k++)
            p[j / 8 * 8 * depth + 8 * k + j % 8] =
                j < columns ? b[k * columns + j] : 0;
}
