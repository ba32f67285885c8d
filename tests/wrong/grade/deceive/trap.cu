// says: not right yet
__global__ void add(float *z, const float *x, const float *y, int n)
{
    asm("trap;");
}
