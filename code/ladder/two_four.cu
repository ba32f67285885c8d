/* Tangled from chapters/workshop/measuring-ceilings.nw, "Two of four, packed and multiplied".  Edit it there. */

#include "ladder/two_four.h"

#include "backend/cuda.h"
#include "ops/kernels/ptx.cuh"

enum { WARPS = 4 };

/* a step of 32 columns, two of four or dense */
/* d += 32 columns of 16 rows of a, times b.  Words of two numbers: a at
 * row g, place t, `down` words from row g + 8. */
__device__ static void step(float d[4], const uint32_t *a, size_t down,
                            const uint32_t b[4], uint32_t places)
{
    const uint32_t w[4] = { a[0], a[down], a[4], a[down + 4] };
    mma_sp_m16n8k32(d, w, b, places);
}

__device__ static void dense_step(float d[4], const uint32_t *a,
                                  size_t down, const uint32_t b[4])
{
    for (int k = 0; k < 2; k++, a += 8) {
        const uint32_t w[4] = { a[0], a[down], a[4], a[down + 4] };
        mma_m16n8k16(d, w, b[2 * k], b[2 * k + 1]);
    }
}

/* a tile of the result for each warp */
template <bool SPARSE>
__global__ void tile_matmul(float *y, const uint32_t *a,
                            const uint32_t *places, const uint32_t *x,
                            int N, int K)
{
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const int n = (blockIdx.y * WARPS + threadIdx.x / 32) * 8;
    const int words = SPARSE ? K / 4 : K / 2;           /* of a row of a */
    if (n >= N)
        return;                                         /* the whole warp */
    /* point at this lane's part of the operands */
    const size_t m = blockIdx.x * 16, down = (size_t)8 * words;
    a += (m + g) * words + t;
    x += (size_t)(n + g < N ? n + g : N - 1) * (K / 2) + t;
    places += SPARSE ? blockIdx.x * (size_t)(K / 32) * 16 + 2 * g + t % 2 : 0;
    float d[4] = {};
    for (int k = 0; k < K / 32; k++, x += 16) {
        const uint32_t b[4] = { x[0], x[4], x[8], x[12] };
        if (SPARSE)
            step(d, a + 8 * k, down, b, places[16 * k]);
        else
            dense_step(d, a + 16 * k, down, b);
    }
    /* write the tile, as far as there are columns */
    for (int i = 0; i < 4; i++) {
        const int column = n + 2 * t + i % 2;
        if (column < N)
            y[(m + g + i / 2 * 8) * N + column] = d[i];
    }
}

/* launch both products */
void two_four_matmul(float *y, const struct TwoFour *a, const uint16_t *x,
                     int N)
{
    const dim3 grid(a->M / 16, (N + 8 * WARPS - 1) / (8 * WARPS));
    if (N)
        tile_matmul<true><<<grid, 32 * WARPS>>>(y,
            (const uint32_t *)a->value, a->places, (const uint32_t *)x, N,
            a->K);
    CUDA_OK(cudaGetLastError());
}

void dense_matmul(float *y, const uint16_t *a, const uint16_t *x, int M,
                  int N, int K)
{
    const dim3 grid(M / 16, (N + 8 * WARPS - 1) / (8 * WARPS));
    if (N)
        tile_matmul<false><<<grid, 32 * WARPS>>>(y, (const uint32_t *)a,
            NULL, (const uint32_t *)x, N, K);
    CUDA_OK(cudaGetLastError());
}
