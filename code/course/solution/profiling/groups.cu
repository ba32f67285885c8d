/* Tangled from chapters/course/profiling-solutions.nw, "Idle lanes".  Edit it there. */

__global__ void groups(int *y, const int *x, const int *first, int n)
{
    int lane = threadIdx.x % 32, g = blockIdx.x * 8 + threadIdx.x / 32;
    if (g >= n)
        return;
    int sum = 0, end = first[g + 1];
    for (int i = first[g] + lane; i < end; i += 32)
        sum += x[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[g] = sum;
}
