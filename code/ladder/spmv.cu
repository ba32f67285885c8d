/* Tangled from chapters/machine/roofline.nw, "Dense against sparse".  Edit it there. */

#include "ladder/spmv.h"

#include "backend/cuda.h"

/* spmv: a row for a thread */
__global__ void spmv_scalar(float *y, struct Csr a, const float *x)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= a.rows)
        return;
    float sum = 0;
    for (int i = a.start[r]; i < a.start[r + 1]; i++)
        sum += a.value[i] * x[a.column[i]];
    y[r] = sum;
}

/* spmv: a row for a warp */
__global__ void spmv_vector(float *y, struct Csr a, const float *x)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (r >= a.rows)
        return;
    float sum = 0;
    for (int i = a.start[r] + lane; i < a.start[r + 1]; i += 32)
        sum += a.value[i] * x[a.column[i]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[r] = sum;
}

/* spmv: a row for a few lanes */
/* LANES, a power of two, work on a row; 32 / LANES rows in a warp.  No
 * lane leaves before the shuffles. */
template <int LANES>
__global__ void spmv_lanes(float *y, struct Csr a, const float *x)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    int lane = threadIdx.x % LANES;
    float sum = 0;
    if (r < a.rows)
        for (int i = a.start[r] + lane; i < a.start[r + 1]; i += LANES)
            sum += a.value[i] * x[a.column[i]];
    for (int d = LANES / 2; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (r < a.rows && lane == 0)
        y[r] = sum;
}

/* spmv: launches */
#define LAUNCH(name, kernel, lanes)                                    \
    static void name(float *y, const struct Csr *a, const float *x)    \
    {                                                                  \
        unsigned blocks = (unsigned)(((long long)a->rows * (lanes)     \
                                      + 255) / 256);                   \
        if (blocks)                                                    \
            kernel<<<blocks, 256>>>(y, *a, x);                         \
        CUDA_OK(cudaGetLastError());                                   \
    }
LAUNCH(scalar, spmv_scalar, 1)
LAUNCH(four_lanes, spmv_lanes<4>, 4)
LAUNCH(eight_lanes, spmv_lanes<8>, 8)
LAUNCH(vector, spmv_vector, 32)

const struct Spmv *spmvs(void)
{
    static const struct Spmv ladder[] = {
        { "scalar", scalar }, { "lanes4", four_lanes },
        { "lanes8", eight_lanes }, { "vector", vector }, { NULL, NULL },
    };
    return ladder;
}
