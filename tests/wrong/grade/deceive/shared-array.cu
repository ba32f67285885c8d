// says: bytes of shared memory
__global__ void add(float *z, const float *x, const float *y, int n)
{
    __shared__ volatile float s[1 << 20];
    s[n] = 1;
    z[0] = s[n];
}
