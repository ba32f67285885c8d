// says: t\[0\] is .*elements are wrong
__global__ void end_of_step(int *t, const int *host, const int *device,
                            int n)
{
    int piece = (n + 31) / 32, first = threadIdx.x * piece;
    int h = 0, d = 0, p = 0;
    for (int i = first; i < min(first + piece, n); i++) {
        h += host[i];
        d += device[i];
        p = max(p, h) + device[i];
    }
    for (int l = 1; l < 32; l *= 2) {
        int next_h = __shfl_down_sync(0xffffffff, h, l);
        int next_d = __shfl_down_sync(0xffffffff, d, l);
        int next_p = __shfl_down_sync(0xffffffff, p, l);
        h += next_h;
        p = max(h + next_p, p + next_d);
        d += next_d;
    }
    if (threadIdx.x == 0) {
        t[0] = p;
        t[1] = p - d;
    }
}
