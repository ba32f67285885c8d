// says: load requests +128 .*over
__device__ int continued(unsigned w)
{
    return __popc(w & ~(w << 1) & 0x80808080);
}

__global__ void characters(int *begins, const unsigned char *text, int n)
{
    int t = blockIdx.x * 128 + threadIdx.x;
    if (16 * t >= n)
        return;
    int count = 16;
    for (int i = 0; i < 4; i++)
        count -= continued(((const unsigned *)text)[4 * t + i]);
    begins[t] = count;
}
