/* Tangled from chapters/machine/throughput-machine.nw, "A CUDA program in five steps".  Edit it there. */

/* vector-add: c = a + b on a GPU, every element checked. */
#include "backend/cuda.h"
extern "C" {
#include "base/args.h"
}
#include <stdio.h>
#include <stdlib.h>

/* the kernel: one thread adds one pair */
/* c[i] = a[i] + b[i] for i < n
 *   launch   at least n threads in a grid of one dimension
 *   moves    12 n bytes, 1 FLOP for each 12
 *   ceiling  memory
 */
__global__ void add(float *c, const float *a, const float *b, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

/* its launcher */
static void add_launch(float *c, const float *a, const float *b, size_t n,
                       int threads)
{
    size_t blocks = (n + (size_t)threads - 1) / (size_t)threads;
    if (blocks == 0)
        return;                         /* a grid of 0 is an error */
    add<<<(unsigned)blocks, threads>>>(c, a, b, n);
    CUDA_OK(cudaGetLastError());
}

/* the options of vector-add */
static int n = 1 << 20, threads = 256;

static const struct Option options[] = {
    { "n", OPT_INT, &n, 0, 1 << 30, "N", "elements", NULL },
    { "threads", OPT_INT, &threads, 1, 1024, "T",
      "threads in a block", NULL },
    { NULL, OPT_END, NULL, 0, 0, NULL, NULL, NULL },
};

static const struct Usage usage = {
    "[options]", "Add two vectors on the GPU and check the sums.", NULL
};

/* the five steps of the host */
int main(int argc, char **argv)
{
    args_options(argc, argv, options, &usage);
    size_t bytes = (size_t)n * sizeof(float);
    /* fill two vectors on the host */
    float *h_a = (float *)malloc(bytes);
    float *h_b = (float *)malloc(bytes);
    float *h_c = (float *)malloc(bytes);
    if (!h_a || !h_b || !h_c)
        fail("no memory for three vectors of %zu bytes", bytes);
    for (int i = 0; i < n; i++) {
        h_a[i] = (float)(i % 1000) + 0.5f;
        h_b[i] = (float)(i % 777) - 3.25f;
        h_c[i] = NAN;
    }
    /* put them on the device */
    float *d_a, *d_b, *d_c;
    CUDA_OK(cudaMalloc(&d_a, bytes));
    CUDA_OK(cudaMalloc(&d_b, bytes));
    CUDA_OK(cudaMalloc(&d_c, bytes));
    CUDA_OK(cudaMemcpy(d_a, h_a, bytes, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(d_b, h_b, bytes, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(d_c, h_c, bytes, cudaMemcpyHostToDevice));
    add_launch(d_c, d_a, d_b, (size_t)n, threads);
    CUDA_OK(cudaMemcpy(h_c, d_c, bytes, cudaMemcpyDeviceToHost));
    /* compare each element with the host's own sum */
    size_t wrong = 0;
    for (int i = n; i-- > 0; )
        if (!(h_c[i] == h_a[i] + h_b[i]) && wrong++ < 3)
            warn("c[%d] is %g, expected %g", i, h_c[i], h_a[i] + h_b[i]);
    if (wrong)
        fail("%zu of %d sums are wrong", wrong, n);
    printf("%d sums, all right\n", n);
    /* give everything back */
    CUDA_OK(cudaFree(d_a));
    CUDA_OK(cudaFree(d_b));
    CUDA_OK(cudaFree(d_c));
    free(h_a);
    free(h_b);
    free(h_c);
    return 0;
}
