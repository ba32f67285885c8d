// says: requests to read .*over
__global__ void end_of_step(int *t, const int *host, const int *device,
                            int n)
{
    int launched = 0, end = 0, busy = 0;
    for (int i = 0; i < n && threadIdx.x == 0; i++) {
        launched += host[i];
        end = max(end, launched) + device[i];
        busy += device[i];
    }
    if (threadIdx.x == 0) {
        t[0] = end;
        t[1] = end - busy;
    }
}
