/* Tangled from chapters/workshop/sanitizer-records.nw, "Three programs".  Edit it there. */

/* lost-updates: kernels with races, 1,000 times each: how often does the
 * result show it? */
#include <stdio.h>
#include <stdlib.h>

/* lost-updates: three kernels with a race */
/* count without atomic operations */
__global__ void histogram(int *count, const int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        count[x[i] % 128]++;
}

/* reverse a block without a barrier */
__global__ void reverse(int *y, const int *x)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = x[t];
    y[t] = s[blockDim.x - 1 - t];
}

__global__ void shift(int *y, const int *x)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = x[t];
    y[t] = t >= 32 ? s[t - 32] : 0;
}

enum { MOST = 65536 * 128, RUNS = 1000 };
static int *x, *y, host[1024];

/* lost-updates: how many counts are lost */
static void lost_counts(int blocks)
{
    int wrong = 0;
    double lost = 0, all = blocks * 128.0;
    for (int r = 0; r < RUNS; r++) {
        double sum = 0;
        cudaMemset(y, 0, sizeof host);
        histogram<<<blocks, 128>>>(y, x, blocks * 128);
        cudaMemcpy(host, y, 512, cudaMemcpyDeviceToHost);
        for (int k = 0; k < 128; k++)
            sum += host[k];
        wrong += sum != all;
        lost += (all - sum) / all;
    }
    printf("histogram, %d blocks: wrong %d of %d times, lost %.4f %%\n",
           blocks, wrong, RUNS, 100 * lost / RUNS);
}

/* lost-updates: how often a barrier is missed */
static void missed_barriers(int threads)
{
    int wrong[2] = { 0 };
    for (int r = 0; r < 2 * RUNS; r++) {
        bool bad = false;
        cudaMemset(y, 0xff, sizeof host);
        if (r % 2)
            shift<<<1, threads, sizeof host>>>(y, x);
        else
            reverse<<<1, threads, sizeof host>>>(y, x);
        cudaMemcpy(host, y, threads * sizeof *y, cudaMemcpyDeviceToHost);
        for (int t = 0; t < threads; t++)
            bad |= host[t] != (r % 2 ? (t >= 32 ? t - 32 : 0)
                                     : threads - 1 - t);
        wrong[r % 2] += bad;
    }
    printf("%d threads: reverse wrong %d of %d times, shift %d\n", threads,
           wrong[0], RUNS, wrong[1]);
}

int main()
{
    int *numbers = (int *)malloc(MOST * sizeof *numbers);
    cudaMalloc(&x, MOST * sizeof *x);
    cudaMalloc(&y, sizeof host);
    for (int i = 0; i < MOST; i++)
        numbers[i] = i;
    cudaMemcpy(x, numbers, MOST * sizeof *x, cudaMemcpyHostToDevice);
    for (int blocks = 1; blocks <= 65536; blocks *= 4)
        lost_counts(blocks);
    for (int threads = 32; threads <= 1024; threads *= 2)
        missed_barriers(threads);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(x);
    cudaFree(y);
    free(numbers);
}
