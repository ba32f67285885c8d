// says: sectors (read|written) .*over
__global__ void embedding(float *dw, const int *token, const float *dy,
                          int N, int C)
{
    int c = threadIdx.x, v = blockIdx.x;
    if (c >= C)
        return;
    float sum = 0;
    for (int n = 0; n < N; n++)
        if (token[n] == v)
            *(volatile float *)&dw[v * C + c] += dy[n * C + c];
}
