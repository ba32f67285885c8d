// 64-bit atomics: sum, largest and least, signed and not, swap, and a float
// with its place packed into one word so that both change together.
// CUDA C++ Programming Guide, Atomic Functions; the packed pair is known
// from GPU argmax and from z-buffers by atomicMin.
#include "idiom.h"

typedef unsigned long long Wide;

__global__ void reduce(Wide *u, long long *s, Wide *nearest,
                       const long long *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Wide v = (Wide)x[i];
    atomicAdd(&u[0], v);
    atomicMax(&u[1], v);
    atomicMin(&u[2], v);
    if (x[i] % 5 == 0)
        atomicExch(&u[3], v | 1);
    atomicMax(&s[0], x[i]);
    atomicMin(&s[1], x[i]);
    float depth = (float)(x[i] & 0xff) + 0.5f;      /* positive: in order */
    atomicMin(nearest, (Wide)__float_as_uint(depth) << 32 | (unsigned)i);
}

int main(void)
{
    enum { N = 257 };
    long long x[N], s[2] = { -(1ll << 62), 1ll << 62 }, most, least;
    Wide u[4] = { 0, 0, ~0ull, 0 }, near, sum = 0, top = 0, low = ~0ull;
    int at = 0;
    for (int i = 0; i < N; i++)
        x[i] = (long long)((Wide)noise(i) << 32 | noise(~i));
    most = least = x[0];
    for (int i = 0; i < N; i++) {
        Wide v = (Wide)x[i];
        sum += v;
        top = v > top ? v : top;
        low = v < low ? v : low;
        most = x[i] > most ? x[i] : most;
        least = x[i] < least ? x[i] : least;
        at = (x[i] & 0xff) < (x[at] & 0xff) ? i : at;
    }
    Wide *du = device(u, 4), *dn;
    long long *ds = device(s, 2);
    near = ~0ull;
    dn = device(&near, 1);
    reduce<<<3, 96>>>(du, ds, dn, device(x, N), N);
    fetch(u, du, 4);
    fetch(s, ds, 2);
    fetch(&near, dn, 1);
    same("sum", 0, u[0], sum);
    same("largest", 0, u[1], top);
    same("least", 0, u[2], low);
    same("signed largest", 0, s[0], most);
    same("signed least", 0, s[1], least);
    same("place of the nearest", 0, (int)(near & 0xffffffff), at);
    int found = 0;
    for (int i = 0; i < N; i++)
        found |= x[i] % 5 == 0 && ((Wide)x[i] | 1) == u[3];
    same("last swapped in", 0, found, 1);
    return done();
}
