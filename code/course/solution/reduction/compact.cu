/* Tangled from chapters/course/reduction-solutions.nw, "Broken: what is not zero".  Edit it there. */

__global__ void compact(int *y, int *count, const int *x, int n)
{
    __shared__ int s[8];        // how many each warp keeps
    int t = threadIdx.x, lane = t % 32, done = 0;
    for (int first = 0; first < n; first += 256) {
        int v = first + t < n ? x[first + t] : 0;
        unsigned kept = __ballot_sync(0xffffffff, v != 0);
        if (lane == 0)
            s[t / 32] = __popc(kept);
        __syncthreads();
        int place = done + __popc(kept & ((1u << lane) - 1));
        for (int w = 0; w < t / 32; w++)
            place += s[w];
        if (v != 0)
            y[place] = v;
        for (int w = 0; w < 8; w++)
            done += s[w];
        __syncthreads();
    }
    if (t == 0)
        count[0] = done;
}
