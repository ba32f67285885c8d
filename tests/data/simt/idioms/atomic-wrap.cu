// atomicInc and atomicDec wrap around at a limit: places in a ring of 10,
// each taken equally often, and the number of times it went round.
// CUDA C++ Programming Guide, Atomic Functions, atomicInc and atomicDec.
#include "idiom.h"

enum { LIMIT = 9 };

__global__ void round(unsigned *up, unsigned *down, int *times, int *back)
{
    atomicAdd(&times[atomicInc(up, LIMIT)], 1);
    atomicAdd(&back[atomicDec(down, LIMIT)], 1);
}

__global__ void odd(unsigned *c)        /* beyond the limit: to 0, to it */
{
    int t = threadIdx.x;
    c[t] = atomicInc(&c[2 + t], 5);
    atomicDec(&c[4 + t], 5);
}

int main(void)
{
    enum { B = 3, T = 57, N = B * T, P = LIMIT + 1 };
    unsigned up, down;
    int times[P], back[P];
    unsigned start[6] = { 0, 0, 5, 17, 0, 17 }, *c;
    unsigned *du = zeroes<unsigned>(1), *dd = zeroes<unsigned>(1);
    int *dt = zeroes<int>(P), *db = zeroes<int>(P);
    round<<<B, T>>>(du, dd, dt, db);
    fetch(&up, du, 1);
    fetch(&down, dd, 1);
    fetch(times, dt, P);
    fetch(back, db, P);
    same("up", 0, up, (unsigned)N % P);
    same("down", 0, down, (P - (unsigned)N % P) % P);
    for (int i = 0; i < P; i++) {
        same("place", i, times[i], N / P + (i < N % P));
        same("place, down", i, back[i],
             N / P + ((P - i) % P < N % P));
    }
    c = device(start, 6);
    odd<<<1, 2>>>(c);
    fetch(start, c, 6);
    const unsigned want[6] = { 5, 17, 0, 0, 5, 5 };
    all_same("beyond", start, want, 6);
    return done();
}
