// says: it did not end
__global__ void add(float *z, const float *x, const float *y, int n)
{
    volatile int going = 1;
    while (going)
        ;
}
