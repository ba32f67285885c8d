/* Tangled from chapters/gpt2/operators-on-the-gpu.nw, "A block for each tile: the matmul".  Edit it there. */

#include <stdint.h>
#include "ops/kernels/common.cuh"
#include "ops/matmul/matmul_impls.h"

/* a tile of 32 x 32, and the threads that share it */
enum { TILE = 32, STEP = 8, PART = TILE / STEP };

typedef float Tile[TILE][TILE + 1];         /* the + 1: see the text */

/* load a tile, transposed or not */
/* tile[i][j] = op(m)[row + i][col + j], zero outside rows x cols.  The
 * neighbours in a warp read neighbours in memory either way. */
__device__ static __forceinline__ void
load_tile(Tile tile, const float *m, size_t ld, int row, int col,
          int rows, int cols, bool transposed)
{
    const int x = threadIdx.x;
    for (int y = threadIdx.y; y < TILE; y += STEP)
        if (transposed)
            tile[x][y] = row + x < rows && col + y < cols
                       ? m[(col + y) * ld + row + x] : 0;
        else
            tile[y][x] = row + y < rows && col + x < cols
                       ? m[(row + y) * ld + col + x] : 0;
}

/* gemm: a block per tile of c */
/* c = op(a) op(b) + bias, or c += with GEMM_ADD: a block makes a tile of
 * 32 x 32, a thread four of its rows in one column.
 *   launch    ceil(N/32) x ceil(M/32) blocks of 32 x 8
 *   shared    8,448 bytes
 *   moves     4 MNK / 16 bytes from L2, plus c
 *   ceiling   shared memory: 5 reads for 4 fused multiply-adds
 *   numerics  each sum runs over k in order, one rounding each */
__global__ void gemm_tile_kernel(float *c, size_t ldc, const float *a,
                                 size_t lda, const float *b, size_t ldb,
                                 const float *bias, int M, int N, int K,
                                 int flags)
{
    __shared__ Tile as, bs;
    const int m = blockIdx.y * TILE, n = blockIdx.x * TILE;
    float sum[PART] = { 0 };
    for (int k = 0; k < K; k += TILE) {
        /* load the tiles at depth k, and use them */
        load_tile(as, a, lda, m, k, M, K, flags & GEMM_TA);
        load_tile(bs, b, ldb, k, n, K, N, flags & GEMM_TB);
        __syncthreads();

        /* add the products of one pair of tiles */
        for (int j = 0; j < TILE; j++) {
            const float bj = bs[j][threadIdx.x];
            #pragma unroll
            for (int i = 0; i < PART; i++)
                sum[i] = fmaf(as[threadIdx.y + STEP * i][j], bj, sum[i]);
        }
        __syncthreads();
    }
    /* write the sums of this thread to c */
    const int col = n + threadIdx.x;
    #pragma unroll
    for (int i = 0; i < PART; i++) {
        const int row = m + threadIdx.y + STEP * i;
        if (row < M && col < N) {
            float *to = c + row * ldc + col;
            float y = flags & GEMM_ADD ? *to + sum[i] : sum[i];
            *to = bias ? y + bias[col] : y;
        }
    }
}

/* launch gemm */
bool gemm_tiles(const struct Gemm *g)
{
    const dim3 grid(blocks_for(g->N, TILE), blocks_for(g->M, TILE));
    if (grid.y > 65535)
        backend_failed("gemm: %d rows; this kernel takes %d", g->M,
                       65535 * TILE);
    gemm_tile_kernel<<<grid, dim3(TILE, STEP), 0, backend_stream()>>>(
        g->c, g->ldc, g->a, g->lda, g->b, g->ldb, g->bias, g->M, g->N,
        g->K, g->flags);
    LAUNCHED();
    return true;
}
