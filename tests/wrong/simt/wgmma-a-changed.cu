// wgmma in flight: registers of A that are written while they are read
#include "wrong.h"
#include "wgmma.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ __align__(1024) Bf16 a[64 * 16], b[8 * 16];
    float d[4] = { 0, 0, 0, 0 };
    unsigned r[4] = { 0x3f803f80, 0x3f803f80, 0x3f803f80, 0x3f803f80 };
    take(a, b, x);
    for (int i = 0; i < 4; i++)
        r[i] += (unsigned)x[i] << 16;
    wgmma_fence();
    multiply_registers(d, r, b);
    wgmma_commit();
#ifdef RIGHT
    wgmma_wait();
#endif
    asm volatile("add.u32 %0, %0, 1;" : "+r"(r[0]) :: "memory");   // HERE
    wgmma_wait();
    hold(d);
    d[0] += r[0];
    give(y, d);
}

int main()
{
    float *x = numbers<float>(1024), *y = zeroes<float>(1024);
    kernel<<<1, 128>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
