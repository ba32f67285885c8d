/* Appendix K, Timing the operators: K.3.1 The peak of a machine */
/* Tangled from chapters/k-timing.nw by `make tangle`; edit it there. */

#include "lab/machine_peak.h"
#include "ops/gpu.h"
#include "ops/machine.h"

/* a kernel of nothing but multiply-adds (K.3.1) */
enum { CHAINS = 8, TURNS = 256 };

/* Eight sums that do not wait for each other, as on the CPU. */
__global__ void multiply_adds(float *sink, float a)
{
    float x[CHAINS];
    #pragma unroll
    for (int i = 0; i < CHAINS; i++)
        x[i] = a + i + threadIdx.x;
    for (int t = 0; t < TURNS; t++)
        #pragma unroll
        for (int i = 0; i < CHAINS; i++)
            x[i] = fmaf(a, x[i], a);
    #pragma unroll
    for (int i = 1; i < CHAINS; i++)
        x[0] += x[i];
    if (x[0] == 42)                     /* never, but who knows */
        sink[0] = x[0];
}

/* machine_peak_gflops: more blocks until it takes long enough (K.3.1) */
double machine_peak_gflops(double seconds)
{
    double best = 0, spent = 0;
    cudaEvent_t start, end;
    CUDA_OK(cudaEventCreate(&start));
    CUDA_OK(cudaEventCreate(&end));
    float *sink = (float *)machine_alloc(sizeof *sink, "a measurement");
    for (size_t blocks = 1; spent < seconds && blocks < 1 << 24;
         blocks *= 2) {
        /* ms = the time of a launch of that many blocks (K.3.1) */
        float ms;
        CUDA_OK(cudaEventRecord(start, machine_stream));
        multiply_adds<<<(unsigned)blocks, THREADS, 0, machine_stream>>>(sink, 0.5f);
        LAUNCHED();
        CUDA_OK(cudaEventRecord(end, machine_stream));
        CUDA_OK(cudaEventSynchronize(end));
        CUDA_OK(cudaEventElapsedTime(&ms, start, end));
        double flop = 2.0 * CHAINS * TURNS * THREADS * (double)blocks;
        best = fmax(best, flop / ms / 1e6);
        spent += ms / 1e3;
    }
    machine_free(sink);
    CUDA_OK(cudaEventDestroy(start));
    CUDA_OK(cudaEventDestroy(end));
    return best;
}
