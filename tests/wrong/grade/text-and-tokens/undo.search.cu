// says: warp instructions .*over
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
