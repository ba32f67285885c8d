// A writer and readers without a lock: a number that is odd while the writer
// is at work; who finds it odd or changed reads again.  The data are
// accessed by atomics, since they are read while they are written.
// Boehm, Can seqlocks get along with programming language memory models?
// (MSPC 2012).
#include "idiom.h"

enum { WORDS = 3, ROUNDS = 30 };

__global__ void share(int *seq, int *data, int *torn, int *seen)
{
    int t = threadIdx.x;
    if (t == 40) {                              /* the writer */
        for (int k = 1; k <= ROUNDS; k++) {
            atomicExch(seq, 2 * k - 1);
            __threadfence();
            for (int w = 0; w < WORDS; w++)
                atomicExch(&data[w], k * (w + 1));
            __threadfence();
            atomicExch(seq, 2 * k);
        }
    } else if (t % 8 == 1) {                    /* readers */
        for (int last = 0; last < ROUNDS;) {
            int v[WORDS], before, after;
            do {
                before = atomicAdd(seq, 0);
                __threadfence();
                for (int w = 0; w < WORDS; w++)
                    v[w] = atomicAdd(&data[w], 0);
                __threadfence();
                after = atomicAdd(seq, 0);
            } while (before % 2 || before != after);
            if (v[1] != 2 * v[0] || v[2] != 3 * v[0] || v[0] < last)
                atomicAdd(torn, 1);
            last = v[0];
        }
        seen[t] = 1;
    }
}

int main(void)
{
    enum { T = 65 };
    int torn, seen[T], *dt = zeroes<int>(1), *ds = zeroes<int>(T);
    share<<<1, T>>>(zeroes<int>(1), zeroes<int>(WORDS), dt, ds);
    fetch(&torn, dt, 1);
    fetch(seen, ds, T);
    same("torn reads", 0, torn, 0);
    for (int t = 0; t < T; t++)
        same("reader", t, seen[t], (int)(t % 8 == 1));
    return done();
}
