// says: out of bounds
__global__ void draw(int *token, const float *x, const float *u,
                     float temperature, int N, int V)
{
    const unsigned all = 0xffffffff;
    int lane = threadIdx.x % 32, n = blockIdx.x * 8 + threadIdx.x / 32;
    if (n >= N)
        return;
    x += n * V;
    float max = -INFINITY, total = 0, sum = 0;
    for (int i = lane; i < V; i += 32)
        max = fmaxf(max, x[i]);
    for (int d = 16; d > 0; d /= 2)
        max = fmaxf(max, __shfl_xor_sync(all, max, d));
    for (int i = lane; i < V; i += 32)
        total += expf((x[i] - max) / temperature);
    for (int d = 16; d > 0; d /= 2)
        total += __shfl_xor_sync(all, total, d);
    float bound = u[n] * total;
    int drawn = V - 1;
    for (int first = 0; first < V; first += 32) {
        int i = first + lane;
        float upto = expf((x[i] - max) / temperature);
        for (int d = 1; d < 32; d *= 2) {
            float before = __shfl_up_sync(all, upto, d);
            upto += lane >= d ? before : 0;
        }
        unsigned over = __ballot_sync(all, sum + upto > bound);
        if (over) {
            drawn = min(first + __ffs(over) - 1, V - 1);
            break;
        }
        sum += __shfl_sync(all, upto, 31);
    }
    if (lane == 0)
        token[n] = drawn;
}
