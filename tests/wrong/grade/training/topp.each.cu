// says: sectors read .*over
__global__ void top_p(int *cut, const int *weight, const int *goal, int V)
{
    __shared__ int largest;
    const int *row = weight + blockIdx.x * V;
    if (threadIdx.x == 0)
        largest = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < V; i += 256) {
        int sum = 0;
        for (int k = 0; k < V; k++)
            if (row[k] >= row[i])
                sum += row[k];
        if (sum >= goal[blockIdx.x])
            atomicMax(&largest, row[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        cut[blockIdx.x] = largest;
}
