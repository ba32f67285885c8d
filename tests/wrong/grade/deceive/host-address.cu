// says: out of bounds|illegal|launch
__global__ void add(float *z, const float *x, const float *y, int n)
{
    *(volatile int *)0x400000 = 1;
}
