// says: index\[[0-9]+\] is .* elements are wrong
__device__ unsigned f(unsigned x, unsigned round, unsigned seed)
{
    x = (x * 6 + round ^ seed) * 0x9e3779b9;
    x = (x ^ x >> 15) * 0x85ebca6b;
    return x ^ x >> 13;
}

__global__ void undo(int *index, const int *window, int queries, int n,
                     int a, int seed)
{
    int q = blockIdx.x * 128 + threadIdx.x;
    if (q >= queries)
        return;
    unsigned i = window[q];
    do {
        unsigned left = i / a, right = i % a;
        for (int round = 5; round >= 0; round--) {
            unsigned old = (right - f(left, round, seed) % a) % a;
            right = left;
            left = old;
        }
        i = left * a + right;
    } while (i >= n);
    index[q] = i;
}
