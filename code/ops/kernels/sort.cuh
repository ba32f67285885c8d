/* Tangled from chapters/workshop/measuring-reductions.nw, "The passes of the sort".  Edit it there. */

/* A stable sort of integers. */
#ifndef OPS_KERNELS_SORT_CUH
#define OPS_KERNELS_SORT_CUH

#include "ops/kernels/common.cuh"

/* sort: count */
enum { RADIX = THREADS, MAX_TILES = 64 };

/* For a pass of a stable sort by the eight bits from `shift` on.  A tile
 * is `tile` adjacent keys; count[b][d] = how many keys of tile b have
 * digit d.
 *   launch    a block of 256 for each tile */
__global__ void sort_count(int *count, const int *key, int N, int tile,
                           int shift)
{
    __shared__ int sums[RADIX];
    sums[threadIdx.x] = 0;
    __syncthreads();
    const int first = blockIdx.x * tile, end = min(first + tile, N);
    for (int i = first + threadIdx.x; i < end; i += THREADS)
        atomicAdd(&sums[key[i] >> shift & (RADIX - 1)], 1);
    __syncthreads();
    count[blockIdx.x * RADIX + threadIdx.x] = sums[threadIdx.x];
}

/* sort: move */
/* Keys and places of a tile go where they belong: after all smaller
 * digits, after the same digit in tiles before, in their own order.
 * place == NULL: the place of key i is i. */
__global__ void sort_move(int *key_out, int *place_out, const int *key,
                          const int *place, const int *count, int N,
                          int tile, int shift)
{
    __shared__ int at[WARPS][RADIX], total[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int part = tile / WARPS;              /* of each warp */
    const int first = blockIdx.x * tile + warp * part;
    const int end = min(first + part, N);
    /* set at[w][d] to the number of keys of warp w with digit d */
    for (int w = 0; w < WARPS; w++)
        at[w][threadIdx.x] = 0;
    __syncthreads();
    for (int i = first + lane; i - lane < end; i += 32) {
        /* set mates to the lanes with the digit of key i */
        const int digit = i < end ? key[i] >> shift & (RADIX - 1) : RADIX;
        const unsigned mates = __match_any_sync(WHOLE_WARP, digit);
        if (digit < RADIX && lane == __ffs(mates) - 1)
            at[warp][digit] += __popc(mates);
        __syncwarp();
    }
    /* set at[w][d] to where digit d of warp w begins */
    int all = 0, mine = 0;                          /* of digit threadIdx.x */
    #pragma unroll
    for (int b = 0; b < MAX_TILES; b++) {           /* all loads at once */
        const int n = b < (int)gridDim.x ? count[b * RADIX + threadIdx.x] : 0;
        all += n;
        mine += b < (int)blockIdx.x ? n : 0;
    }
    int below = all;                                /* and of smaller ones */
    for (int d = 1; d < 32; d *= 2) {
        const int other = __shfl_up_sync(WHOLE_WARP, below, d);
        below += lane >= d ? other : 0;
    }
    if (lane == 31)
        total[warp] = below;
    __syncthreads();
    for (int w = 0; w < warp; w++)
        below += total[w];
    mine += below - all;
    for (int w = 0; w < WARPS; w++) {
        const int n = at[w][threadIdx.x];
        at[w][threadIdx.x] = mine;
        mine += n;
    }
    __syncthreads();
    for (int i = first + lane; i - lane < end; i += 32) {
        /* set mates to the lanes with the digit of key i */
        const int digit = i < end ? key[i] >> shift & (RADIX - 1) : RADIX;
        const unsigned mates = __match_any_sync(WHOLE_WARP, digit);
        /* move key i after those before it */
        const int to = digit < RADIX ? at[warp][digit] : 0;
        __syncwarp();
        if (digit < RADIX) {
            const int before = __popc(mates & ((1u << lane) - 1));
            key_out[to + before] = key[i];
            place_out[to + before] = place ? place[i] : i;
            if (before == 0)
                at[warp][digit] = to + __popc(mates);
        }
        __syncwarp();
    }
}

/* sort: all passes */
/* Sorts key[0..N) by its lowest 8 passes bits; equal keys keep their
 * order.  The result is the sorted keys, in one of buffer[2]; place[i] =
 * where key i of them was.
 *
 *   memory     on the device: place, other and both buffers [N],
 *              table [MAX_TILES RADIX]; key is not changed, and is none of
 *              them
 *   sizes      1 <= N <= 2^30, 1 <= passes <= 4; keys are not negative
 *   launch     two kernels a pass; whether they began is the caller's to
 *              ask (cudaGetLastError) */
static inline const int *radix_sort(int *place, int *other,
                                    int *const buffer[2], int *table,
                                    const int *key, int N, int passes,
                                    cudaStream_t stream)
{
    const int *from = NULL;
    int tile = (N + MAX_TILES - 1) / MAX_TILES;
    tile = (tile + THREADS - 1) / THREADS * THREADS;
    const int tiles = (N + tile - 1) / tile;
    for (int p = 0; p < passes; p++) {
        int *to = (passes - p) % 2 ? place : other;
        sort_count<<<tiles, THREADS, 0, stream>>>(table, key, N, tile,
                                                 8 * p);
        sort_move<<<tiles, THREADS, 0, stream>>>(
            buffer[p % 2], to, key, from, table, N, tile, 8 * p);
        key = buffer[p % 2];
        from = to;
    }
    return key;
}

#endif
