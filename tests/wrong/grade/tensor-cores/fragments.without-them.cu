// says: sectors read .*over
__global__ void products(float *d, const unsigned *a, const unsigned *b,
                         int n)
{
    int i = (blockIdx.x * 128 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= n)
        return;
    const unsigned short *x = (const unsigned short *)a + 256 * i;
    const unsigned short *y = (const unsigned short *)b + 128 * i;
    for (int at = lane; at < 128; at += 32) {
        float sum = 0;
        for (int k = 0; k < 16; k++)
            sum += __uint_as_float((unsigned)x[at / 8 * 16 + k] << 16) *
                   __uint_as_float((unsigned)y[at % 8 * 16 + k] << 16);
        d[128 * i + at] = sum;
    }
}
