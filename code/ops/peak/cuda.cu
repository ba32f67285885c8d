/* Tangled from chapters/workshop/timing-operators.nw, "The peak of a machine".  Edit it there. */

#include <stdio.h>
#include "backend/backend.h"
#include "backend/stated_peak.h"
#include "ops/kernels/common.cuh"
#include "ops/matmul/matmul_bf16.h"
#include "ops/operators.h"
#include "ops/peak/peak.h"

/* a kernel of nothing but multiply-adds */
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

/* backend_peak_gflops: more blocks until it takes long enough */
double cuda_backend_peak_gflops(double seconds)
{
    double best = 0, spent = 0;
    cudaEvent_t start = NULL, end = NULL;
    CUDA_TRY(cudaEventCreate(&start));
    CUDA_TRY(cudaEventCreate(&end));
    float *sink = (float *)backend_alloc(sizeof *sink, "a measurement");
    for (size_t blocks = 1; spent < seconds && blocks < 1 << 24;
         blocks *= 2) {
        if (!backend_ok(NULL))
            break;
        /* ms = the time of a launch of that many blocks */
        float ms = 0;
        CUDA_TRY(cudaEventRecord(start, backend_stream()));
        multiply_adds<<<(unsigned)blocks, THREADS, 0, backend_stream()>>>(sink,
                          0.5f);
        LAUNCHED();
        CUDA_TRY(cudaEventRecord(end, backend_stream()));
        CUDA_TRY(cudaEventSynchronize(end));
        CUDA_TRY(cudaEventElapsedTime(&ms, start, end));
        double flop = 2.0 * CHAINS * TURNS * THREADS * (double)blocks;
        best = fmax(best, flop / ms / 1e6);
        spent += ms / 1e3;
    }
    backend_free(sink);
    CUDA_TRY(cudaEventDestroy(start));
    CUDA_TRY(cudaEventDestroy(end));
    return backend_ok(NULL) ? best : 0;
}

/* measure the tensor cores of a GPU that is not in the table */
/* anything but zeros, which need less power and run at a higher clock */
__global__ void fill_kernel(bf16 *x)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = float_to_bf16((i * 2654435761u >> 8) * 0x1p-23f - 1);
}

static double measure_product(void)
{
    enum { SIDE = 8192, TIMES = 10 };
    const size_t bytes = (size_t)SIDE * SIDE * sizeof(bf16);
    bf16 *at = (bf16 *)backend_alloc(3 * bytes, "a measurement");
    if (!at)
        return 0;
    fill_kernel<<<SIDE * (SIDE / 128), 256, 0, backend_stream()>>>(at);
    LAUNCHED();
    struct MatmulBf16 p = { };
    p.M = p.N = p.K = SIDE;
    p.a = at, p.b = at + bytes / 2, p.out = at + bytes;
    cudaEvent_t start = NULL, end = NULL;
    float ms = 0;
    CUDA_TRY(cudaEventCreate(&start));
    CUDA_TRY(cudaEventCreate(&end));
    matmul_bf16(&p);
    CUDA_TRY(cudaEventRecord(start, backend_stream()));
    for (int i = 0; i < TIMES; i++)
        matmul_bf16(&p);
    CUDA_TRY(cudaEventRecord(end, backend_stream()));
    CUDA_TRY(cudaEventSynchronize(end));
    CUDA_TRY(cudaEventElapsedTime(&ms, start, end));
    CUDA_TRY(cudaEventDestroy(start));
    CUDA_TRY(cudaEventDestroy(end));
    backend_free(at);
    return backend_ok(NULL) ? 2.0 * SIDE * SIDE * SIDE * TIMES / (ms / 1e3)
                            : 0;
}

/* backend_peak: from the table, or measured */
double cuda_backend_peak(const char *precision, double seconds,
                         char *source, size_t size)
{
    struct cudaDeviceProp gpu;
    const bool real_gpu = backend_kind() == BACKEND_CUDA;
    const char *row;
    snprintf(source, size, "measured");
    if (!CUDA_TRY(cudaGetDeviceProperties(&gpu, backend_device())))
        return 0;
    const double peak = real_gpu ? stated_peak(gpu.name, precision, &row)
                                 : 0;
    if (peak > 0) {
        snprintf(source, size, "stated for the %s", row);
        return peak;
    }
    if (!real_gpu || precision[0] == 'f')
        return 1e9 * backend_peak_gflops(seconds);
    return measure_product() / (precision[0] == 't' ? 2 : 1);
}
