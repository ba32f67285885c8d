// A hash table of linked lists with a lock for each bucket: lanes take turns
// within their warp, or each lane spins for itself.
// CUDA by Example, appendix A.2, a concurrent hash table.
#include "idiom.h"

enum { BUCKETS = 13, N = 321 };
struct Entry { int key, value, next; };         /* next: index + 1, or 0 */

static __device__ void add(int *lock, int *first, Entry *pool, int i, int key)
{
    int bucket = key % BUCKETS;
    while (atomicCAS(&lock[bucket], 0, 1) != 0)
        ;
    __threadfence();
    pool[i].key = key;
    pool[i].value = 3 * i;
    pool[i].next = first[bucket];
    first[bucket] = i + 1;
    __threadfence();
    atomicExch(&lock[bucket], 0);
}

__global__ void fill(int *lock, int *first, Entry *pool, const int *keys,
                     bool turns)
{
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += step)
        if (turns) {
            for (int l = 0; l < 32; l++)
                if (threadIdx.x % 32 == l)
                    add(lock, first, pool, i, keys[i]);
        } else {
            add(lock, first, pool, i, keys[i]);
        }
}

int main(void)
{
    int keys[N], first[BUCKETS];
    Entry pool[N];
    for (int i = 0; i < N; i++)
        keys[i] = (int)(noise(i) % 5000);
    for (int turns = 1; turns >= 0; turns--) {
        int *df = zeroes<int>(BUCKETS), found = 0;
        Entry *dp = zeroes<Entry>(N);
        fill<<<2, 96>>>(zeroes<int>(BUCKETS), df, dp, device(keys, N),
                        turns != 0);
        fetch(first, df, BUCKETS);
        fetch(pool, dp, N);
        for (int b = 0; b < BUCKETS; b++)
            for (int i = first[b]; i > 0 && found <= N; found++) {
                const Entry *e = &pool[i - 1];
                same("key", i - 1, e->key, keys[i - 1]);
                same("bucket of", i - 1, e->key % BUCKETS, b);
                same("value", i - 1, e->value, 3 * (i - 1));
                i = e->next;
            }
        same("entries", turns, found, (int)N);
    }
    return done();
}
