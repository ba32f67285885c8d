/* Chapter 18b, Fused operators: 18b.8 The embedding */
/* Tangled from chapters/18b-fused-operators.nw by `make tangle`; edit it there. */

#include "ops/embedding16.h"
#include "ops/gpu.h"

/* embedding16 forward: a warp for four sequences (18b.8) */
enum { AT_ONCE = 4 };                   /* sequences */

/* x[b,t,:] = wte[tokens[b,t],:] + wpe[t,:], a warp for position t of four
 * sequences, which have one row of wpe in common.
 *   launch    T ceil(B / 4) warps, 8 in a block
 *   moves     2 BTC bytes out, 2 C for each different word in   */
template <int W>
__global__ void embedding16_fwd_kernel(bf16 *x, const int32_t *tokens,
                                       const bf16 *wte, const bf16 *wpe,
                                       int B, int T, int C)
{
    const int lane = threadIdx.x % 32;
    const unsigned warp = blockIdx.x * WARPS + threadIdx.x / 32;
    const int t = warp % T, b = warp / T * AT_ONCE;
    if (b >= B)
        return;                         /* a warp leaves whole */
    size_t word[AT_ONCE];
    #pragma unroll
    for (int i = 0; i < AT_ONCE; i++)
        word[i] = tokens[(size_t)min(b + i, B - 1) * T + t];
    for (int c = W * lane; c < C; c += 32 * W) {
        Pack<W> row[AT_ONCE];
        float v[W], u[W];
        #pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            row[i] = pack_load<W>(wte + word[i] * C + c);
        pack_get(u, pack_load<W>(wpe + (size_t)t * C + c));
        /* add u to each row, and write them (18b.8) */
        #pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            if (b + i >= B)
                break;
            pack_get(v, row[i]);
            #pragma unroll
            for (int k = 0; k < W; k++)
                v[k] += u[k];
            pack_put(&row[i], v);
            pack_store(x + ((size_t)(b + i) * T + t) * C + c, row[i]);
        }
    }
}

/* embedding16 backward (18b.8.1) */
/* sort the tokens (18b.8.1) */
enum { RADIX = THREADS, MAX_TILES = 64 };

/* A pass of a stable sort looks at eight bits, from `shift` on, of keys
 * that tiles of `tile` neighbours bring.  count[b][d] = how many of tile b
 * have digit d.
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

/* sort the tokens, continued (18b.8.1) */
/* Keys and places of a tile go where they belong: behind all smaller
 * digits, behind the same digit in tiles before, in their own order.
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
    for (int w = 0; w < WARPS; w++)
        at[w][threadIdx.x] = 0;
    __syncthreads();
    for (int i = first + lane; i - lane < end; i += 32) {
        /* mates = the lanes with the digit of key i (18b.8.1) */
        const int digit = i < end ? key[i] >> shift & (RADIX - 1) : RADIX;
        const unsigned mates = __match_any_sync(WHOLE_WARP, digit);
        if (digit < RADIX && lane == __ffs(mates) - 1)
            at[warp][digit] += __popc(mates);
        __syncwarp();
    }
    /* at[w][d] = where digit d of warp w begins (18b.8.1) */
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
        /* mates = the lanes with the digit of key i (18b.8.1) */
        const int digit = i < end ? key[i] >> shift & (RADIX - 1) : RADIX;
        const unsigned mates = __match_any_sync(WHOLE_WARP, digit);
        /* move key i behind those before it (18b.8.1) */
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

/* embedding16 backward: words, in pieces of the sorted list (18b.8.1) */
enum { PIECE = 64, BATCH = 4 };         /* rows; rows read at a time */

/* Adds to dwte the rows of dx whose words begin and end in a piece of 64
 * entries of the sorted list.  A word that began before leaves the sum of
 * its rows in part[2 piece], one that goes on behind in part[2 piece + 1];
 * one that does both in the former.  A warp does it for 32 W columns. */
template <int W>
__device__ static void piece_of_words(float *dwte, float *part,
                                      const bf16 *dx, const int *key,
                                      const int *place, int piece, int c,
                                      int N, int C)
{
    const int lane = threadIdx.x % 32;
    const int first = piece * PIECE, end = min(first + PIECE, N);
    /* this lane's two entries; the words before and behind (18b.8.1) */
    int keys[2], places[2];
    #pragma unroll
    for (int i = 0; i < 2; i++) {
        const int at = min(first + 32 * i + lane, end - 1);
        keys[i] = key[at];
        places[i] = place[at];
    }
    const int before = first > 0 ? key[first - 1] : -1;
    const int behind = end < N ? key[end] : -1;
    float sum[W] = {}, *half = part + 2 * (size_t)piece * C + c;
    int last = before;
    #pragma unroll 1
    for (int i = 0; i < end - first; i += BATCH) {
        /* read BATCH rows of dx, and what their words have (18b.8.1) */
        Pack<W> row[BATCH];
        float old[BATCH][W];
        int word[BATCH + 1];
        #pragma unroll
        for (int j = 0; j <= BATCH; j++)
            word[j] = i + j < end - first
                    ? __shfl_sync(WHOLE_WARP, i + j < 32 ? keys[0] : keys[1],
                                  (i + j) % 32) : behind;
        #pragma unroll
        for (int j = 0; j < BATCH; j++) {
            const int n = __shfl_sync(WHOLE_WARP, i + j < 32 ? places[0]
                                      : places[1], (i + j) % 32);
            const bool begins = word[j] != (j ? word[j - 1] : last);
            row[j] = Pack<W>{};
            #pragma unroll
            for (int k = 0; k < W; k++)
                old[j][k] = 0;
            if (i + j < end - first && c < C) {
                row[j] = pack_load<W>(dx + (size_t)n * C + c);
                if (begins && word[j] != behind)
                    floats_get<W>(old[j], dwte + (size_t)word[j] * C + c);
            }
        }
        /* add them up; write the sums of the words that end (18b.8.1) */
        #pragma unroll
        for (int j = 0; j < BATCH; j++) {
            if (i + j >= end - first)
                break;
            float v[W];
            pack_get(v, row[j]);
            const bool begins = word[j] != (j ? word[j - 1] : last);
            #pragma unroll
            for (int k = 0; k < W; k++)
                sum[k] = (begins ? old[j][k] : sum[k]) + v[k];
            const bool ends = i + j + 1 == end - first;
            if ((ends || word[j + 1] != word[j]) && c < C)
                floats_put<W>(word[j] == before ? half :
                              word[j] == behind ? half + C :
                              dwte + (size_t)word[j] * C + c, sum);
        }
        last = word[BATCH - 1];
    }
}

/* embedding16 backward: positions (18b.8.1) */
/* dwpe[t,:] += dx[b,t,:] for b = 0, 1, ..., in the W columns from c on. */
template <int W>
__device__ static void position(float *dwpe, const bf16 *dx, int t, int c,
                                int B, int T, int C)
{
    if (c >= C)
        return;
    float sum[W], v[W];
    floats_get<W>(sum, dwpe + (size_t)t * C + c);
    for (int b = 0; b < B; b += 16) {
        Pack<W> row[16];
        #pragma unroll
        for (int j = 0; j < 16; j++)
            row[j] = b + j < B
                   ? pack_load<W>(dx + ((size_t)(b + j) * T + t) * C + c)
                   : Pack<W>{};
        #pragma unroll
        for (int j = 0; j < 16; j++) {
            pack_get(v, row[j]);
            #pragma unroll
            for (int k = 0; k < W; k++)
                sum[k] += v[k];
        }
    }
    floats_put<W>(dwpe + (size_t)t * C + c, sum);
}

/* embedding16 backward: slices of columns (18b.8.1) */
/* Positions and words, for slices of 32 W columns one after the other, so
 * that the second finds in L2 what the first has read.
 *   launch    a warp for each position and each piece of each slice, 8 in
 *             a block, positions before pieces, slice by slice
 *   moves     2 NC bytes in, 8 C for each word and position, parts
 *   ceiling   memory */
template <int W>
__global__ void embedding16_bwd_slices(float *dwte, float *dwpe,
                                       float *part, const bf16 *dx,
                                       const int *key, const int *place,
                                       int B, int T, int C)
{
    const int N = B * T, pieces = (N + PIECE - 1) / PIECE;
    const int blocks_t = (T + WARPS - 1) / WARPS;
    const int blocks = blocks_t + (pieces + WARPS - 1) / WARPS;
    const int block = blockIdx.x % blocks, warp = threadIdx.x / 32;
    const int c = W * (blockIdx.x / blocks * 32 + threadIdx.x % 32);
    if (block < blocks_t) {
        const int t = block * WARPS + warp;
        if (t < T)
            position<W>(dwpe, dx, t, c, B, T, C);
    } else {
        const int piece = (block - blocks_t) * WARPS + warp;
        if (piece < pieces)
            piece_of_words<W>(dwte, part, dx, key, place, piece, c, N, C);
    }
}

/* embedding16 backward: words that reach over pieces (18b.8.1) */
/* The piece in which a word begins that others go on with adds up what
 * they have left.
 *   launch    (pieces, ceil(C / 32 W)) blocks of 8 warps: warp w takes
 *             the w-th of every eight pieces
 *   shared    1,024 W bytes */
template <int W>
__global__ void embedding16_bwd_long(float *dwte, const float *part,
                                     const int *key, int N, int C)
{
    __shared__ float sums[WARPS][32 * W];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int piece = blockIdx.x, first = piece * PIECE;
    const int end = first + PIECE, c = W * (32 * blockIdx.y + lane);
    if (end >= N || key[end] != key[end - 1])
        return;                         /* nothing reaches over */
    const int word = key[end];
    if (first > 0 && key[first - 1] == word)
        return;                         /* it began before */
    /* stop = behind the last piece that goes on with the word (18b.8.1) */
    int stop = piece + 1;
    for (bool all = true; all; ) {          /* 256 pieces at a time */
        const size_t at = (size_t)(stop + (int)threadIdx.x) * PIECE;
        const int same = __syncthreads_count(at < (size_t)N
                                             && key[at] == word);
        stop += same;
        all = same == THREADS;
    }
    float sum[W] = {};
    for (int q = piece + 1 + warp; q < stop; q += 8 * WARPS) {
        /* read eight of their sums and add them up (18b.8.1) */
        float v[8][W];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            #pragma unroll
            for (int k = 0; k < W; k++)
                v[j][k] = 0;
            if (q + j * WARPS < stop && c < C)
                floats_get<W>(v[j], part + 2 * (size_t)(q + j * WARPS) * C + c);
        }
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            #pragma unroll
            for (int k = 0; k < W; k++)
                sum[k] += v[j][k];
        }
    }
    /* add up the warps' sums and the first piece's (18b.8.1) */
    #pragma unroll
    for (int k = 0; k < W; k++)
        sums[warp][32 * k + lane] = sum[k];
    __syncthreads();
    if (warp > 0 || c >= C)
        return;
    #pragma unroll
    for (int k = 0; k < W; k++) {
        float all = part[(2 * (size_t)piece + 1) * C + c + k];
        for (int w = 0; w < WARPS; w++)
            all += sums[w][32 * k + lane];
        dwte[(size_t)word * C + c + k] += all;
    }
}

/* launch embedding16 (18b.8.1) */
void embedding16_fwd(bf16 *x, const int32_t *tokens, const bf16 *wte,
                     const bf16 *wpe, int B, int T, int C)
{
    const size_t fours = (B + AT_ONCE - 1) / AT_ONCE;
    const unsigned blocks = blocks_for(fours * T, WARPS);
    if (C % 8 == 0)
        embedding16_fwd_kernel<8><<<blocks, THREADS, 0, machine_stream>>>(
            x, tokens, wte, wpe, B, T, C);
    else
        embedding16_fwd_kernel<1><<<blocks, THREADS, 0, machine_stream>>>(
            x, tokens, wte, wpe, B, T, C);
    LAUNCHED();
}

/* launch embedding16, continued (18b.8.1) */
/* The memory of a sort, then of the sums. */
struct Sort {
    int *count, *key[2], *place[2];
    float *part;
    int tile, tiles, last;              /* key[last]: sorted */
};

static struct Sort sort_room(int N, int C)
{
    struct Sort s = {};
    const size_t line = ((size_t)N + 31) / 32 * 32;
    const size_t pieces = ((size_t)N + PIECE - 1) / PIECE;
    s.tile = (N + MAX_TILES - 1) / MAX_TILES;
    s.tile = (s.tile + THREADS - 1) / THREADS * THREADS;
    s.tiles = (N + s.tile - 1) / s.tile;
    s.count = (int *)machine_scratch(sizeof(int) * (MAX_TILES * RADIX
        + 4 * line) + 2 * pieces * C * sizeof(float));
    s.key[0] = s.count + MAX_TILES * RADIX;
    s.key[1] = s.key[0] + line;
    s.place[0] = s.key[1] + line;
    s.place[1] = s.place[0] + line;
    s.part = (float *)(s.place[1] + line);
    return s;
}

/* launch embedding16, continued (18b.8.1) */
static struct Sort sort_tokens(const int32_t *tokens, int N, int C, int V)
{
    struct Sort s = sort_room(N, C);
    s.last = 1;
    const int *key = tokens, *place = NULL;
    for (int shift = 0; shift == 0 || (V - 1) >> shift; shift += 8) {
        s.last ^= 1;
        sort_count<<<s.tiles, THREADS, 0, machine_stream>>>(
            s.count, key, N, s.tile, shift);
        LAUNCHED();
        sort_move<<<s.tiles, THREADS, 0, machine_stream>>>(
            s.key[s.last], s.place[s.last], key, place, s.count, N, s.tile,
            shift);
        LAUNCHED();
        key = s.key[s.last];
        place = s.place[s.last];
    }
    return s;
}

/* launch embedding16, continued (18b.8.1) */
template <int W>
static void embedding_sums(float *dwte, float *dwpe, const bf16 *dx,
                           const struct Sort *s, int B, int T, int C)
{
    const int N = B * T, pieces = (N + PIECE - 1) / PIECE;
    const unsigned tiles = blocks_for(C, 32 * W);
    const int *key = s->key[s->last], *place = s->place[s->last];
    embedding16_bwd_slices<W><<<tiles * (blocks_for(T, WARPS)
                                        + blocks_for(pieces, WARPS)),
                                THREADS, 0, machine_stream>>>(
        dwte, dwpe, s->part, dx, key, place, B, T, C);
    LAUNCHED();
    const dim3 grid(pieces, tiles);
    embedding16_bwd_long<W><<<grid, THREADS, 0, machine_stream>>>(
        dwte, s->part, key, N, C);
    LAUNCHED();
}

void embedding16_bwd(float *dwte, float *dwpe, const bf16 *dx,
                     const int32_t *tokens, int B, int T, int C, int V)
{
    const struct Sort s = sort_tokens(tokens, B * T, C, V);
    if (C % 8 == 0)
        embedding_sums<4>(dwte, dwpe, dx, &s, B, T, C);
    else
        embedding_sums<1>(dwte, dwpe, dx, &s, B, T, C);
}
