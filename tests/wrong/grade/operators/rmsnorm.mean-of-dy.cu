// says: dx\[[0-9]*\] is .* elements are wrong
__global__ void forward(float *y, float *scale, const float *x, int rows,
                        int columns)
{
    for (int r = 0; r < rows; r++) {
        float sum = 0;
        for (int c = 0; c < columns; c++)
            sum += x[r * columns + c] * x[r * columns + c];
        scale[r] = 1 / sqrtf(sum / columns + 1e-5f);
        for (int c = 0; c < columns; c++)
            y[r * columns + c] = x[r * columns + c] * scale[r];
    }
}

__global__ void backward(float *dx, const float *dy, const float *x,
                         const float *scale, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        float dot = 0, s = scale[r];
        for (int c = 0; c < columns; c++)
            dot += dy[r * columns + c];
        float share = s * s * dot / columns;
        for (int c = 0; c < columns; c++) {
            int i = r * columns + c;
            dx[i] += s * (dy[i] - x[i] * share);
        }
    }
}
