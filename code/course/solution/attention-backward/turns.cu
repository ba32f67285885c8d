/* Tangled from chapters/course/attention-backward-solutions.nw, "Broken: blocks that add in turns".  Edit it there. */

__global__ void turns(float *dq, int *turn, const float *part, int T)
{
    const float *mine = part + 8 * T * blockIdx.x;
    for (int i = blockIdx.x; 16 * i < T; i++) {
        int n = 128 * i + threadIdx.x;
        if (threadIdx.x == 0) {
            while (atomicAdd(&turn[i], 0) != blockIdx.x)
                ;
            __threadfence();
        }
        __syncthreads();
        if (n < 8 * T)
            dq[n] = blockIdx.x == 0 ? mine[n] : dq[n] + mine[n];
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicExch(&turn[i], blockIdx.x + 1);
        }
    }
}
