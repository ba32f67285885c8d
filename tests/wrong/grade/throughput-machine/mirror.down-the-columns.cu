// says: sectors read .*over
__global__ void mirror(unsigned char *y, const unsigned char *x, int width,
                       int height)
{
    int t = (blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 32 +
            threadIdx.x;
    int r = t % height, c = t / height;
    if (c < width)
        y[r * width + c] = x[r * width + width - 1 - c];
}
