// says: p\[[0-9]*\] is .* elements are wrong
__global__ void forward(float *p, const float *x, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        float sum = 0, most = 0;
        for (int c = 1; c < columns; c++)
            most = fmaxf(most, x[r * columns + c]);
        for (int c = 0; c < columns; c++)
            sum += expf(x[r * columns + c] - most);
        for (int c = 0; c < columns; c++)
            p[r * columns + c] = expf(x[r * columns + c] - most) / sum;
    }
}

__global__ void backward(float *dx, const float *dp, const float *p,
                         int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        float dot = 0;
        for (int c = 0; c < columns; c++)
            dot += p[r * columns + c] * dp[r * columns + c];
        for (int c = 0; c < columns; c++) {
            int i = r * columns + c;
            dx[i] += p[i] * (dp[i] - dot);
        }
    }
}
