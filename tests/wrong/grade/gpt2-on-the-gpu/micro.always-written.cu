// says: elements are wrong
__device__ float from_bf16(unsigned short h)
{
    return __uint_as_float((unsigned)h << 16);
}

__global__ void bias(float *db, const unsigned short *dy, int N, int C,
                     int add)
{
    int c = blockIdx.x * 64 + threadIdx.x;
    if (c >= C)
        return;
    float sum = 0;
    for (int n = 0; n < N; n++)
        sum += from_bf16(dy[n * C + c]);
    db[c] = sum;
}
