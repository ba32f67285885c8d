// says: dx.* elements are wrong
__global__ void forward(float *y, const float *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] * x[i] : 0;
}

__global__ void backward(float *dx, const float *dy, const float *x, int n)
{
    for (int i = 0; i < n; i++)
        dx[i] += 2 * x[i] * dy[i];
}
