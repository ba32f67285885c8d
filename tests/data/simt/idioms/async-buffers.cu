// Asynchronous copies into two buffers, and into a ring of four: a tile is
// on its way while another is worked on.
// CUDA C++ Programming Guide, Asynchronous Data Copies, multi-stage
// pipelines; PTX ISA, cp.async.
#include "idiom.h"

static __device__ void copy_async(int *to, const int *from)
{
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 :: "r"(s), "l"(from) : "memory");
}
#define COMMIT()  asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n)   asm volatile("cp.async.wait_group %0;" :: "n"(n) : "memory")

__global__ void two(int *y, const int *x, int tiles)
{
    __shared__ int s[2][96];
    int t = threadIdx.x, sum = 0;
    copy_async(&s[0][t], &x[t]);
    COMMIT();
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles)
            copy_async(&s[(k + 1) % 2][t], &x[(k + 1) * 96 + t]);
        COMMIT();                       /* an empty group counts, too */
        WAIT(1);
        __syncthreads();
        sum += s[k % 2][95 - t] * (k + 1);
        __syncthreads();
    }
    y[t] = sum;
}

__global__ void four(int *y, const int *x, int tiles)
{
    __shared__ int s[4][96];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 3; k++) {
        if (k < tiles)
            copy_async(&s[k][t], &x[k * 96 + t]);
        COMMIT();
    }
    for (int k = 0; k < tiles; k++) {
        WAIT(2);
        __syncthreads();                /* tile k is here, k - 1 is read */
        sum += s[k % 4][95 - t] * (k + 1);
        if (k + 3 < tiles)
            copy_async(&s[(k + 3) % 4][t], &x[(k + 3) * 96 + t]);
        COMMIT();
    }
    y[t] = sum;
}

int main(void)
{
    enum { TILES = 9 };
    int x[TILES * 96], got[96], *y = zeroes<int>(96), *dx;
    for (int i = 0; i < TILES * 96; i++)
        x[i] = (int)(noise(i) % 1000);
    dx = device(x, TILES * 96);
    for (int tiles = 1; tiles <= TILES; tiles += 2)
        for (int form = 0; form < 2; form++) {
            if (form == 0)
                two<<<1, 96>>>(y, dx, tiles);
            else
                four<<<1, 96>>>(y, dx, tiles);
            fetch(got, y, 96);
            for (int t = 0; t < 96; t++) {
                int sum = 0;
                for (int k = 0; k < tiles; k++)
                    sum += x[k * 96 + 95 - t] * (k + 1);
                same("thread", t, got[t], sum);
            }
        }
    return done();
}
