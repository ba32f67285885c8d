/* Tangled from chapters/course/reduction-solutions.nw, "A scan of each block".  Edit it there. */

__global__ void scan(int *y, const int *x, int n)
{
    __shared__ int s[8];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    int v = i < n ? x[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(0xffffffff, v, d);
        if (t % 32 >= d)
            v += other;
    }
    if (t % 32 == 31)
        s[t / 32] = v;
    __syncthreads();
    for (int w = 0; w < t / 32; w++)
        v += s[w];
    if (i < n)
        y[i] = v;
}
