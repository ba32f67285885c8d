// says: cache lines fetched +4096 .*over
__global__ void shift(float *y, const float *x, const float *b, float a, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + b[i];
    for (int i = 0; i < n; i++)
        if (y[i] < 0)
            y[i] = 0;
}
