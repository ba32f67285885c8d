// A hash table with open addressing: atomicCAS takes an empty slot, or finds
// the key there; values are added atomically.
// Farrell, A simple GPU hash table (nosferalatu.com); cuCollections,
// static_map.
#include "idiom.h"

enum { SLOTS = 128, N = 400, KEYS = 90 };

__global__ void insert(int *keys, int *sums, int *fresh, const int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    unsigned slot = noise(x[i]) % SLOTS;
    for (;; slot = (slot + 1) % SLOTS) {
        int was = atomicCAS(&keys[slot], 0, x[i]);
        if (was == 0)
            atomicAdd(fresh, 1);
        if (was == 0 || was == x[i])
            break;
    }
    atomicAdd(&sums[slot], i + 1);
}

int main(void)
{
    int x[N], keys[SLOTS], sums[SLOTS], want[KEYS + 1] = { 0 }, fresh;
    int there[KEYS + 1] = { 0 }, different = 0;
    for (int i = 0; i < N; i++) {
        x[i] = 1 + (int)(noise(i) % KEYS);
        different += want[x[i]] == 0;
        want[x[i]] += i + 1;
    }
    int *dk = zeroes<int>(SLOTS), *ds = zeroes<int>(SLOTS);
    int *df = zeroes<int>(1);
    insert<<<4, 128>>>(dk, ds, df, device(x, N));
    fetch(keys, dk, SLOTS);
    fetch(sums, ds, SLOTS);
    fetch(&fresh, df, 1);
    same("fresh keys", 0, fresh, different);
    for (int s = 0; s < SLOTS; s++)
        if (keys[s]) {
            same("key twice", keys[s], there[keys[s]]++, 0);
            same("sum of key", keys[s], sums[s], want[keys[s]]);
        }
    return done();
}
