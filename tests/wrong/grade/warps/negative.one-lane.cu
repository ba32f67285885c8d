// says: requests to read .*over
__global__ void negative(int *y, const float *x, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i % 32 != 0 || i >= n)
        return;
    int lane = 0;
    while (lane < 32 && (i + lane >= n || !(x[i + lane] < 0)))
        lane++;
    y[i / 32] = lane;
}
