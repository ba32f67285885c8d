// says: uninitialised: 
__global__ void turns(float *dq, int *turn, const float *part, int T)
{
    const float *mine = part + 8 * T * blockIdx.x;
    for (int i = blockIdx.x; 16 * i < T; i++) {
        int n = 128 * i + threadIdx.x;
        if (n < 8 * T)
            atomicAdd(&dq[n], mine[n]);
    }
}
