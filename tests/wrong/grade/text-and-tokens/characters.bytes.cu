// says: load requests .*over
__global__ void characters(int *begins, const unsigned char *text, int n)
{
    int t = blockIdx.x * 128 + threadIdx.x, count = 0;
    if (16 * t >= n)
        return;
    for (int i = 0; i < 16; i++)
        count += (text[16 * t + i] & 0xc0) != 0x80;
    begins[t] = count;
}
