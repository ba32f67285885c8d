// says: expected nan
__global__ void shift(float *y, const float *x, const float *b, float a, int n)
{
    for (int i = 0; i < n; i++) {
        float v = a * x[i] + b[i];
        y[i] = v > 0 ? v : 0;
    }
}
