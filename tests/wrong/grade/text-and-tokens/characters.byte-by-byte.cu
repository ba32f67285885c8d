// says: warp instructions .*over
__device__ int continued(unsigned w)
{
    int count = 0;
    for (int i = 0; i < 4; i++)
        count += (w >> 8 * i & 0xc0) == 0x80;
    return count;
}

__global__ void characters(int *begins, const unsigned char *text, int n)
{
    int t = blockIdx.x * 128 + threadIdx.x;
    if (16 * t >= n)
        return;
    uint4 w = ((const uint4 *)text)[t];
    begins[t] = 16 - continued(w.x) - continued(w.y) - continued(w.z) -
                continued(w.w);
}
