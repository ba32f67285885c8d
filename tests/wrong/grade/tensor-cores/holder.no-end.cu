// says: past the end of
__global__ void holder(int *thread, int *place, int columns)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    int m = i / columns, n = i % columns;
    if (m < 128) {
        thread[i] = m / 16 * 32 + m % 8 * 4 + n % 8 / 2;
        place[i] = n / 8 * 4 + m / 8 % 2 * 2 + n % 2;
    }
}
