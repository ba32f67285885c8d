// says: not every element of z was written
__global__ void add(float *z, const float *x, const float *y, int n)
{
    asm volatile("exit;");
}
