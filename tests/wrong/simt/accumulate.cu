// uninitialised: adds to a gradient that nobody set to zero
#include "wrong.h"

__global__ void accumulate(float *dw, const float *dy, int rows)
{
    int c = threadIdx.x;
    float sum = 0;
    for (int r = 0; r < rows; r++)
        sum += dy[r * 64 + c];
    dw[c] += sum;                               // HERE
}

int main()
{
    float *dy = numbers<float>(256), *dw;
    cudaMalloc(&dw, 64 * sizeof *dw);
#ifdef RIGHT
    cudaMemset(dw, 0, 64 * sizeof *dw);
#endif
    accumulate<<<1, 64>>>(dw, dy, 4);
    finish();
    cudaFree(dw);
    cudaFree(dy);
}
