// says: load requests +12[0-9]+ .*over
__global__ void draw(int *token, const float *x, const float *u,
                     float temperature, int N, int V)
{
    int lane = threadIdx.x % 32, n = blockIdx.x * 8 + threadIdx.x / 32;
    if (n >= N || lane > 0)
        return;
    x += n * V;
    float max = -INFINITY, total = 0, sum = 0;
    for (int i = 0; i < V; i++)
        max = fmaxf(max, x[i]);
    for (int i = 0; i < V; i++)
        total += expf((x[i] - max) / temperature);
    int i = 0;
    while (i < V - 1) {
        sum += expf((x[i] - max) / temperature);
        if (sum > u[n] * total)
            break;
        i++;
    }
    token[n] = i;
}
