// says: not every element
__global__ void mirror(unsigned char *y, const unsigned char *x, int width,
                       int height)
{
    int c = blockIdx.x * 32 + threadIdx.x;
    int r = threadIdx.y;
    if (c < width && r < height)
        y[r * width + c] = x[r * width + width - 1 - c];
}
