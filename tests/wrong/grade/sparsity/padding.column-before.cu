// says: before the start of
__global__ void padded(float *y, const float *a, const int *column,
                       const float *v, int rows, int width)
{
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0;
    for (int k = 0; k < width; k++) {
        int c = column[k * rows + r];
        sum += a[k * rows + r] * v[c];
    }
    y[r] = sum;
}
