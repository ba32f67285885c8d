/* Tangled from chapters/workshop/attention-plumbing.nw, "The kernel and its launch".  Edit it there. */

/* Attention forward with wgmma and TMA. */
#include <math.h>
#include "ops/attention/attention_bf16_impls.h"
#include "ops/kernels/common.cuh"
#include "ops/kernels/hopper.cuh"
#include "ops/kernels/swizzle.cuh"

namespace {

/* fix the sizes of a block of attention */
enum {
    ROWS = 64,                  /* queries of a warpgroup      */
    KEYS = 128,                 /* keys of a step              */
    WIDE = SWIZZLE_COLS,        /* columns of a box: 128 bytes */
};

/* fix the sizes for each head size */
/* For heads of HS: warpgroups that attend, queries of a block, tiles of
 * keys and values that are kept, tiles of queries that are kept. */
template <int HS> constexpr int GROUPS = HS == 64 ? 3 : 2;
template <int HS> constexpr int TILE = GROUPS<HS> * ROWS;
template <int HS> constexpr int STAGES = HS == 64 ? 4 : 2;
template <int HS> constexpr int QUERIES = HS == 64 ? 2 : 1;


/* lay out the shared memory of an attention block */
/* 64 queries from `row` of head h of sequence b, for each warpgroup */
struct WorkTile { int b, h, row; bool end; };

template <int HS> struct Shared {
    bf16 q[QUERIES<HS>][GROUPS<HS>][HS / WIDE][ROWS][WIDE];
    bf16 k[STAGES<HS>][HS / WIDE][KEYS][WIDE];
    bf16 v[STAGES<HS>][HS / WIDE][KEYS][WIDE];
    bf16 y[GROUPS<HS>][HS / WIDE][ROWS][WIDE];
    uint64_t q_full[QUERIES<HS>], q_empty[QUERIES<HS>];
    uint64_t k_full[STAGES<HS>], k_empty[STAGES<HS>];
    uint64_t v_full[STAGES<HS>], v_empty[STAGES<HS>];
    WorkTile tile[QUERIES<HS>];     /* whose queries these are */
};


/* describe the problem of attention */
struct Attention {
    float *lse;
    int T, NH, heads;           /* heads of all sequences together */
    int tiles, all;             /* tiles of a head, tiles in all   */
    float scale;                /* of scores, for powers of two    */
};

/* describe the problem and order its work tiles */
/* row may be negative: the first warpgroups have no queries then */
template <int HS> DEVICE_INLINE WorkTile tile_at(int n, const Attention &a)
{
    /* find the head, and the tile counted from its end */
    enum { TOGETHER = 64 };     /* heads whose keys stay in the L2 */
    const int i = min(n, a.all - 1);
    const int first = i / (TOGETHER * a.tiles) * TOGETHER;
    const int here = min((int)TOGETHER, a.heads - first);
    const int rest = i - first * a.tiles;
    const int head = first + rest % here, from_end = rest / here + 1;
    const int rows = (a.T + ROWS - 1) / ROWS * ROWS;
    return WorkTile{ head / a.NH, head % a.NH, rows - from_end * TILE<HS>,
                 n >= a.all };
}

/* take the next work tile */
/* Tiles that were taken, beyond the first of each block. */
__device__ static unsigned taken;

/* Each block asks until it gets a number that is no tile: a.all times in
 * total.  The last block to ask resets the counter. */
DEVICE_INLINE int take_tile(const Attention &a)
{
    const unsigned i = atomicAdd(&taken, 1);
    if (i == (unsigned)a.all - 1)
        atomicExch(&taken, 0);
    return (int)(gridDim.x + i);
}

/* load the tiles of one block */
/* For the producer, which is ahead: looks every 0.2 us or so. */
DEVICE_INLINE void wait_sleeping(uint64_t *bar, uint32_t parity)
{
    while (!mbarrier_test(bar, parity))
        __nanosleep(200);
}

/* `rows` rows into buffer `to`, when it is empty.  x: the first column */
template <int HS> DEVICE_INLINE void load_tile(bf16 *to,
    const CUtensorMap *map, uint64_t *full,
    uint64_t *empty, uint32_t parity, int rows,
    int x, int row, int b)
{
    wait_sleeping(empty, parity ^ 1);
    mbarrier_expect(full, rows * HS * 2);
    for (int c = 0; c < HS; c += WIDE)
        tma_load(to + c * rows, map, full, x + c, row, b);
}

template <int HS> DEVICE_INLINE void load_queries(Shared<HS> &s,
    const CUtensorMap *queries, const WorkTile &t, Ring &q)
{
    wait_sleeping(&s.q_empty[q.stage], q.parity ^ 1);
    s.tile[q.stage] = t;
    const int first = t.end ? GROUPS<HS> : max(0, -t.row / ROWS);
    mbarrier_expect(&s.q_full[q.stage],
                    (GROUPS<HS> - first) * ROWS * HS * 2);
    for (int g = first; g < GROUPS<HS>; g++)
        for (int c = 0; c < HS / WIDE; c++)
            tma_load(s.q[q.stage][g][c], queries, &s.q_full[q.stage],
                     t.h * HS + c * WIDE, t.row + g * ROWS, t.b);
    advance<QUERIES<HS>>(q);
}


template <int HS> DEVICE_INLINE void produce(Shared<HS> &s,
    const CUtensorMap *queries, const CUtensorMap *keys, Attention a)
{
    const int C = a.NH * HS;
    Ring q = { 0, 0 }, kv = { 0, 0 };
    for (int i = blockIdx.x;; ) {
        const WorkTile t = tile_at<HS>(i, a);
        load_queries(s, queries, t, q);
        if (t.end)
            break;
        i = take_tile(a);
        /* load the keys and values that its queries see, the last first */
        const int last = min(t.row + TILE<HS>, a.T) - 1;
        for (int j = last / KEYS; j >= 0; j--) {
            load_tile<HS>(s.k[kv.stage][0][0], keys, &s.k_full[kv.stage],
                      &s.k_empty[kv.stage], kv.parity, KEYS,
                      C + t.h * HS, j * KEYS, t.b);
            load_tile<HS>(s.v[kv.stage][0][0], keys, &s.v_full[kv.stage],
                      &s.v_empty[kv.stage], kv.parity, KEYS,
                      2 * C + t.h * HS, j * KEYS, t.b);
            advance<STAGES<HS>>(kv);
        }
    }
}


/* start the matmuls of one warpgroup */
/* s = q k', 64 queries and 128 keys; started, not awaited */
template <int HS> DEVICE_INLINE void
start_scores(float (&s)[KEYS / 2], uint32_t q, uint32_t k)
{
    wgmma_fence();
    #pragma unroll
    for (int c = 0; c < HS; c += 16) {
        const int box = c / WIDE, in = c % WIDE / 8;
        wgmma_m64n128(s, wgmma_matrix_at(q + box * ROWS * 8 + in),
                      wgmma_matrix_at(k + box * KEYS * 8 + in), c > 0);
    }
    wgmma_commit();
}


/* y += p v, 128 keys; started, not awaited */
template <int HS>
DEVICE_INLINE void start_output(float (&y)[HS / 2],
                                const uint32_t (&p)[KEYS / 4], uint32_t v)
{
    wgmma_fence();
    #pragma unroll
    for (int j = 0; j < KEYS; j += 16) {
        /* multiply by 16 values */
        const uint64_t m = wgmma_matrix_at(v + j * WIDE / 8);
        if constexpr (HS == 64)
            wgmma_m64n64<1>(y, p + j / 4, m, 1);
        else
            wgmma_m64n128<1>(y, p + j / 4, m, 1);
    }
    wgmma_commit();
}


/* compute the softmax of one warpgroup */
/* What a thread knows of its rows r and r + 8. */
struct Rows {
    float max[2];       /* the maximum so far, unscaled               */
    float sum[2];       /* of exponentials, in this thread's columns  */
    float rescale[2];   /* what the last new maximum makes of the old */
};

/* The maxima of s join those before. */
DEVICE_INLINE void update_maxima(Rows &r, const float (&s)[KEYS / 2],
                                float scale)
{
    float x[16];                        /* x[i]: row i / 2 % 2 */
    /* reduce the scores to two maxima of each row */
    #pragma unroll
    for (int i = 0; i < 16; i++)
        x[i] = s[i];
    #pragma unroll
    for (int i = 16; i < KEYS / 2; i++)
        x[i % 16] = fmaxf(x[i % 16], s[i]);
    #pragma unroll
    for (int d = 8; d >= 4; d /= 2)
        for (int i = 0; i < d; i++)
            x[i] = fmaxf(x[i], x[i + d]);
    #pragma unroll
    for (int h = 0; h < 2; h++) {
        const float old = r.max[h];
        r.max[h] = fmaxf(old, quad_max(fmaxf(x[2 * h], x[2 * h + 1])));
        r.rescale[h] = fast_exp2((old - r.max[h]) * scale);
    }
}


/* s becomes 2^(scale (s - maximum)); its sums join those before. */
DEVICE_INLINE void take_exponentials(Rows &r, float (&s)[KEYS / 2],
                                     float scale)
{
    const float low[2] = { r.max[0] * scale, r.max[1] * scale };
    #pragma unroll
    for (int i = 0; i < KEYS / 2; i++)
        s[i] = fast_exp2(fmaf(s[i], scale, -low[i / 2 % 2]));
    /* add the exponentials to the running sums */
    float sum[4] = { s[0], s[1], s[2], s[3] };
    #pragma unroll
    for (int i = 4; i < KEYS / 2; i++)
        sum[i % 4] += s[i];
    #pragma unroll
    for (int h = 0; h < 2; h++)
        r.sum[h] = fmaf(r.sum[h], r.rescale[h],
                        sum[2 * h] + sum[2 * h + 1]);
}

DEVICE_INLINE void pack_probabilities(uint32_t (&p)[KEYS / 4],
                                const float (&s)[KEYS / 2])
{
    #pragma unroll
    for (int i = 0; i < KEYS / 4; i++)
        p[i] = pack_two(s[2 * i], s[2 * i + 1]);
}

template <int n>
DEVICE_INLINE void scale_rows(float (&y)[n], const float (&by)[2])
{
    #pragma unroll
    for (int i = 0; i < n; i++)
        y[i] *= by[i / 2 % 2];
}


/* row, key: of the thread's first score */
DEVICE_INLINE void mask_later_keys(float (&s)[KEYS / 2], int row, int key)
{
    const int ahead = row - key;
    #pragma unroll
    for (int i = 0; i < KEYS / 2; i++)
        if (i / 4 * 8 + i % 2 - i / 2 % 2 * 8 > ahead)
            s[i] = -INFINITY;
}


/* write the output of one warpgroup */
/* barrier: a named one, for these four warps */
template <int HS> DEVICE_INLINE void write_output(
    bf16 (&to)[HS / WIDE][ROWS][WIDE], const float (&y)[HS / 2],
    const CUtensorMap *outputs, WorkTile t, int barrier, int thread)
{
    const int lane = thread % 32;
    if (thread == 0)
        tma_wait_read<0>();             /* of the tile before */
    named_barrier_sync(barrier, GROUP);
    /* store y to shared memory, swizzled */
    #pragma unroll
    for (int i = 0; i < HS / 2; i += 2) {
        const int row = thread / 32 * 16 + lane / 4 + i / 2 % 2 * 8;
        const int x = swizzled_chunk(lane / 4, i / 4 % 8) / 2 + lane % 4 * 2;
        store_shared(shared_address(&to[i / 32][row][x]),
                     pack_two(y[i], y[i + 1]));
    }
    fence_proxy_async();
    named_barrier_sync(barrier, GROUP);
    /* start the stores by one thread */
    if (thread == 0) {
        for (int c = 0; c < HS / WIDE; c++)
            tma_store(outputs, to[c], t.h * HS + c * WIDE, t.row, t.b);
        tma_commit();
    }
}


/* consume with one warpgroup */
/* describe the place of a thread */
struct Place {
    int group, thread, lane;
    int row;                    /* its first, of the group's 64         */
    uint32_t q, k, v;           /* lower halves of descriptors, stage 0 */
};

template <int HS> DEVICE_INLINE Place place_of(Shared<HS> &sh, int group)
{
    const int thread = threadIdx.x % GROUP, lane = thread % 32;
    return Place{ group, thread, lane, thread / 32 * 16 + lane / 4,
                  (uint32_t)wgmma_matrix(sh.q[0][group]),
                  (uint32_t)wgmma_matrix(sh.k[0]),
                  (uint32_t)wgmma_matrix(sh.v[0], KEYS * WIDE * 2) };
}

template <int HS> constexpr int Q_NEXT = sizeof(Shared<HS>::q[0]) / 16;
template <int HS> constexpr int KV_NEXT = sizeof(Shared<HS>::k[0]) / 16;

/* describe the registers of a thread */
template <int HS> struct Numbers {
    float y[HS / 2], s[KEYS / 2];   /* output; scores, then exponentials */
    uint32_t p[KEYS / 4];           /* exponentials as operand A         */
    Rows r;
};

/* skip keys that only other warpgroups need */
template <int HS> DEVICE_INLINE void
skip_keys(Shared<HS> &sh, const Place &at, Ring &kv)
{
    mbarrier_wait(&sh.k_full[kv.stage], kv.parity);
    mbarrier_wait(&sh.v_full[kv.stage], kv.parity);
    named_barrier_sync(1 + at.group, GROUP);    /* all warps are here */
    if (at.thread == 0) {
        mbarrier_arrive(&sh.k_empty[kv.stage]);
        mbarrier_arrive(&sh.v_empty[kv.stage]);
    }
    advance<STAGES<HS>>(kv);
}

/* compute the steps of a work tile */
/* row, key: of the thread's first score */
template <int HS> DEVICE_INLINE void first_step(Shared<HS> &sh,
    const Attention &a, const Place &at, Numbers<HS> &n, uint32_t queries,
    const Ring &kv, int row, int key)
{
    mbarrier_wait(&sh.k_full[kv.stage], kv.parity);
    start_scores<HS>(n.s, queries, at.k + kv.stage * KV_NEXT<HS>);
    wgmma_wait<0>();
    wgmma_hold(n.s);
    if (at.thread == 0)
        mbarrier_arrive(&sh.k_empty[kv.stage]);
    mask_later_keys(n.s, row, key);
    update_maxima(n.r, n.s, a.scale);
    take_exponentials(n.r, n.s, a.scale);
    pack_probabilities(n.p, n.s);
}

template <int HS> DEVICE_INLINE void
wait_for_step(Shared<HS> &sh, Ring &ahead, const Ring &kv, bool more)
{
    advance<STAGES<HS>>(ahead);
    if (more)
        mbarrier_wait_both(&sh.k_full[ahead.stage], ahead.parity,
                           &sh.v_full[kv.stage], kv.parity);
}

/* more: after this one there is another */
template <int HS> DEVICE_INLINE void step(Shared<HS> &sh,
    const Attention &a, const Place &at, Numbers<HS> &n, uint32_t queries,
    Ring &kv, Ring &ahead, bool more)
{
    const Ring old = kv;
    kv = ahead;
    start_scores<HS>(n.s, queries, at.k + kv.stage * KV_NEXT<HS>);
    start_output<HS>(n.y, n.p, at.v + old.stage * KV_NEXT<HS>);
    /* take the softmax of the scores */
    wgmma_wait<1>();
    wgmma_hold(n.s);
    if (at.thread == 0)
        mbarrier_arrive(&sh.k_empty[kv.stage]);
    update_maxima(n.r, n.s, a.scale);
    take_exponentials(n.r, n.s, a.scale);
    wgmma_hold(n.s);
    wait_for_step(sh, ahead, kv, more);
    /* wait for the output, and rescale it */
    wgmma_wait<0>();
    wgmma_hold(n.y);
    wgmma_hold(n.p);
    if (at.thread == 0)
        mbarrier_arrive(&sh.v_empty[old.stage]);
    scale_rows(n.y, n.r.rescale);
    pack_probabilities(n.p, n.s);
}

template <int HS> DEVICE_INLINE void last_output(Shared<HS> &sh,
    const Attention &a, const Place &at, Numbers<HS> &n, Ring &kv,
    const WorkTile &t)
{
    Rows &r = n.r;
    mbarrier_wait(&sh.v_full[kv.stage], kv.parity);
    start_output<HS>(n.y, n.p, at.v + kv.stage * KV_NEXT<HS>);
    /* finish the sums meanwhile */
    #pragma unroll
    for (int h = 0; h < 2; h++) {
        r.sum[h] = quad_sum(r.sum[h]);
        const int row = t.row + at.row + 8 * h;
        if (at.lane % 4 == 0 && row < a.T)
            a.lse[(size_t)(t.b * a.NH + t.h) * a.T + row]
                = (r.max[h] * a.scale + __log2f(r.sum[h])) * (float)M_LN2;
    }
    wgmma_wait<0>();
    wgmma_hold(n.y);
    if (at.thread == 0)
        mbarrier_arrive(&sh.v_empty[kv.stage]);
    advance<STAGES<HS>>(kv);
    const float by[2] = { __fdividef(1, r.sum[0]),
                          __fdividef(1, r.sum[1]) };
    scale_rows(n.y, by);
}

/* consume one work tile */
template <int HS> DEVICE_INLINE void consume_tile(Shared<HS> &sh,
    const CUtensorMap *outputs, const Attention &a, const Place &at,
    const Ring &q, Ring &kv, const WorkTile &t, int j)
{
    const uint32_t queries = at.q + q.stage * Q_NEXT<HS>;
    Numbers<HS> n = {};
    n.r.max[0] = n.r.max[1] = -INFINITY;
    first_step(sh, a, at, n, queries, kv, t.row + at.row,
               j * KEYS + at.lane % 4 * 2);
    Ring ahead = kv;
    wait_for_step(sh, ahead, kv, j > 0);
    for (; j > 0; j--)
        step(sh, a, at, n, queries, kv, ahead, j > 1);
    mbarrier_arrive(&sh.q_empty[q.stage]);
    last_output(sh, a, at, n, kv, t);
    write_output<HS>(sh.y[at.group], n.y, outputs, t, 1 + at.group,
                     at.thread);
}
template <int HS> DEVICE_INLINE void consume(Shared<HS> &sh,
    const CUtensorMap *outputs, const Attention &a, int group)
{
    const Place at = place_of(sh, group);
    Ring q = { 0, 0 }, kv = { 0, 0 };
    for (;;) {
        /* wait for a work tile; break, if there is none */
        mbarrier_wait(&sh.q_full[q.stage], q.parity);
        WorkTile t = sh.tile[q.stage];
        if (t.end)
            break;
        int j = (min(t.row + TILE<HS>, a.T) - 1) / KEYS;
        t.row += group * ROWS;
        const int diagonal = t.row >= 0 && t.row < a.T ? t.row / KEYS : -1;
        for (; j > diagonal; j--)
            skip_keys(sh, at, kv);
        if (diagonal < 0)
            mbarrier_arrive(&sh.q_empty[q.stage]);
        else
            consume_tile(sh, outputs, a, at, q, kv, t, j);
        advance<QUERIES<HS>>(q);
    }
    if (at.thread == 0)
        tma_wait_read<0>();
}

/* run attention forward in one block */
template <int HS>
__global__ void __launch_bounds__((1 + GROUPS<HS>) * GROUP, 1)
flash_fwd_kernel(const __grid_constant__ CUtensorMap queries,
                 const __grid_constant__ CUtensorMap keys,
                 const __grid_constant__ CUtensorMap outputs,
                 const __grid_constant__ Attention a)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char memory[];
    Shared<HS> &sh = *(Shared<HS> *)(((uintptr_t)memory + 1023)
                                     & ~(uintptr_t)1023);
    /* initialise the barriers */
    if (threadIdx.x == 0) {
        for (int i = 0; i < QUERIES<HS>; i++) {
            mbarrier_init(&sh.q_full[i], 1);
            mbarrier_init(&sh.q_empty[i], GROUPS<HS> * GROUP);
        }
        for (int i = 0; i < STAGES<HS>; i++) {
            mbarrier_init(&sh.k_full[i], 1);
            mbarrier_init(&sh.v_full[i], 1);
            mbarrier_init(&sh.k_empty[i], GROUPS<HS>);
            mbarrier_init(&sh.v_empty[i], GROUPS<HS>);
        }
        mbarrier_init_done();
    }
    __syncthreads();
    /* produce or consume, by warpgroup */
    if (threadIdx.x < GROUP) {
        registers_give_up<GROUPS<HS> == 3 ? 32 : 40>();
        if (threadIdx.x == 0)
            produce(sh, &queries, &keys, a);
    } else {
        registers_take<GROUPS<HS> == 3 ? 160 : 232>();
        consume(sh, &outputs, a, threadIdx.x / GROUP - 1);
    }
#endif
}

}

/* launch attention forward on Hopper */
template <int HS> static void launch(bf16 *y, float *lse, const bf16 *qkv,
    int B, int T, int C, int NH, int processors)
{
    const int groups = (T + ROWS - 1) / ROWS;
    const int tiles = (groups + GROUPS<HS> - 1) / GROUPS<HS>;
    const Attention a = { lse, T, NH, B * NH, tiles, B * NH * tiles,
                          (float)(M_LOG2E / sqrt(HS)) };
    const size_t bytes = sizeof(Shared<HS>) + 1024;
    allow_shared_memory(flash_fwd_kernel<HS>, bytes);
    /* launch with maps of queries, of keys and values, and of outputs */
    const CUtensorMap queries = tensor_map(qkv, 3 * C, T, B, 3 * C, ROWS);
    const CUtensorMap keys = tensor_map(qkv, 3 * C, T, B, 3 * C, KEYS);
    const CUtensorMap outputs = tensor_map(y, C, T, B, C, ROWS);
    if (!backend_ok(NULL))
        return;
    flash_fwd_kernel<HS><<<a.all < processors ? a.all : processors,
                        (1 + GROUPS<HS>) * GROUP, bytes,
                        backend_stream()>>>(queries, keys, outputs, a);
    LAUNCHED();
}


/* For compute capability 9.0 and heads of 64 or 128. */
bool attention_bf16_fwd_hopper(bf16 *y, float *lse, const bf16 *qkv,
                               int B, int T, int C, int NH)
{
    if (!is_hopper())
        return false;
    const int processors = gpu_attribute(cudaDevAttrMultiProcessorCount);
    if (C == 64 * NH)
        launch<64>(y, lse, qkv, B, T, C, NH, processors);
    else if (C == 128 * NH)
        launch<128>(y, lse, qkv, B, T, C, NH, processors);
    else
        return false;
    return true;
}
