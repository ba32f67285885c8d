// says: it did not end
__global__ void reverse(float *x, int n)
{
    volatile int going = 1;
    while (going)
        ;
}
