// A barrier between the warps of a block made from atomics: a count, and a
// sense that the last one to come turns round.
// Mellor-Crummey and Scott, 1991, the sense-reversing centralized barrier;
// cooperative groups synchronise a grid in a similar way.
#include "idiom.h"

struct Barrier { int count; volatile int sense; };

static __device__ void wait(Barrier *b, int warps, int *mine)
{
    __syncwarp();
    *mine ^= 1;
    if (threadIdx.x % 32 == 0) {
        __threadfence_block();
        if (atomicAdd(&b->count, 1) == warps - 1) {
            b->count = 0;
            __threadfence_block();
            b->sense = *mine;
        } else {
            while (b->sense != *mine)
                ;
        }
        __threadfence_block();
    }
    __syncwarp();
}

__global__ void mix(int *y, const int *x, int rounds)
{
    __shared__ Barrier barrier;
    __shared__ int s[160];
    int t = threadIdx.x, n = blockDim.x, sense = 0;
    if (t == 0)
        barrier.count = barrier.sense = 0;
    __syncthreads();
    s[t] = x[blockIdx.x * n + t];
    for (int k = 0; k < rounds; k++) {
        wait(&barrier, n / 32, &sense);
        int v = s[(t + 45) % n] * 3 + k;
        wait(&barrier, n / 32, &sense);
        s[t] = v % 10007;
    }
    y[blockIdx.x * n + t] = s[t];
}

int main(void)
{
    enum { B = 2, T = 160, ROUNDS = 6 };
    int x[B * T], got[B * T], v[T], *y = zeroes<int>(B * T);
    for (int i = 0; i < B * T; i++)
        x[i] = (int)(noise(i) % 1000);
    mix<<<B, T>>>(y, device(x, B * T), ROUNDS);
    fetch(got, y, B * T);
    for (int b = 0; b < B; b++) {
        int *s = x + b * T;
        for (int k = 0; k < ROUNDS; k++) {
            for (int t = 0; t < T; t++)
                v[t] = (s[(t + 45) % T] * 3 + k) % 10007;
            memcpy(s, v, sizeof v);
        }
        all_same("thread", got + b * T, s, T);
    }
    return done();
}
