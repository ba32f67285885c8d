// says: out of bounds|illegal
__global__ void add(float *z, const float *x, const float *y, int n)
{
    for (long k = 0; k < 1 << 20; k++)
        z[(k - (1 << 19)) * 64] = 1;
}
