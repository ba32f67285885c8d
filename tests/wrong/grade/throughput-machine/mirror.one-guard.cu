// says: before the start of
__global__ void mirror(unsigned char *y, const unsigned char *x, int width,
                       int height)
{
    int c = blockIdx.x * 32 + threadIdx.x;
    int r = blockIdx.y * 8 + threadIdx.y;
    if (r * width + c < width * height)
        y[r * width + c] = x[r * width + width - 1 - c];
}
