/* Tangled from chapters/course/text-and-tokens-solutions.nw, "When is a window read?".  Edit it there. */

// text-and-tokens/undo: when is a window read?
//
// shuffled(i, n, a, seed) is the i-th of n windows in a random order: a
// permutation of 0 to n - 1.  index[q] is to be the i at which the window
// number window[q] is read: shuffled(i, n, a, seed) == window[q].  The grid
// has a thread for each of `queries` windows, in blocks of 128.  a is the
// smallest number with a * a >= n.  The kernel is right, but tries every
// index.  Compute the index instead.

__device__ unsigned f(unsigned x, unsigned round, unsigned seed)
{
    x = (x * 6 + round ^ seed) * 0x9e3779b9;
    x = (x ^ x >> 15) * 0x85ebca6b;
    return x ^ x >> 13;
}

__device__ int shuffled(unsigned i, unsigned n, unsigned a, unsigned seed)
{
    do {
        unsigned left = i / a, right = i % a;
        for (int round = 0; round < 6; round++) {
            unsigned sum = (left + f(right, round, seed) % a) % a;
            left = right;
            right = sum;
        }
        i = left * a + right;
    } while (i >= n);
    return i;
}

__global__ void undo(int *index, const int *window, int queries, int n,
                     int a, int seed)
{
    int q = blockIdx.x * 128 + threadIdx.x, i = 0;
    if (q >= queries)
        return;
    while (shuffled(i, n, a, seed) != window[q])
        i++;
    index[q] = i;
}
