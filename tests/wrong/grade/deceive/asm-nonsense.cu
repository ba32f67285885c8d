// says: the software GPU cannot run it: PTX, line
__global__ void add(float *z, const float *x, const float *y, int n)
{
    asm volatile("open.file \"results.txt\";");
}
