/* Tangled from chapters/course/counting-solutions.nw, "Slow: many lanes, few bins".  Edit it there. */

// counting/bins: slow code
//
// y[b] is the sum of all weights w[i] with bin[i] = b, for 0 <= b < 8.
// One block of 256 threads.  The kernel is right.  Find out from its
// counts what an addition to shared memory costs when 32 lanes share eight
// words, and how many wavefronts it would take at the least.

__global__ void bins(int *y, const int *bin, const int *w, int n)
{
    __shared__ int s[8];
    int t = threadIdx.x;
    if (t < 8)
        s[t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += 256)
        atomicAdd(&s[bin[i]], w[i]);
    __syncthreads();
    if (t < 8)
        y[t] = s[t];
}
