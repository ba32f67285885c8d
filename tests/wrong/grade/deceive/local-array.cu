// says: bytes of local memory
__global__ void add(float *z, const float *x, const float *y, int n)
{
    volatile char large[1 << 28];
    large[n] = 1;
    z[0] = large[n];
}
