/* Tangled from chapters/workshop/measuring-reductions.nw, "Launches".  Edit it there. */

#include "ladder/scan.h"

#include "ladder/blocks.cuh"
#include "ops/kernels/hopper.cuh"
#include "ops/kernels/warp.cuh"

enum { THREADS = 256, WARPS = THREADS / 32 };

/* scan, version 1: all numbers at each distance */
__global__ void scan_v1(uint32_t *out, uint32_t *sums, const uint32_t *x,
                        size_t n)
{
    __shared__ uint32_t s[2][THREADS];
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * THREADS + t;
    int from = 0;
    s[from][t] = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned d = 1; d < THREADS; d *= 2) {
        s[!from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        from = !from;
        __syncthreads();
    }
    if (i < n)
        out[i] = s[from][t];
    if (t == THREADS - 1)
        sums[blockIdx.x] = s[from][t];
}

/* scan, version 2: up and down a tree */
__global__ void scan_v2(uint32_t *out, uint32_t *sums, const uint32_t *x,
                        size_t n)
{
    __shared__ uint32_t s[2 * THREADS];
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * 2 * THREADS + t;
    const uint32_t low = i < n ? x[i] : 0;
    const uint32_t high = i + THREADS < n ? x[i + THREADS] : 0;
    s[t] = low;
    s[t + THREADS] = high;
    /* walk up: add pairs, then pairs of pairs */
    for (unsigned d = 1; d < 2 * THREADS; d *= 2) {
        __syncthreads();
        const unsigned right = 2 * d * (t + 1) - 1;
        if (right < 2 * THREADS)
            s[right] += s[right - d];
    }
    __syncthreads();
    if (t == 0) {
        sums[blockIdx.x] = s[2 * THREADS - 1];
        s[2 * THREADS - 1] = 0;
    }
    /* walk down: give each word the sum before it */
    for (unsigned d = THREADS; d > 0; d /= 2) {
        __syncthreads();
        const unsigned right = 2 * d * (t + 1) - 1;
        if (right < 2 * THREADS) {
            const uint32_t left = s[right - d];
            s[right - d] = s[right];
            s[right] += left;
        }
    }
    __syncthreads();
    if (i < n)
        out[i] = s[t] + low;
    if (i + THREADS < n)
        out[i + THREADS] = s[t + THREADS] + high;
}

/* scan, version 3: warps by shuffles */
/* The sum of x over this lane and those before. */
__device__ static uint32_t warp_scan(uint32_t x)
{
    const unsigned lane = threadIdx.x % 32;
    for (unsigned d = 1; d < 32; d *= 2) {
        const uint32_t before = __shfl_up_sync(WHOLE_WARP, x, d);
        x += lane >= d ? before : 0;
    }
    return x;
}

/* The sum of the `sum` of all warps before this one; *total: of all warps.
 * sum is the same in all lanes of a warp; part: shared memory of this
 * call. */
__device__ static uint32_t warps_before(uint32_t sum, uint32_t *total,
                                        uint32_t *part)
{
    const unsigned warp = threadIdx.x / 32;
    uint32_t before = 0;
    if (threadIdx.x % 32 == 0)
        part[warp] = sum;
    __syncthreads();
    *total = 0;
    for (unsigned w = 0; w < WARPS; w++) {
        before += w < warp ? part[w] : 0;
        *total += part[w];
    }
    return before;
}

__global__ void scan_v3(uint32_t *out, uint32_t *sums, const uint32_t *x,
                        size_t n)
{
    __shared__ uint32_t part[WARPS];
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const uint32_t upto = warp_scan(i < n ? x[i] : 0);
    uint32_t total;
    const uint32_t before = warps_before(
        __shfl_sync(WHOLE_WARP, upto, 31), &total, part);
    if (i < n)
        out[i] = before + upto;
    if (threadIdx.x == 0)
        sums[blockIdx.x] = total;
}

/* scan: a tile of a block */
enum { ROWS = 8, ROW = 128, TILE = WARPS * ROWS * ROW };

/* A thread's part of a tile: numbers 4 lane .. 4 lane + 3 of each of its
 * warp's rows of 128. */
struct Part { alignas(16) uint32_t v[ROWS][4]; };

/* Where row r of this thread's part begins, in a tile. */
__device__ static unsigned index_of(int r)
{
    return (threadIdx.x / 32 * ROWS + r) * ROW + threadIdx.x % 32 * 4;
}

/* scan: load and store a part of a tile */
/* This thread's part of a tile.  x: the tile's first number; n: how many
 * follow from there on, missing ones are 0; again: they will be read once
 * more. */
__device__ static Part part_load(const uint32_t *x, size_t n, bool again)
{
    Part p;
    if (n >= TILE) {
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const uint4 *from = (const uint4 *)(x + index_of(r));
            *(uint4 *)p.v[r] = again ? *from : __ldcs(from);
        }
    } else {
        for (int i = 0; i < 4 * ROWS; i++) {
            const unsigned at = index_of(i / 4) + i % 4;
            p.v[i / 4][i % 4] = at < n ? x[at] : 0;
        }
    }
    return p;
}

__device__ static void part_store(uint32_t *out, size_t n, const Part *p)
{
    if (n >= TILE) {
        #pragma unroll
        for (int r = 0; r < ROWS; r++)
            __stcs((uint4 *)(out + index_of(r)), *(const uint4 *)p->v[r]);
    } else {
        for (int i = 0; i < 4 * ROWS; i++)
            if (index_of(i / 4) + i % 4 < n)
                out[index_of(i / 4) + i % 4] = p->v[i / 4][i % 4];
    }
}

__device__ static void part_add(Part *p, uint32_t x)
{
    #pragma unroll
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < 4; k++)
            p->v[r][k] += x;
}

/* scan: scan a tile in registers */
/* Each number becomes the sum of the warp's numbers up to it; the result
 * is the sum of all numbers of the warp. */
__device__ static uint32_t rows_scan(Part *p)
{
    uint32_t carry = 0;                     /* of the rows before */
    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        for (int k = 1; k < 4; k++)
            p->v[r][k] += p->v[r][k - 1];
        const uint32_t mine = p->v[r][3], upto = warp_scan(mine);
        for (int k = 0; k < 4; k++)
            p->v[r][k] += carry + upto - mine;
        carry += __shfl_sync(WHOLE_WARP, upto, 31);
    }
    return carry;
}

/* The same for a whole tile. */
__device__ static uint32_t tile_scan(Part *p, uint32_t *part)
{
    uint32_t total;
    const uint32_t sum = rows_scan(p);
    part_add(p, warps_before(sum, &total, part));
    return total;
}

/* scan, version 4: sums first */
__global__ void tile_sums(uint32_t *sums, const uint32_t *x, size_t n)
{
    __shared__ uint32_t part[WARPS];
    const size_t first = (size_t)blockIdx.x * TILE;
    Part p = part_load(x + first, n - first, false);
    const uint32_t total = tile_scan(&p, part);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = total;
}

__global__ void scan_v4(uint32_t *out, const uint32_t *sums,
                        const uint32_t *x, size_t n)
{
    __shared__ uint32_t part[WARPS];
    const size_t first = (size_t)blockIdx.x * TILE;
    Part p = part_load(x + first, n - first, false);
    tile_scan(&p, part);
    if (blockIdx.x > 0)
        part_add(&p, sums[blockIdx.x - 1]);
    part_store(out + first, n - first, &p);
}

/* scan, version 5: look back */
enum { NOTHING, SUM, PREFIX };          /* what a tile has published */

__device__ static uint64_t published(uint32_t kind, uint32_t value)
{
    return (uint64_t)kind << 32 | value;
}

/* find the sum of all tiles before */
/* Publishes the tile's prefix, too.  Called by all lanes of one warp. */
__device__ static uint32_t look_back(volatile uint64_t *state,
                                     unsigned tile, uint32_t total)
{
    const int lane = threadIdx.x % 32;
    uint32_t before = 0;
    for (int at = (int)tile - 1 - lane; ; at -= 32) {
        /* read the states of 32 tiles; wait until all are published */
        uint64_t s;
        do
            s = at >= 0 ? state[at] : published(PREFIX, 0);
        while (__any_sync(WHOLE_WARP, s >> 32 == NOTHING));
        /* add up to the nearest prefix; stop if there is one */
        const unsigned prefixes = __ballot_sync(WHOLE_WARP, s >> 32 == PREFIX);
        const int nearest = prefixes ? __ffs(prefixes) - 1 : 31;
        before += warp_shuffles(lane <= nearest ? (uint32_t)s : 0);
        if (prefixes)
            break;
    }
    if (lane == 0)
        state[tile] = published(PREFIX, before + total);
    return before;
}

/* The same for all threads of a block. */
__device__ static uint32_t sum_before(volatile uint64_t *state,
                                      unsigned tile, uint32_t total)
{
    __shared__ uint32_t found;
    if (threadIdx.x < 32) {
        const uint32_t before = look_back(state, tile, total);
        if (threadIdx.x == 0)
            found = before;
    }
    __syncthreads();
    return found;
}

__global__ void scan_v5(uint32_t *out, const uint32_t *x, size_t n,
                        unsigned *next, volatile uint64_t *state)
{
    __shared__ uint32_t part[WARPS];
    /* take the next tile from the counter */
    __shared__ unsigned taken;
    if (threadIdx.x == 0)
        taken = atomicAdd(next, 1);
    __syncthreads();
    const unsigned tile = taken;
    const size_t first = (size_t)tile * TILE;
    Part p = part_load(x + first, n - first, false);
    const uint32_t total = tile_scan(&p, part);
    if (threadIdx.x == 0)
        state[tile] = published(SUM, total);
    part_add(&p, sum_before(state, tile, total));
    part_store(out + first, n - first, &p);
}

/* scan, version 6: sums run ahead */
/* The sum of the numbers of a warp. */
__device__ static uint32_t rows_sum(const Part *p)
{
    uint32_t sum = 0;
    #pragma unroll
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < 4; k++)
            sum += p->v[r][k];
    return warp_redux(sum);
}

__device__ static void publish_sum(volatile uint64_t *state, const Part *p,
                                   uint32_t *part)
{
    uint32_t total;
    warps_before(rows_sum(p), &total, part);
    if (threadIdx.x == 0)
        *state = published(SUM, total);
}

__device__ static void load_both(Part *p, Part *q, const uint32_t *x,
                                 size_t n, size_t first, size_t early)
{
    if (early < n)
        *q = part_load(x + early, n - early, true);
    if (first < n)              /* below 0 it is a very large number */
        *p = part_load(x + first, n - first, false);
}

/* A block publishes the sum of one tile and scans the tile that lies
 * `ahead` tiles before it. */
__global__ void scan_v6(uint32_t *out, const uint32_t *x, size_t n,
                        unsigned ahead, unsigned *next,
                        volatile uint64_t *state)
{
    __shared__ uint32_t part[2][WARPS];
    /* take the next tile from the counter */
    __shared__ unsigned taken;
    if (threadIdx.x == 0)
        taken = atomicAdd(next, 1);
    __syncthreads();
    const unsigned tile = taken;
    const size_t early = (size_t)tile * TILE;
    const size_t first = early - (size_t)ahead * TILE;
    Part p, q;
    load_both(&p, &q, x, n, first, early);
    if (early < n)
        publish_sum(state + tile, &q, part[0]);
    if (tile < ahead)
        return;
    const uint32_t total = tile_scan(&p, part[1]);
    part_add(&p, sum_before(state, tile - ahead, total));
    part_store(out + first, n - first, &p);
}

/* ring: barriers with phases */
#if defined BULK_COPY           /* by an option of the compiler */
#elif defined __SIMT__ || defined __CUDA_ARCH__ && __CUDA_ARCH__ < 900
#define BULK_COPY 0
#else
#define BULK_COPY 1
#endif

/* In shared memory.  Phase 0 ends after `arrivals`, phase 1 after as many
 * more, and so on. */
struct alignas(8) PhaseBarrier { unsigned arrived, arrivals; };

__device__ static void phase_init(PhaseBarrier *b, unsigned arrivals)
{
#if BULK_COPY
    mbarrier_init((uint64_t *)b, (int)arrivals);
#else
    b->arrived = 0;
    b->arrivals = arrivals;
#endif
}

/* One arrival of a warp, of which all lanes call this. */
__device__ static void phase_arrive(PhaseBarrier *b)
{
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
#if BULK_COPY
        mbarrier_arrive((uint64_t *)b);
#else
        __threadfence_block();
        atomicAdd(&b->arrived, 1);
#endif
    }
}

/* Wait for the end of a phase: the one under way, or the one before. */
__device__ static void phase_wait(PhaseBarrier *b, unsigned phase)
{
#if BULK_COPY
    mbarrier_wait((uint64_t *)b, phase & 1);
#else
    while (*(volatile unsigned *)&b->arrived < (phase + 1) * b->arrivals)
        ;
    __threadfence_block();
#endif
}

/* scan, version 7: a ring of tiles */
enum { STAGES = 7, LAG = 3 };
enum { LOAD = WARPS, PUBLISH, FIND, RING_WARPS };   /* warps with a role */

/* A tile in shared memory, and the barriers that it passes. */
struct Stage {
    alignas(128) uint32_t x[TILE];
    uint32_t sum[WARPS];            /* of each warp's part      */
    uint32_t before;                /* sum of all tiles before  */
    PhaseBarrier full, summed, found, empty;
};

/* ring: load a tile */
/* The tile at x into a stage; n: how many numbers follow from there on,
 * missing ones are 0.  Called by all lanes of a warp. */
__device__ static void load_tile(Stage *s, const uint32_t *x, size_t n)
{
#if BULK_COPY
    if (n >= TILE) {
        if (threadIdx.x % 32 == 0) {
            mbarrier_expect((uint64_t *)&s->full, sizeof s->x);
            bulk_load(s->x, x, sizeof s->x, (uint64_t *)&s->full);
        }
        return;
    }
#endif
    for (unsigned i = threadIdx.x % 32; i < TILE; i += 32)
        s->x[i] = i < n ? x[i] : 0;
    phase_arrive(&s->full);
}

/* ring: add up a round */
enum { MOST_BLOCKS = 5 * 32 };

/* Wait for the sums of the round of this block's tile.  The result is the
 * sum of the tiles before it in the round; *all: of all.  Called by all
 * lanes of a warp. */
__device__ static uint32_t round_before(volatile uint64_t *state,
                                        unsigned tile, unsigned tiles,
                                        uint32_t *all)
{
    const unsigned lane = threadIdx.x % 32, first = tile - blockIdx.x;
    const unsigned blocks = min(gridDim.x, tiles - first);
    uint64_t s[MOST_BLOCKS / 32];
    /* read the states of the round until all are published */
    bool missing;
    do {
        missing = false;
        #pragma unroll
        for (unsigned c = 0; c < MOST_BLOCKS / 32; c++) {
            const unsigned b = lane + 32 * c;
            s[c] = b < blocks ? state[first + b] : published(SUM, 0);
        }
        #pragma unroll
        for (unsigned c = 0; c < MOST_BLOCKS / 32; c++)
            missing |= s[c] >> 32 == NOTHING;
    } while (__any_sync(WHOLE_WARP, missing));
    uint32_t before = 0, sum = 0;
    #pragma unroll
    for (unsigned c = 0; c < MOST_BLOCKS / 32; c++) {
        sum += (uint32_t)s[c];
        before += lane + 32 * c < blockIdx.x ? (uint32_t)s[c] : 0;
    }
    *all = warp_redux(sum);
    return warp_redux(before);
}

/* A scan by all blocks together.
 *
 *   sizes      1 <= n < 2^31; at most one block a tile, and MOST_BLOCKS
 *   state      a word for each tile, all 0
 *   alignment  x and out 16 bytes
 *   launch     cooperative: blocks wait for each other, so all must run;
 *              STAGES stages of dynamic shared memory
 *   moves      8 n bytes; a round's sums, from L2, once a block
 *   ceiling    memory: a copy, tile by tile
 *   numerics   integers modulo 2^32: equal bits in every run */
__global__ void __launch_bounds__(32 * RING_WARPS, 1)
scan_v7(uint32_t *out, const uint32_t *x, size_t n,
        volatile uint64_t *state)
{
    extern __shared__ Stage ring[];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned tiles = (unsigned)((n + TILE - 1) / TILE);
    const unsigned rounds = (tiles - blockIdx.x - 1) / gridDim.x + 1;
    /* set up the ring */
    if (threadIdx.x < STAGES) {
        Stage *s = &ring[threadIdx.x];
        phase_init(&s->full, 1);
        phase_init(&s->summed, WARPS);
        phase_init(&s->found, 2);
        phase_init(&s->empty, WARPS);
    #if BULK_COPY
        mbarrier_init_done();
    #endif
    }
    __syncthreads();
    if (warp == LOAD)
        /* load tiles */
        for (unsigned k = 0; k < rounds; k++) {
            /* take the tile of round k */
            Stage *s = &ring[k % STAGES];
            const unsigned phase = k / STAGES, tile = blockIdx.x + k * gridDim.x;
            if (phase > 0)
                phase_wait(&s->empty, phase - 1);
            const size_t first = (size_t)tile * TILE;
            load_tile(s, x + first, n - first);
        }
    else if (warp == PUBLISH)
        /* publish sums */
        for (unsigned k = 0; k < rounds; k++) {
            /* take the tile of round k */
            Stage *s = &ring[k % STAGES];
            const unsigned phase = k / STAGES, tile = blockIdx.x + k * gridDim.x;
            phase_wait(&s->summed, phase);
            const uint32_t sum = warp_redux(lane < WARPS ? s->sum[lane] : 0);
            if (lane == 0)
                state[tile] = published(SUM, sum);
            phase_arrive(&s->found);
        }
    else if (warp == FIND)
        /* find the sum before each tile */
        for (unsigned k = 0, running = 0; k < rounds; k++) {
            /* take the tile of round k */
            Stage *s = &ring[k % STAGES];
            const unsigned phase = k / STAGES, tile = blockIdx.x + k * gridDim.x;
            uint32_t all;
            phase_wait(&s->summed, phase);
            const uint32_t before = round_before(state, tile, tiles, &all);
            if (lane == 0)
                s->before = running + before;
            running += all;
            phase_arrive(&s->found);
        }
    else
        /* sum up tiles, and scan them LAG rounds later */
        for (unsigned now = 0; now < rounds + LAG; now++) {
            if (now < rounds) {
                const unsigned k = now;
                /* sum up the tile of round k */
                Stage *s = &ring[k % STAGES];
                phase_wait(&s->full, k / STAGES);
                const Part p = part_load(s->x, TILE, true);
                const uint32_t sum = rows_sum(&p);
                if (lane == 0)
                    s->sum[warp] = sum;
                phase_arrive(&s->summed);
            }
            if (now >= LAG) {
                const unsigned k = now - LAG;
                /* scan the tile of round k */
                /* take the tile of round k */
                Stage *s = &ring[k % STAGES];
                const unsigned phase = k / STAGES, tile = blockIdx.x + k * gridDim.x;
                Part p = part_load(s->x, TILE, true);
                rows_scan(&p);
                phase_wait(&s->found, phase);
                uint32_t before = s->before;
                for (unsigned w = 0; w < WARPS; w++)
                    before += w < warp ? s->sum[w] : 0;
                phase_arrive(&s->empty);
                part_add(&p, before);
                const size_t first = (size_t)tile * TILE;
                part_store(out + first, n - first, &p);
            }
        }
}

/* compaction */
__global__ void compact_each(float *out, uint32_t *count, const float *x,
                             size_t n)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n && x[i] > 0)
        out[atomicAdd(count, 1)] = x[i];
}

__global__ void compact_warp(float *out, uint32_t *count, const float *x,
                             size_t n)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const float v = i < n ? x[i] : 0;
    const unsigned kept = __ballot_sync(WHOLE_WARP, v > 0);
    const unsigned lane = threadIdx.x % 32;
    uint32_t first = 0;
    if (lane == 0 && kept)
        first = atomicAdd(count, __popc(kept));
    first = __shfl_sync(WHOLE_WARP, first, 0);
    if (v > 0)
        out[first + __popc(kept & ((1u << lane) - 1))] = v;
}

/* turn a part into flags */
__device__ static Part kept_of(const Part *v)
{
    Part kept;
    #pragma unroll
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < 4; k++)
            kept.v[r][k] = __uint_as_float(v->v[r][k]) > 0;
    return kept;
}

/* compaction by tiles */
__global__ void compact_tiles(float *out, uint32_t *count, const float *x,
                              size_t n, unsigned ahead, unsigned *next,
                              volatile uint64_t *state)
{
    __shared__ uint32_t part[2][WARPS];
    __shared__ float kept[TILE];
    /* take the next tile from the counter */
    __shared__ unsigned taken;
    if (threadIdx.x == 0)
        taken = atomicAdd(next, 1);
    __syncthreads();
    const unsigned tile = taken;
    const size_t early = (size_t)tile * TILE;
    const size_t first = early - (size_t)ahead * TILE;
    Part v, w;
    load_both(&v, &w, (const uint32_t *)x, n, first, early);
    if (early < n) {
        const Part early_kept = kept_of(&w);
        publish_sum(state + tile, &early_kept, part[0]);
    }
    if (tile < ahead)
        return;
    Part rank = kept_of(&v);
    const uint32_t total = tile_scan(&rank, part[1]);
    /* put each number that is kept at its rank */
    #pragma unroll
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < 4; k++)
            if (__uint_as_float(v.v[r][k]) > 0)
                kept[rank.v[r][k] - 1] = __uint_as_float(v.v[r][k]);
    const uint32_t before = sum_before(state, tile - ahead, total);
    for (unsigned i = threadIdx.x; i < total; i += THREADS)
        __stcs(out + before + i, kept[i]);
    if (threadIdx.x == 0 && first + TILE >= n)
        *count = before + total;
}

/* launch the scans */
typedef void block_kernel(uint32_t *out, uint32_t *sums, const uint32_t *x,
                          size_t n);

/* out[i] += sums[i / each - 1] */
__global__ void add_before(uint32_t *out, const uint32_t *sums, size_t n,
                           unsigned each)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= each && i < n)
        out[i] += sums[i / each - 1];
}

/* Blocks of `each` numbers, then the sums of the blocks, then both. */
static void by_blocks(block_kernel *kernel, unsigned each, uint32_t *out,
                      const uint32_t *x, size_t n, uint32_t *sums)
{
    const size_t blocks = (n + each - 1) / each;
    kernel<<<(unsigned)blocks, THREADS>>>(out, sums, x, n);
    CUDA_OK(cudaGetLastError());
    if (blocks == 1)
        return;
    by_blocks(kernel, each, sums, sums, blocks, sums + blocks);
    add_before<<<(unsigned)((n + THREADS - 1) / THREADS), THREADS>>>(
        out, sums, n, each);
    CUDA_OK(cudaGetLastError());
}

static void v1(uint32_t *out, const uint32_t *x, size_t n, void *scratch)
{
    by_blocks(scan_v1, THREADS, out, x, n, (uint32_t *)scratch);
}

static void v2(uint32_t *out, const uint32_t *x, size_t n, void *scratch)
{
    by_blocks(scan_v2, 2 * THREADS, out, x, n, (uint32_t *)scratch);
}

static void v3(uint32_t *out, const uint32_t *x, size_t n, void *scratch)
{
    by_blocks(scan_v3, THREADS, out, x, n, (uint32_t *)scratch);
}

static unsigned tiles_of(size_t n)
{
    return (unsigned)((n + TILE - 1) / TILE);
}

static void v4(uint32_t *out, const uint32_t *x, size_t n, void *scratch)
{
    const unsigned tiles = tiles_of(n);
    uint32_t *sums = (uint32_t *)scratch;
    tile_sums<<<tiles, THREADS>>>(sums, x, n);
    CUDA_OK(cudaGetLastError());
    by_blocks(scan_v3, THREADS, sums, sums, tiles, sums + tiles);
    scan_v4<<<tiles, THREADS>>>(out, sums, x, n);
    CUDA_OK(cudaGetLastError());
}

/* The states of the tiles, and the counter in front of them: all 0. */
static volatile uint64_t *states_clear(void *scratch, size_t n)
{
    const size_t bytes = (1 + tiles_of(n)) * sizeof(uint64_t);
    CUDA_OK(cudaMemsetAsync(scratch, 0, bytes, 0));
    return (volatile uint64_t *)scratch + 1;
}

static void v5(uint32_t *out, const uint32_t *x, size_t n, void *scratch)
{
    volatile uint64_t *state = states_clear(scratch, n);
    scan_v5<<<tiles_of(n), THREADS>>>(out, x, n, (unsigned *)scratch,
                                     state);
    CUDA_OK(cudaGetLastError());
}

static void v6(uint32_t *out, const uint32_t *x, size_t n, void *scratch)
{
    static const unsigned full = blocks_at_once((const void *)scan_v6,
                                                THREADS);
    const unsigned ahead = full < tiles_of(n) ? full : tiles_of(n);
    volatile uint64_t *state = states_clear(scratch, n);
    scan_v6<<<tiles_of(n) + ahead, THREADS>>>(
        out, x, n, ahead, (unsigned *)scratch, state);
    CUDA_OK(cudaGetLastError());
}

/* launch version 7 */
/* launch version 7 with all blocks at once */
static unsigned ring_blocks(void)
{
    enum { BYTES = STAGES * sizeof(Stage) };
    int most = 0;
    CUDA_OK(cudaDeviceGetAttribute(
        &most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    if (most < BYTES)
        fail("scan v7: a block takes %d bytes of shared memory, and this "
             "GPU gives it %d", (int)BYTES, most);
    CUDA_OK(cudaFuncSetAttribute(
        (const void *)scan_v7, cudaFuncAttributeMaxDynamicSharedMemorySize,
        BYTES));
    return blocks_at_once((const void *)scan_v7, 32 * RING_WARPS, BYTES);
}

#ifdef __SIMT__
__global__ void publish_all(volatile uint64_t *state, const uint32_t *x,
                            size_t n)
{
    const size_t first = (size_t)blockIdx.x * TILE;
    const size_t end = min(first + TILE, n);
    uint32_t sum = 0;
    for (size_t i = first + threadIdx.x; i < end; i += 32)
        sum += x[i];
    sum = warp_redux(sum);
    if (threadIdx.x == 0)
        state[blockIdx.x] = published(SUM, sum);
}
#endif

static void ring_launch(unsigned blocks, uint32_t *out, const uint32_t *x,
                        size_t n, volatile uint64_t *state)
{
    const int threads = 32 * RING_WARPS, bytes = STAGES * sizeof(Stage);
#ifdef __SIMT__
    publish_all<<<tiles_of(n), 32>>>(state, x, n);
    scan_v7<<<min(blocks, 3u), threads, bytes>>>(out, x, n, state);
#else
    void *args[] = { &out, &x, &n, &state };
    CUDA_OK(cudaLaunchCooperativeKernel((const void *)scan_v7, blocks,
                                        threads, args, bytes, 0));
#endif
}

/* Unlike the others, also takes n = 0, and x and out with any alignment. */
static void v7(uint32_t *out, const uint32_t *x, size_t n, void *scratch)
{
    if (n == 0)
        return;
    if (((uintptr_t)out | (uintptr_t)x) % 16)
        return v3(out, x, n, scratch);
    static const unsigned full = ring_blocks();
    const unsigned tiles = tiles_of(n);
    const unsigned most = min(full, (unsigned)MOST_BLOCKS);
    volatile uint64_t *state = states_clear(scratch, n);
    ring_launch(tiles < most ? tiles : most, out, x, n, state);
    CUDA_OK(cudaGetLastError());
}

const struct Scan *scans(void)
{
    static const struct Scan ladder[] = {
        { "v1", v1, 16 }, { "v2", v2, 16 }, { "v3", v3, 16 },
        { "v4", v4, 12 }, { "v5", v5, 8 }, { "v6", v6, 12 },
        { "v7", v7, 8 }, { NULL, NULL, 0 },
    };
    return ladder;
}

size_t scan_bytes(size_t n)
{
    return (n / (THREADS - 1) + 64) * sizeof(uint32_t);
}

/* launch the compactions */
typedef void compact_kernel(float *out, uint32_t *count, const float *x,
                            size_t n);

template <compact_kernel *kernel>
static void by_threads(float *out, uint32_t *count, const float *x,
                       size_t n, void *)
{
    CUDA_OK(cudaMemsetAsync(count, 0, sizeof *count, 0));
    kernel<<<(unsigned)((n + THREADS - 1) / THREADS), THREADS>>>(
        out, count, x, n);
    CUDA_OK(cudaGetLastError());
}

static void tiles(float *out, uint32_t *count, const float *x, size_t n,
                  void *scratch)
{
    static const unsigned full = blocks_at_once(
        (const void *)compact_tiles, THREADS);
    const unsigned ahead = full < tiles_of(n) ? full : tiles_of(n);
    volatile uint64_t *state = states_clear(scratch, n);
    compact_tiles<<<tiles_of(n) + ahead, THREADS>>>(
        out, count, x, n, ahead, (unsigned *)scratch, state);
    CUDA_OK(cudaGetLastError());
}

const struct Compact *compacts(void)
{
    static const struct Compact ladder[] = {
        { "each", by_threads<compact_each>, false },
        { "warps", by_threads<compact_warp>, false },
        { "tiles", tiles, true }, { NULL, NULL, false },
    };
    return ladder;
}
