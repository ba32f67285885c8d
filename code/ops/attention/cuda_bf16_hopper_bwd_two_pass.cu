/* Tangled from chapters/workshop/backward-plumbing.nw, "The kernel".  Edit it there. */

/* The backward pass of attention by wgmma and
 * TMA in two passes, one for dq, one for dk and dv; heads of 64 and 128. */
#include <math.h>
#include "ops/attention/attention_bf16_impls.h"
#include "ops/attention/hopper_bwd.cuh"
#include "ops/kernels/common.cuh"
#include "ops/kernels/hopper.cuh"
#include "ops/kernels/swizzle.cuh"

namespace {

/* set the sizes of a pass */
enum {
    WIDE = 64,          /* columns of a box: 128 bytes */
    TILE = 64,          /* queries or keys at a time */
    GROUPS = 2,         /* warpgroups that compute, with two tiles each */
    STAGES = 3,         /* pairs of tiles in the ring */
    BLOCK = (GROUPS + 1) * GROUP,
};

/* Rows of HS numbers: 8 KB or 16 KB, swizzled. */
template <int HS> struct Tile { bf16 box[HS / WIDE][TILE][WIDE]; };

/* Keys and values, or queries and dy. */
template <int HS> struct Pair { Tile<HS> tile[2]; };

/* lay out the shared memory of a pass */
/* 128 rows of head h of sequence b. */
struct Work {
    int number, h, b, own;              /* tiles own and own + 1 */
    int brought;                        /* number of tiles that pass */
};

template <int HS> struct Shared {
    Pair<HS> own[2][GROUPS];            /* of two work tiles */
    Pair<HS> passing[STAGES];
    float lse[4][TILE];                 /* times log2 e */
    float dsum[4][TILE];                /* -D */
    uint64_t full[STAGES], empty[STAGES];
    uint64_t own_full[2], own_empty[2], rows_full[2];
    Work work[2];
};
static_assert(sizeof(Shared<128>) <= 227 * 1024, "what a block may have");

/* declare the parameters of a pass */
struct Problem {
    CUtensorMap qkv, dy, dqkv;          /* boxes of 64 rows */
    const float *lse, *dsum;            /* D; [heads][T] */
    float *sums;                        /* [B tiles][C], or NULL */
    int T, C, NH, heads;
    int tiles, work_tiles;              /* tiles of a head; work tiles */
    float scale;
};

/* find a work tile by its number */
/* The longest first; heads by 32, which the L2 can hold, the last ones all
 * together. */
template <bool keys> DEVICE_INLINE Work work_at(int n, const Problem &p)
{
    enum { TOGETHER = 32 };
    const int pairs = (p.tiles + 1) / 2, most = p.heads / TOGETHER - 2;
    const int part = min(n / (TOGETHER * pairs), max(0, most));
    const int first = part * TOGETHER;
    const int here = part < most ? TOGETHER : p.heads - first;
    const int rest = n - first * pairs, rank = rest / here;
    const int head = first + rest - rank * here;
    const int own = keys ? 2 * rank : p.tiles - 2 - 2 * rank;
    return Work{ n, head % p.NH, head / p.NH, own,
                  keys ? p.tiles - own : own + 2 };
}

/* The tile that passes as number k. */
template <bool keys> DEVICE_INLINE int tile_at(const Work &w, int k)
{
    return keys ? w.own + k : w.brought - 1 - k;
}

/* The first that a group uses. */
template <bool keys> DEVICE_INLINE int first_of(const Work &w, int group)
{
    return min(keys ? group : 1 - group, w.brought - 1);
}

/* take the next work tile of the backward pass */
/* Work tiles taken, beyond the first of each block; for queries and for
 * keys. */
[[maybe_unused]] __device__ static unsigned taken[2];

/* Each block asks until the number is no work tile: p.work_tiles times in
 * total.  The last to ask sets the counter back. */
template <bool keys> DEVICE_INLINE int take_work(const Problem &p)
{
    const unsigned i = atomicAdd(&taken[keys], 1);
    if (i == (unsigned)p.work_tiles - 1)
        atomicExch(&taken[keys], 0);
    return (int)(gridDim.x + i);
}

/* load the pairs of tiles */
template <int HS> DEVICE_INLINE void load_tile(Tile<HS> &to,
    const CUtensorMap *map, uint64_t *full, int x, int tile, int b)
{
    #pragma unroll 1                    /* there are few registers */
    for (int c = 0; c < HS / WIDE; c++)
        tma_load(to.box[c], map, full, x + c * WIDE, tile * TILE, b);
}

template <int HS, bool keys> DEVICE_INLINE void load_pair(Pair<HS> &to,
    const Problem &p, uint64_t *full, const Work &w, int tile)
{
    const int x = w.h * HS;
    load_tile(to.tile[0], &p.qkv, full, keys ? p.C + x : x, tile, w.b);
    load_tile(to.tile[1], keys ? &p.qkv : &p.dy, full,
              keys ? 2 * p.C + x : x, tile, w.b);
}

/* This round's work tile, when its own tiles are there. */
template <int HS> DEVICE_INLINE const Work &
work_of(Shared<HS> &sm, int round)
{
    mbarrier_wait(&sm.own_full[round % 2], round / 2 % 2);
    return sm.work[round % 2];
}

template <int HS, bool keys> DEVICE_INLINE void
bring_own(Shared<HS> &sm, const Problem &p, int n, int round)
{
    const int s = round % 2;
    mbarrier_wait(&sm.own_empty[s], round / 2 % 2 ^ 1);
    const Work w = work_at<keys>(n, p);
    const bool more = n < p.work_tiles;
    sm.work[s] = w;
    mbarrier_expect(&sm.own_full[s], more ? sizeof sm.own[s] : 0);
    for (int g = 0; more && g < GROUPS; g++)
        load_pair<HS, keys>(sm.own[s][g], p, &sm.own_full[s], w, w.own + g);
}

template <int HS, bool keys> DEVICE_INLINE void
bring_passing(Shared<HS> &sm, const Problem &p, const Work &w, int tile,
              Ring ring)
{
    const int s = ring.stage;
    mbarrier_wait(&sm.empty[s], ring.parity ^ 1);
    mbarrier_expect(&sm.full[s], sizeof(Pair<HS>));
    load_pair<HS, !keys>(sm.passing[s], p, &sm.full[s], w, tile);
}

template <int HS, bool keys>
DEVICE_INLINE void bring(Shared<HS> &sm, const Problem &p)
{
    enum { EARLY = 3 };
    Ring ring = { 0, 0 };
    bring_own<HS, keys>(sm, p, blockIdx.x, 0);
    for (int round = 0;; round++) {
        const Work &w = sm.work[round % 2];
        if (w.number >= p.work_tiles)
            break;
        /* load what passes, and early the next own tiles */
        for (int k = 0; k < w.brought; k++) {
            bring_passing<HS, keys>(sm, p, w, tile_at<keys>(w, k), ring);
            advance<STAGES>(ring);
            if (k == min((int)EARLY, w.brought) - 1)
                bring_own<HS, keys>(sm, p, take_work<keys>(p), round + 1);
        }
    }
}

/* lse and -D of the queries that pass, by one warp. */
template <int HS> DEVICE_INLINE void
bring_rows(Shared<HS> &sm, const Problem &p)
{
    const int lane = threadIdx.x % 32;
    Ring ring = { 0, 0 };
    for (int round = 0;; round++) {
        const Work &w = work_of(sm, round);
        if (w.number >= p.work_tiles)
            break;
        const int first = (w.b * p.NH + w.h) * p.T;
        for (int t = w.own * TILE + lane; t < p.tiles * TILE; t += TILE) {
            /* load lse and -D of two rows of the tile */
            float lse[2], dsum[2];
            #pragma unroll
            for (int r = 0; r < 2; r++) {
                const bool there = t + 32 * r < p.T;
                lse[r] = there ? p.lse[first + t + 32 * r] * LOG2E : 0;
                dsum[r] = there ? -p.dsum[first + t + 32 * r] : 0;
            }
            /* store them in their stage */
            const int s = ring.stage;
            mbarrier_wait(&sm.empty[s], ring.parity ^ 1);
            #pragma unroll
            for (int r = 0; r < 2; r++) {
                sm.lse[s][lane + 32 * r] = lse[r];
                sm.dsum[s][lane + 32 * r] = dsum[r];
            }
            mbarrier_arrive(&sm.full[s]);
            advance<STAGES>(ring);
        }
    }
}

/* lse and -D of the queries that are owned. */
template <int HS>
DEVICE_INLINE void bring_own_rows(Shared<HS> &sm, const Problem &p)
{
    const int lane = threadIdx.x % 32;
    for (int round = 0;; round++) {
        const Work &w = work_of(sm, round);
        if (w.number >= p.work_tiles)
            break;
        const int first = (w.b * p.NH + w.h) * p.T, s = round % 2;
        /* store lse and -D of 128 rows for this round */
        #pragma unroll
        for (int r = lane; r < GROUPS * TILE; r += 32) {
            const int t = w.own * TILE + r, to = 2 * s + r / TILE;
            const bool there = t >= 0 && t < p.T;
            sm.lse[to][r % TILE] = there ? p.lse[first + t] * LOG2E : 0;
            sm.dsum[to][r % TILE] = there ? -p.dsum[first + t] : 0;
        }
        mbarrier_arrive(&sm.rows_full[s]);
    }
}


/* declare the state of a thread of a pass */
struct Place {
    int group, thread;
    int row, column;                    /* of its first number in a tile */
    uint32_t out;                       /* its row in a box, for stmatrix */
    uint64_t own, passing;              /* descriptors of the first pairs */
    const float *lse, *dsum;            /* stage 0, its first column */
    Ring ring;
    int round, number;                  /* of this work tile */
    float lse_of[2], dsum_of[2];        /* if queries are owned */
};

/* declare what a thread of a pass holds */
template <int HS> struct Numbers {
    float s[32], dp[32];                /* s, then p */
    float dx[HS / 2], dv[HS / 2];       /* dk or dq; dv */
    uint32_t p[16], ds[16];             /* bf16, as a first operand */
};

/* steps and results of a pass */
/* multiply tiles of 128 columns */
/* In a descriptor: the next box, 16 columns, 16 rows; a tile, a pair. */
enum {
    BOX = TILE * WIDE * 2 / 16,
    ALONG = 16 * 2 / 16,
    DOWN = 16 * WIDE * 2 / 16,
};
template <int HS> constexpr int NEXT_TILE = sizeof(Tile<HS>) / 16;
template <int HS> constexpr int NEXT_PAIR = sizeof(Pair<HS>) / 16;

/* d = a b', or d += a b'; both in shared memory */
template <int HS> DEVICE_INLINE void
rows_by_rows(float (&d)[32], uint64_t a, uint64_t b, int add)
{
    #pragma unroll
    for (int k = 0; k < HS / 16; k++) {
        const int to = k / 4 * BOX + k % 4 * ALONG;
        wgmma_m64n64(d, a + to, b + to, k > 0 || add);
    }
}

/* d += a b; a in registers */
template <int HS>
DEVICE_INLINE void by_columns(float (&d)[HS / 2], const uint32_t (&a)[16],
                              uint64_t b)
{
    #pragma unroll
    for (int k = 0; k < TILE / 16; k++)
        if constexpr (HS == 64)
            wgmma_m64n64<1>(d, a + 4 * k, b + k * DOWN, 1);
        else
            wgmma_m64n128<1>(d, a + 4 * k, b + k * DOWN, 1);
}

/* compute on rows of queries */
/* As start_from and probabilities, if rows are queries. */
DEVICE_INLINE void start_from_rows(float (&dp)[32], const float (&dsum)[2])
{
    #pragma unroll
    for (int i = 0; i < 32; i++)
        dp[i] = dsum[i / 2 % 2];
}

DEVICE_INLINE void
probabilities_of_rows(float (&s)[32], const float (&lse)[2], float scale)
{
    #pragma unroll
    for (int i = 0; i < 32; i++)
        s[i] = fast_exp2(fmaf(s[i], scale, -lse[i / 2 % 2]));
}

DEVICE_INLINE void hide_later_columns(float (&s)[32], const Place &at)
{
    #pragma unroll
    for (int i = 0; i < 32; i++)
        if (at.column + i / 4 * 8 + i % 2 > at.row + i / 2 % 2 * 8)
            s[i] = 0;
}

/* release own tiles */
/* The group's own, of the work tile before this one. */
template <int HS> DEVICE_INLINE void
let_go_own(Shared<HS> &sm, const Place &at)
{
    if (at.round == 0)
        return;
    if (at.thread == 0)                 /* it started the copies */
        tma_wait_read<0>();
    mbarrier_arrive(&sm.own_empty[at.round % 2 ^ 1]);
}

/* begin a work tile */
template <int HS> DEVICE_INLINE void know_rows(Shared<HS> &sm, Place &at)
{
    const int s = at.round % 2, of = 2 * s + at.group;
    mbarrier_wait(&sm.rows_full[s], at.round / 2 % 2);
    for (int r = 0; r < 2; r++) {
        at.lse_of[r] = sm.lse[of][at.row + 8 * r];
        at.dsum_of[r] = sm.dsum[of][at.row + 8 * r];
    }
}

/* The next one, if there is one. */
template <int HS, bool keys>
DEVICE_INLINE void begin(Shared<HS> &sm, const Problem &p, Place &at)
{
    at.round++;
    const Work &w = work_of(sm, at.round);
    at.number = w.number;
    if (at.number >= p.work_tiles)
        return;
    /* skip what the group does not use */
    for (int k = first_of<keys>(w, at.group); k > 0; k--) {
        mbarrier_wait(&sm.full[at.ring.stage], at.ring.parity);
        mbarrier_arrive(&sm.empty[at.ring.stage]);
        advance<STAGES>(at.ring);
    }
    if (!keys)
        know_rows(sm, at);
}

template <int HS> DEVICE_INLINE uint64_t own_of(const Place &at)
{
    return at.own + at.round % 2 * (GROUPS * NEXT_PAIR<HS>);
}

template <int HS>
DEVICE_INLINE void start_scores(Numbers<HS> &n, const Place &at)
{
    const int stage = at.ring.stage;
    wgmma_fence();
    rows_by_rows<HS>(n.s, own_of<HS>(at),
                     at.passing + stage * NEXT_PAIR<HS>, 0);
    wgmma_commit();
}

/* step over one tile that passes */
/* One tile that passes by.  In the last step of a work tile the scores of
 * the next one are started. */
template <int HS, bool keys>
DEVICE_INLINE void step(Shared<HS> &sm, const Problem &p, Place &at,
                        Numbers<HS> &n, bool first, bool last)
{
    const int here = at.ring.stage;
    const uint64_t own = own_of<HS>(at);
    const uint64_t passing = at.passing + here * NEXT_PAIR<HS>;
    /* start dp of a pass */
    if (keys)
        start_from(n.dp, at.dsum + here * TILE);
    else
        start_from_rows(n.dp, at.dsum_of);
    wgmma_fence();
    rows_by_rows<HS>(n.dp, own + NEXT_TILE<HS>, passing + NEXT_TILE<HS>, 1);
    wgmma_commit();
    /* compute p of a pass */
    if (keys)
        probabilities(n.s, at.lse + here * TILE, p.scale * LOG2E);
    else
        probabilities_of_rows(n.s, at.lse_of, p.scale * LOG2E);
    if (first && keys)
        hide_later_keys(n.s, at.row, at.column);
    if (first && !keys)
        hide_later_columns(n.s, at);
    /* start dv of a pass, wait for dp */
    if (keys) {
        #pragma unroll
        for (int e = 0; e < 16; e++)
            n.p[e] = pack_two(n.s[2 * e], n.s[2 * e + 1]);
        wgmma_fence();
        by_columns<HS>(n.dv, n.p, passing + NEXT_TILE<HS>);
        wgmma_commit();
        wgmma_wait<1>();
    } else
        wgmma_wait<0>();
    wgmma_hold(n.dp);
    /* release what the step before used */
    if (first)
        let_go_own(sm, at);
    else
        mbarrier_arrive(&sm.empty[here ? here - 1 : STAGES - 1]);
    pack_ds(n.ds, n.s, n.dp);
    /* start the next scores of a pass */
    advance<STAGES>(at.ring);
    if (last)
        begin<HS, keys>(sm, p, at);
    if (at.number < p.work_tiles)
        mbarrier_wait(&sm.full[at.ring.stage], at.ring.parity);
    start_scores(n, at);
    by_columns<HS>(n.dx, n.ds, passing);
    wgmma_commit();
    /* wait for the scores of a pass */
    if (keys && HS == 128)
        wgmma_wait<0>();
    else
        wgmma_wait<1>();
    wgmma_hold(n.s);
}

/* output the results of a work tile */
/* x, times scale, as rows of a tile */
template <int HS>
DEVICE_INLINE void lay_out(const Place &at, const Tile<HS> &tile,
                           const float (&x)[HS / 2], float scale)
{
    #pragma unroll
    for (int k = 0; k < HS / 16; k++) {
        uint32_t two[4];
        #pragma unroll
        for (int i = 0; i < 4; i++)
            two[i] = pack_two(x[8 * k + 2 * i] * scale,
                              x[8 * k + 2 * i + 1] * scale);
        stmatrix(shared_address(tile.box[k / 4])
                     + swizzled_along(at.out, k % 4 * 2), two);
    }
    fence_proxy_async();
}

/* To a third of dqkv: 0 dq, 1 dk, 2 dv. */
template <int HS>
DEVICE_INLINE void send(const Problem &p, const Place &at, const Work &w,
                        const Tile<HS> &from, int third)
{
    group_sync(at.group);
    if (at.thread || w.own + at.group < 0)
        return;
    for (int c = 0; c < HS / WIDE; c++)
        tma_store(&p.dqkv, from.box[c], third * p.C + w.h * HS + c * WIDE,
                  (w.own + at.group) * TILE, w.b);
    tma_commit();
}

/* Sums of each warp, then of the group; send is between them. */
template <int HS>
DEVICE_INLINE void leave_sums(const Place &at, float (*room)[HS],
                              const float (&x)[HS / 2])
{
    const int lane = at.thread % 32;
    for (int c = 0; c < HS / WIDE; c++) {
        float sum[2] = {};
        add_columns(sum, x + 32 * c);
        room[at.thread / 32][c * WIDE + 2 * lane] = sum[0];
        room[at.thread / 32][c * WIDE + 2 * lane + 1] = sum[1];
    }
}

template <int HS> DEVICE_INLINE void
add_sums(const Problem &p, const Place &at, const Work &w,
         const float (*room)[HS], float scale)
{
    const int own = w.own + at.group, c = at.thread;
    if (own >= 0 && own < p.tiles && c < HS)
        p.sums[(size_t)(w.b * p.tiles + own) * p.C + w.h * HS + c]
            = scale * (room[0][c] + room[1][c]
                       + (room[2][c] + room[3][c]));
}

template <int HS, bool keys> DEVICE_INLINE void
finish(const Problem &p, const Place &at, const Numbers<HS> &n,
       const Work &w, Pair<HS> &own)
{
    const float (&x)[HS / 2] = keys ? n.dv : n.dx;
    const float scale = keys ? 1 : p.scale;
    float (*room)[HS] = (float (*)[HS])&own.tile[!keys];
    group_sync(at.group);               /* own tiles are free */
    lay_out(at, own.tile[keys], x, scale);
    if (p.sums)
        leave_sums<HS>(at, room, x);
    send(p, at, w, own.tile[keys], keys ? 2 : 0);
    if (p.sums)
        add_sums<HS>(p, at, w, room, scale);
    if (keys) {
        group_sync(at.group);
        lay_out(at, own.tile[0], n.dx, p.scale);
        send(p, at, w, own.tile[0], 1);
    }
}

/* initialise the state of a thread of a pass */
template <int HS> DEVICE_INLINE Place place_of(Shared<HS> &sm, int group)
{
    const int thread = threadIdx.x % GROUP, lane = thread % 32;
    const int row = thread / 32 * 16 + lane % 16;
    Place at = {};
    at.group = group;
    at.thread = thread;
    at.row = thread / 32 * 16 + lane / 4;
    at.column = lane % 4 * 2;
    at.out = swizzled(row, lane / 16);
    at.own = wgmma_matrix(&sm.own[0][group], TILE * WIDE * 2);
    at.passing = wgmma_matrix(&sm.passing[0], TILE * WIDE * 2);
    at.lse = sm.lse[0] + at.column;
    at.dsum = sm.dsum[0] + at.column;
    at.round = -1;
    return at;
}

/* run a consumer warpgroup of a pass */
template <int HS, bool keys>
DEVICE_INLINE void gradients(Shared<HS> &sm, const Problem &p, int group)
{
    Place at = place_of(sm, group);
    Numbers<HS> n;
    /* begin the first work tile */
    begin<HS, keys>(sm, p, at);
    mbarrier_wait(&sm.full[at.ring.stage], at.ring.parity);
    start_scores(n, at);
    wgmma_wait<0>();
    wgmma_hold(n.s);
    while (at.number < p.work_tiles) {
        const int s = at.round % 2;
        const Work w = sm.work[s];
        const int first = first_of<keys>(w, group);
        int here = 0;
        /* do all steps of the work tile, from zero sums */
        clear(n.dx);
        if (keys)
            clear(n.dv);
        for (int k = first; k < w.brought; k++) {
            here = at.ring.stage;
            step<HS, keys>(sm, p, at, n, k == first, k == w.brought - 1);
        }
        /* wait for the sums, release the last stage */
        wgmma_wait<0>();
        wgmma_hold(n.dx);
        if (keys)
            wgmma_hold(n.dv);
        mbarrier_arrive(&sm.empty[here]);
        finish<HS, keys>(p, at, n, w, sm.own[s][group]);
    }
    if (at.thread == 0)
        tma_wait_read<0>();
}

/* initialise the barriers of a pass */
template <int HS, bool keys> DEVICE_INLINE void set_up(Shared<HS> &sm)
{
    for (int s = 0; s < STAGES; s++) {
        mbarrier_init(&sm.full[s], keys ? 1 + 32 : 1);
        mbarrier_init(&sm.empty[s], GROUPS * GROUP);
    }
    for (int s = 0; s < 2; s++) {
        mbarrier_init(&sm.own_full[s], 1);
        mbarrier_init(&sm.own_empty[s], GROUPS * GROUP);
        mbarrier_init(&sm.rows_full[s], 32);
    }
    mbarrier_init_done();
}

/* the kernel of two passes */
/* Of a thread of a consumer. */
template <int HS, bool keys>
constexpr int REGISTERS = keys && HS == 128 ? 240 : 232;

/* dk and dv if keys, else dq.
 *   launch    min(work tiles, multiprocessors) blocks of BLOCK threads,
 *             sizeof(Shared<HS>) bytes, one block a multiprocessor
 *   moves     12 or 10 B T C bytes, if what passes by is found in the L2
 *   FLOP      4 or 3 B T^2 C, with whole tiles T / 64 + 1 for T / 64
 *   numerics  as flash_bwd_kernel; dq is summed from the diagonal back */
template <int HS, bool keys> __global__ void __launch_bounds__(BLOCK, 1)
flash_bwd_pass(const __grid_constant__ Problem p)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL        /* elsewhere there is no wgmma */
    extern __shared__ __align__(1024) char memory[];
    Shared<HS> &sm = *(Shared<HS> *)memory;
    const int group = __shfl_sync(WHOLE_WARP, threadIdx.x / GROUP, 0);
    if (threadIdx.x == 0)
        set_up<HS, keys>(sm);
    __syncthreads();
    /* run the role of this warp in a pass */
    if (group < GROUPS) {
        registers_take<REGISTERS<HS, keys>>();
        gradients<HS, keys>(sm, p, group);
    } else {
        registers_give_up<504 - 2 * REGISTERS<HS, keys>>();
        const int warp = threadIdx.x % GROUP / 32;
        if (threadIdx.x % GROUP == 0)
            bring<HS, keys>(sm, p);
        else if (warp == 1 && keys)
            bring_rows(sm, p);
        else if (warp == 1)
            bring_own_rows(sm, p);
    }
#endif
}
}

/* launch the two passes */
template <int HS, bool keys> static void launch(Problem p, float *sums)
{
    p.sums = sums;
    allow_shared_memory(flash_bwd_pass<HS, keys>, sizeof(Shared<HS>));
    const int blocks = min(p.work_tiles,
                           gpu_attribute(cudaDevAttrMultiProcessorCount));
    flash_bwd_pass<HS, keys><<<blocks, BLOCK, sizeof(Shared<HS>),
                               backend_stream()>>>(p);
    LAUNCHED();
}

bool attention_bf16_bwd_two_pass(bf16 *dqkv, struct FlashSums *sums,
                                 const bf16 *dy, const bf16 *qkv,
                                 const bf16 *y, const float *lse,
                                 float *dsum, int B, int T, int C, int NH)
{
    const int HS = C / NH, tiles = (T + TILE - 1) / TILE;
    if ((HS != 64 && HS != 128) || !is_hopper())
        return false;
    attention_bf16_dots(dsum, dy, y, B, T, C, NH);
    /* describe the problem of the passes */
    const Problem p = { tensor_map(qkv, 3 * C, T, B, 3 * (size_t)C, TILE),
                        tensor_map(dy, C, T, B, C, TILE),
                        tensor_map(dqkv, 3 * C, T, B, 3 * (size_t)C, TILE),
                        lse, dsum, NULL, T, C, NH, B * NH,
                        tiles, B * NH * ((tiles + 1) / 2),
                        1 / sqrtf((float)HS) };
    if (!backend_ok(NULL))
        return true;
    if (HS == 64) {
        launch<64, false>(p, sums->q);
        launch<64, true>(p, sums->v);
    } else {
        launch<128, false>(p, sums->q);
        launch<128, true>(p, sums->v);
    }
    sums->q_parts = sums->v_parts = B * tiles;
    return true;
}
