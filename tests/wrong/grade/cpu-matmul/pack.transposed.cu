// says: elements are wrong
__global__ void pack(float *p, const float *b, int depth, int columns)
{
    int end = (columns + 7) / 8 * 8;
    for (int first = 0; first < end; first += 16)
        for (int k = 0; k < depth; k++)
            for (int j = first; j < first + 16 && j < end; j++)
                p[j / 8 * 8 * depth + k + depth * (j % 8)] =
                    j < columns ? b[k * columns + j] : 0;
}
