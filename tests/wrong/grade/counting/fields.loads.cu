// says: sectors read +4096 .*over
struct Point { float x, y, z, w; };
__global__ void add_fields(float *y, const Point *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = ((const volatile float *)p)[4 * i];
    for (int k = 1; k < 4; k++)
        sum += ((const volatile float *)p)[4 * i + k];
    y[i] = sum;
}
