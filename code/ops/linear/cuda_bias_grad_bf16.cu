/* Tangled from chapters/workshop/fused-details.nw, "Sums of columns".  Edit it there. */

#include "ops/fp32/fp32.h"
#include "ops/kernels/common.cuh"
#include "ops/linear/bias_grad_bf16.h"
#include "ops/operators.h"

/* sum_parts: add up the sums of blocks */
enum { GROUPS = 32, LOADS = 8 };

/* sum_parts: the kernel */
/* 32 columns for each block, a warp for every 32nd part.
 *   launch    (ceil(C / 32), sums) blocks of 32 x 32
 *   shared    4,096 bytes */
__global__ void sum_parts_kernel(struct Parts p, int C, bool accumulate)
{
    __shared__ float sums[GROUPS][32];
    const int c = 32 * blockIdx.x + threadIdx.x, k = blockIdx.y;
    float sum = 0;
    for (int i = threadIdx.y; i < p.parts; i += LOADS * GROUPS) {
        /* ask for LOADS parts, then add them up */
        float v[LOADS];
        #pragma unroll
        for (int j = 0; j < LOADS; j++)
            v[j] = i + j * GROUPS < p.parts && c < C
                 ? p.part[((size_t)(i + j * GROUPS) * p.sums + k) * C + c]
                 : 0;
        #pragma unroll
        for (int j = 0; j < LOADS; j++)
            sum += v[j];
    }
    /* add up the groups; write or add to the column's sum */
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y || c >= C)
        return;
    for (int g = 1; g < GROUPS; g++)
        sum += sums[g][threadIdx.x];
    float *to = k == 0 ? p.sum[0] : k == 1 ? p.sum[1] : p.sum[2];
    if (to)
        to[c] = accumulate ? to[c] + sum : sum;
}

void sum_parts(const struct Parts *p, int C, bool accumulate)
{
    if (!p->part)
        return;
    const dim3 grid(blocks_for(C, 32), p->sums), block(32, GROUPS);
    sum_parts_kernel<<<grid, block, 0, backend_stream()>>>(*p, C,
                                                       accumulate);
    LAUNCHED();
}

/* bias_grad_bf16: a thread per pack, fixed pieces of the rows */
enum { COLUMN_WARPS = 16, AHEAD = 8, PITCH = 36 };

/* column sums: the kernel */
/* part[piece][c] = the sum of x[n,c] over the rows of a piece.
 *   launch    (ceil(C / 32 W), pieces) blocks of 32 x 16: at most 396 of
 *             them where C allows, three for each multiprocessor
 *   moves     NC numbers                   ceiling   memory */
template <int W, typename E>
__global__ void column_sums_kernel(float *part, const E *x, int N, int C,
                                   int rows)
{
    __shared__ float sums[COLUMN_WARPS][PITCH * W];
    const int c = W * (32 * blockIdx.x + threadIdx.x);
    const int end = min((int)(blockIdx.y + 1) * rows, N);
    float sum[W] = {};
    int n = blockIdx.y * rows + threadIdx.y;
    for (; n < end; n += AHEAD * COLUMN_WARPS) {
        /* read AHEAD rows and add them up */
        Pack<W, E> row[AHEAD];
        #pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            row[k] = Pack<W, E>{};
            if (n + k * COLUMN_WARPS < end && c < C)
                row[k] = pack_load<W>(x + (size_t)(n + k * COLUMN_WARPS) * C + c);
        }

        /* add the packs of AHEAD rows to sum */
        #pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            float v[W];
            pack_get(v, row[k]);
            #pragma unroll
            for (int i = 0; i < W; i++)
                sum[i] += v[i];
        }
    }
    /* add up the sums of the warps and store them */
    #pragma unroll
    for (int i = 0; i < W; i++)
        sums[threadIdx.y][PITCH * i + threadIdx.x] = sum[i];
    __syncthreads();
    for (int i = 32 * threadIdx.y + threadIdx.x; i < 32 * W;
         i += 32 * COLUMN_WARPS) {
        float total = 0;
        for (int k = 0; k < COLUMN_WARPS; k++)
            total += sums[k][PITCH * (i % W) + i / W];
        const int column = W * 32 * blockIdx.x + i;
        if (column < C)
            part[(size_t)blockIdx.y * C + column] = total;
    }
}

template <int W, typename E>
static void column_sums(float *sum, const E *x, int N, int C,
                        bool accumulate)
{
    /* pieces, rows = how many pieces, and of how many rows */
    const unsigned tiles = blocks_for(C, 32 * W);
    int pieces = 396 / (int)tiles > 1 ? 396 / (int)tiles : 1;
    const int most = (N + COLUMN_WARPS - 1) / COLUMN_WARPS;
    pieces = pieces < most ? pieces : most;
    const int rows = (N + pieces - 1) / pieces;
    pieces = (N + rows - 1) / rows;
    const dim3 grid(tiles, pieces), block(32, COLUMN_WARPS);
    float *part = (float *)backend_scratch(
        (size_t)pieces * C * sizeof *part);
    if (!part)
        return;
    column_sums_kernel<W><<<grid, block, 0, backend_stream()>>>(
        part, x, N, C, rows);
    LAUNCHED();
    const struct Parts sums = { { sum }, part, 1, pieces };
    sum_parts(&sums, C, accumulate);
}

void bias_grad_bf16(float *sum, const bf16 *x, int N, int C,
                    bool accumulate)
{
    if (C % 8 == 0)
        column_sums<8>(sum, x, N, C, accumulate);
    else
        column_sums<1>(sum, x, N, C, accumulate);
}

/* column sums for floats */
bool fp32_bias_bwd(float *db, const float *dy, int N, int OC,
                   bool accumulate)
{
    if (!fp32_terms() || OC % 4 || !fp32_aligned(dy, NULL, NULL))
        return false;
    column_sums<4>(db, dy, N, OC, accumulate);
    return true;
}
