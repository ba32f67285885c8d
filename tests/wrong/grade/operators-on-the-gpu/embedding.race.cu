// says: race: 
__global__ void embedding(float *dw, const int *token, const float *dy,
                          int N, int C)
{
    int c = threadIdx.x, v = blockIdx.x;
    if (c >= C)
        return;
    float sum = 0;
    for (int n = 0; n < N; n++)
        if (n % 16 == v)
            dw[token[n] * C + c] += dy[n * C + c];
}
