// says: race: 
__global__ void embedding(float *dw, const int *token, const float *dy,
                          int N, int C)
{
    int c = threadIdx.x, v = blockIdx.x;
    float sum = 0;
    for (int n = 0; n < N; n++)
        if (token[n] == v)
            sum += dy[n * C + c];
    dw[v * C + c] += sum;
}
