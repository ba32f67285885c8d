// Named barriers: producer warps fill two buffers in turn and arrive at
// "full" without waiting; consumer warps wait there, and arrive at "empty".
// PTX ISA, bar.sync and bar.arrive, the producer-consumer model; Bauer,
// Cook, Khailany, CudaDMA (SC 2011).
#include "idiom.h"

static __device__ void wait(int barrier, int threads)
{
    asm volatile("bar.sync %0, %1;" :: "r"(barrier), "r"(threads) : "memory");
}

static __device__ void arrive(int barrier, int threads)
{
    asm volatile("bar.arrive %0, %1;" :: "r"(barrier), "r"(threads)
                 : "memory");
}

enum { FULL = 1, EMPTY = 3, P = 64, C = 96 };   /* producers, consumers */

__global__ void pipe(int *y, const int *x, int tiles)
{
    __shared__ int buffer[2][P];
    int t = threadIdx.x, sum = 0;
    if (t < P) {
        for (int k = 0; k < tiles; k++) {
            if (k >= 2)
                wait(EMPTY + k % 2, P + C);
            buffer[k % 2][t] = x[(blockIdx.x * tiles + k) * P + t];
            arrive(FULL + k % 2, P + C);
        }
    } else {
        t -= P;
        for (int k = 0; k < tiles; k++) {
            wait(FULL + k % 2, P + C);
            sum = sum * 5 % 10007 + buffer[k % 2][(t * 3 + k) % P];
            if (k + 2 < tiles)
                arrive(EMPTY + k % 2, P + C);
        }
        y[blockIdx.x * C + t] = sum;
    }
}

int main(void)
{
    enum { B = 2, TILES = 7 };
    int x[B * TILES * P], got[B * C], *y = zeroes<int>(B * C);
    for (int i = 0; i < B * TILES * P; i++)
        x[i] = (int)(noise(i) % 900);
    for (int tiles = TILES; tiles > 0; tiles -= 3) {
        pipe<<<B, P + C>>>(y, device(x, B * tiles * P), tiles);
        fetch(got, y, B * C);
        for (int i = 0; i < B * C; i++) {
            int sum = 0, b = i / C, t = i % C;
            for (int k = 0; k < tiles; k++)
                sum = sum * 5 % 10007
                      + x[(b * tiles + k) * P + (t * 3 + k) % P];
            same("consumer", i, got[i], sum);
        }
    }
    return done();
}
