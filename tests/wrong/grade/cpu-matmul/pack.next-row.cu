// says: elements are wrong
__global__ void pack(float *p, const float *b, int depth, int columns)
{
    int end = (columns + 7) / 8 * 8;
    for (int first = 0; first < end; first += 16)
        for (int k = 0; k < depth; k++)
            for (int j = first; j < first + 16 && j < end; j++)
                p[j / 8 * 8 * depth + 8 * k + j % 8] =
                    b[min(k * columns + j, depth * columns - 1)];
}
