/* Tangled from chapters/workshop/backward-plumbing.nw, "The file of the kernel with a block a head".  Edit it there. */

/* The backward pass of attention by wgmma and TMA,
 * heads of 64, one block a head. */
#include <math.h>
#include "backend/backend.h"
#include "ops/attention/attention_bf16_impls.h"
#include "ops/attention/hopper_bwd.cuh"
#include "ops/kernels/common.cuh"
#include "ops/kernels/hopper.cuh"
#include "ops/kernels/swizzle.cuh"

namespace {

/* set the sizes of a backward block */
enum {
    HS = 64,            /* numbers in a row of q, k, v and dy */
    TILE = 64,          /* queries or keys at a time */
    GROUPS = 2,         /* warpgroups that compute, a tile of keys each */
    ROOM = 8,           /* tiles of dq in shared memory: a span */
    STAGES = 3,         /* tiles of queries in the ring */
    BLOCK = (GROUPS + 1) * GROUP,
};

typedef bf16 Tile[TILE * HS];           /* [64][64], swizzled */
static_assert(HS * 2 == (int)SWIZZLE_ROW, "a tile has rows of a head");

/* lay out the shared memory of a backward block */
struct Shared {
    Tile k[GROUPS], v[GROUPS];          /* each group has its own */
    Tile q[STAGES], dy[STAGES];
    Tile ds[GROUPS];
    float4 dq[ROOM][8][GROUP];          /* 32 numbers of each thread */
    float lse[STAGES][TILE];            /* times log2 e */
    float dsum[STAGES][TILE];           /* -D */
    uint64_t full[STAGES], empty[STAGES];
    uint64_t k_full[GROUPS], k_empty[GROUPS];
    uint64_t v_full[GROUPS], v_empty[GROUPS];
    uint64_t turn[GROUPS][ROOM];        /* to add to a tile of dq */
    uint64_t head_begun, dots_there;    /* a head; D of the next one */
};
static_assert(sizeof(Shared) <= 227 * 1024, "what a block may have");

/* declare the parameters of the backward kernel */
struct Problem {
    CUtensorMap qkv, dy, dqkv;          /* boxes of a tile */
    const bf16 *g, *y;                  /* dy and y; y NULL: D is there */
    const float *lse;                   /* [heads][T] */
    float *dsum;                        /* D, [heads][T] */
    float *q_sums, *v_sums;             /* [2 B][C], [8 B][C], or NULL */
    float4 *carry;                      /* [blocks][tiles][16][GROUP] */
    int T, C, NH, heads, tiles;
    float scale;
};

struct Span { int head, first, end; };  /* tiles of queries first .. */

/* the producer warpgroup */
/* initialise the barriers of a backward block */
DEVICE_INLINE void set_up(Shared &sm)
{
    for (int s = 0; s < STAGES; s++) {
        mbarrier_init(&sm.full[s], 32);
        mbarrier_init(&sm.empty[s], GROUPS * GROUP);
    }
    for (int g = 0; g < GROUPS; g++) {
        /* initialise the barriers of a consumer */
        mbarrier_init(&sm.k_full[g], 1);
        mbarrier_init(&sm.v_full[g], 1);
        mbarrier_init(&sm.k_empty[g], GROUP);
        mbarrier_init(&sm.v_empty[g], GROUP);
        for (int i = 0; i < ROOM; i++)
            mbarrier_init(&sm.turn[g][i], GROUP);
    }
    mbarrier_init(&sm.head_begun, 1);
    mbarrier_init(&sm.dots_there, 2);
    mbarrier_init_done();
}

/* load a tile of queries and dy */
DEVICE_INLINE void bring_tile(Shared &sm, const Problem &p, int head, int i,
                              Ring ring)
{
    const int lane = threadIdx.x % 32, s = ring.stage;
    float lse[2], dsum[2];
    /* load lse and D of two rows */
    for (int r = 0; r < 2; r++) {
        const int t = i * TILE + lane + 32 * r;
        const size_t at = (size_t)head * p.T + t;
        lse[r] = t < p.T ? p.lse[at] * LOG2E : 0;
        dsum[r] = t < p.T ? -p.dsum[at] : 0;
    }
    mbarrier_wait(&sm.empty[s], ring.parity ^ 1);
    for (int r = 0; r < 2; r++) {
        sm.lse[s][lane + 32 * r] = lse[r];
        sm.dsum[s][lane + 32 * r] = dsum[r];
    }
    /* start the copies of queries and dy */
    if (lane == 0) {
        const int x = head % p.NH * HS, b = head / p.NH;
        mbarrier_expect(&sm.full[s], 2 * sizeof(Tile));
        tma_load(sm.q[s], &p.qkv, &sm.full[s], x, i * TILE, b);
        tma_load(sm.dy[s], &p.dy, &sm.full[s], x, i * TILE, b);
    } else
        mbarrier_arrive(&sm.full[s]);
}

/* multiply two packs and sum */
/* sum + a . b */
DEVICE_INLINE float dot8(const Pack<8> &a, const Pack<8> &b, float sum)
{
    float x[8], y[8];
    pack_get(x, a);
    pack_get(y, b);
    #pragma unroll
    for (int i = 0; i < 8; i++)
        sum = fmaf(x[i], y[i], sum);
    return sum;
}

/* compute D of one head */
DEVICE_INLINE float dot_of_eight_lanes(const Pack<8> &a, const Pack<8> &b)
{
    float sum = dot8(a, b, 0);
    for (int d = 4; d > 0; d /= 2)
        sum += __shfl_xor_sync(WHOLE_WARP, sum, d);
    return sum;
}

/* dsum[head][t] = dy . y of rows first, first + step, ...: eight lanes a
 * row, two rows at a time */
DEVICE_INLINE void dot_rows(const Problem &p, int head, int first, int step)
{
    const int part = threadIdx.x % 8 * 8;
    const size_t at = (size_t)(head / p.NH) * p.T * p.C
                    + head % p.NH * HS + part;
    for (int row = first; row - first < p.T; row += 2 * step) {
        Pack<8> g[2], y[2];
        /* load two rows of dy and y */
        #pragma unroll
        for (int i = 0; i < 2; i++) {
            const size_t t = min(row + i * step, p.T - 1);
            g[i] = pack_load<8>(p.g + at + t * p.C);
            y[i] = pack_load<8>(p.y + at + t * p.C);
        }
        /* store the sums of their products as D */
        #pragma unroll
        for (int i = 0; i < 2; i++) {
            const float d = dot_of_eight_lanes(g[i], y[i]);
            if (part == 0 && row + i * step < p.T)
                p.dsum[(size_t)head * p.T + row + i * step] = d;
        }
    }
}

/* compute D one head ahead */
/* By two warps: D of each head but a block's first. */
DEVICE_INLINE void dots_ahead(Shared &sm, const Problem &p, int warp)
{
    const int lane = threadIdx.x % 32;
    uint32_t parity = 0;
    for (int head = blockIdx.x + gridDim.x; p.y && head < p.heads;
         head += gridDim.x) {
        mbarrier_wait(&sm.head_begun, parity);
        parity ^= 1;
        dot_rows(p, head, warp * 4 + lane / 8, 8);
        __syncwarp();
        if (lane == 0)
            mbarrier_arrive(&sm.dots_there);
    }
}

/* load all tiles of queries in order */
DEVICE_INLINE void bring_queries(Shared &sm, const Problem &p)
{
    Ring ring = { 0, 0 };
    uint32_t parity = 1;                /* the first D is there */
    for (int head = blockIdx.x; head < p.heads; head += gridDim.x) {
        /* wait for D of this head */
        if (p.y) {
            mbarrier_wait(&sm.dots_there, parity);
            parity ^= 1;
            if (threadIdx.x % 32 == 0)
                mbarrier_arrive(&sm.head_begun);
        }
        for (int first = 0; first < p.tiles; first += ROOM) {
            const int end = min(first + ROOM, p.tiles);
            for (int pair = 0; pair < end; pair += GROUPS)
                for (int i = max(pair, first); i < end; i++) {
                    bring_tile(sm, p, head, i, ring);
                    advance<STAGES>(ring);
                }
        }
    }
}

/* load keys and values */
DEVICE_INLINE void bring_pair(Shared &sm, const Problem &p, int head, int g,
                              int t, uint32_t parity)
{
    const int x = p.C + head % p.NH * HS, b = head / p.NH;
    mbarrier_wait(&sm.k_empty[g], parity);
    mbarrier_expect(&sm.k_full[g], sizeof(Tile));
    tma_load(sm.k[g], &p.qkv, &sm.k_full[g], x, t, b);
    mbarrier_wait(&sm.v_empty[g], parity);
    mbarrier_expect(&sm.v_full[g], sizeof(Tile));
    tma_load(sm.v[g], &p.qkv, &sm.v_full[g], p.C + x, t, b);
}

DEVICE_INLINE void bring_keys(Shared &sm, const Problem &p)
{
    uint32_t parity = 1;
    for (int head = blockIdx.x; head < p.heads; head += gridDim.x)
        for (int first = 0; first < p.tiles; first += ROOM)
            for (int pair = 0; pair < min(first + ROOM, p.tiles);
                 pair += GROUPS) {
                for (int g = 0; g < GROUPS; g++)
                    bring_pair(sm, p, head, g, (pair + g) * TILE, parity);
                parity ^= 1;
            }
}

/* the consumer warpgroups */
/* declare the state of a thread */
/* What a thread of a group knows for the whole run. */
struct Place {
    int group, thread;
    int row, column;                    /* of its first number in a tile */
    uint32_t ds_at;                     /* its row of ds, for stmatrix */
    uint32_t ds_across, k_across;       /* ... of ds and k transposed */
    uint64_t k, v, ds, q, dy;           /* descriptors; q, dy: stage 0 */
    const float *lse, *dsum;            /* stage 0, its first column */
    Ring ring;
    uint32_t keys, turns;               /* parities: keys and values; dq */
    float q_sum[2], v_sum[2];           /* see leave_sums */
};

/* declare what a thread holds */
/* 64 x 64 numbers of a group: 32 of each thread, as wgmma leaves them */
struct Numbers {
    float s[32], dp[32];                /* s, then p; [key][query] */
    float dk[32], dv[32];               /* [key][HS] */
    float dq[32];                       /* [HS][query] */
    uint32_t p[16], ds[16], k[16];      /* bf16, as a first operand */
};

/* multiply two tiles */
/* In a descriptor: the next 16 numbers of a row, the next 16 rows, the
 * next tile. */
enum {
    ALONG = 16 * 2 / 16,
    DOWN = 16 * HS * 2 / 16,
    NEXT_TILE = TILE * HS * 2 / 16,
};

/* d = a b', or d += a b'; both in shared memory */
DEVICE_INLINE void
rows_by_rows(float (&d)[32], uint64_t a, uint64_t b, int add)
{
    #pragma unroll
    for (int k = 0; k < 4; k++)
        wgmma_m64n64(d, a + k * ALONG, b + k * ALONG, k > 0 || add);
}

/* d += a b; a in registers */
DEVICE_INLINE void
by_columns(float (&d)[32], const uint32_t (&a)[16], uint64_t b)
{
    #pragma unroll
    for (int k = 0; k < 4; k++)
        wgmma_m64n64<1>(d, a + 4 * k, b + k * DOWN, 1);
}


/* load the sums of a thread */
DEVICE_INLINE void read_numbers(float (&x)[32], const float4 *from)
{
    #pragma unroll
    for (int j = 0; j < 8; j++) {
        const float4 a = from[j * GROUP];
        x[4 * j] = a.x;
        x[4 * j + 1] = a.y;
        x[4 * j + 2] = a.z;
        x[4 * j + 3] = a.w;
    }
}

/* store the sums of a thread */
DEVICE_INLINE void write_numbers(float4 *to, const float (&x)[32])
{
    #pragma unroll
    for (int j = 0; j < 8; j++)
        to[j * GROUP] = make_float4(x[4 * j], x[4 * j + 1],
                                    x[4 * j + 2], x[4 * j + 3]);
}

/* store fragments in ds */
DEVICE_INLINE void to_ds(const Place &at, const uint32_t (&x)[16])
{
    #pragma unroll
    for (int k = 0; k < 4; k++)
        stmatrix(swizzled_along(at.ds_at, 2 * k), x + 4 * k);
    fence_proxy_async();
}

/* store fragments in ds, transposed */
DEVICE_INLINE void to_ds_across(const Place &at, const uint32_t (&x)[16])
{
    #pragma unroll
    for (int k = 0; k < 4; k++)
        stmatrix_t(at.ds_across + 16 * k * SWIZZLE_ROW, x + 4 * k);
    fence_proxy_async();
}

/* output a finished tile */
/* x, times scale, as rows tile * TILE .. of a third of dqkv: 0 of dq, 1 of
 * dk, 2 of dv */
DEVICE_INLINE void store_tile(Shared &sm, const Problem &p, const Place &at,
                              const float (&x)[32], float scale,
                              const Span &span, int third, int tile)
{
    uint32_t two[16];
    #pragma unroll
    for (int i = 0; i < 16; i++)
        two[i] = pack_two(x[2 * i] * scale, x[2 * i + 1] * scale);
    /* store two in shared memory, dq transposed */
    if (at.thread == 0)
        tma_wait_read<0>();
    group_sync(at.group);
    if (third == 0)
        to_ds_across(at, two);
    else
        to_ds(at, two);
    group_sync(at.group);
    /* start the store by TMA */
    if (at.thread == 0) {
        tma_store(&p.dqkv, sm.ds[at.group],
                  third * p.C + span.head % p.NH * HS, tile * TILE,
                  span.head / p.NH);
        tma_commit();
    }
}

/* add up the rows of a tile */
/* sum[0], sum[1] += the sums of x over this thread's columns, of its first
 * row and of the one 8 further */
DEVICE_INLINE void add_rows(float (&sum)[2], const float (&x)[32])
{
    float s[4] = { x[0] + x[1], x[2] + x[3], x[4] + x[5], x[6] + x[7] };
    #pragma unroll
    for (int i = 8; i < 32; i += 2)
        s[i / 2 % 4] += x[i] + x[i + 1];
    sum[0] += s[0] + s[2];
    sum[1] += s[1] + s[3];
}

/* store the sums of a head */
/* At the end of a head: what was summed goes to memory. */
DEVICE_INLINE void leave_sums(const Problem &p, Place &at, int head)
{
    if (!p.q_sums)
        return;
    const int lane = at.thread % 32, warp = at.thread / 32;
    /* find where this warp's sums of the head go */
    const size_t part = head / p.NH * GROUPS + at.group;
    float *dq = p.q_sums + part * p.C + head % p.NH * HS;
    float *dv = p.v_sums + (part * GROUP / 32 + warp) * p.C
              + head % p.NH * HS;
    /* write the sums, and clear them */
    #pragma unroll
    for (int r = 0; r < 2; r++) {
        float x = at.q_sum[r];
        x += __shfl_xor_sync(WHOLE_WARP, x, 1);
        x += __shfl_xor_sync(WHOLE_WARP, x, 2);
        if (lane % 4 == 0)
            dq[at.row + 8 * r] = x * p.scale;
        dv[2 * lane + r] = at.v_sum[r];
        at.q_sum[r] = at.v_sum[r] = 0;
    }
}

/* step over one tile of queries */
template <bool last>
DEVICE_INLINE void step(Shared &sm, const Problem &p, Place &at, Numbers &n,
                        const Span &span, int keys, int i)
{
    const int here = at.ring.stage, slot = i - span.first;
    const uint64_t q = at.q + here * NEXT_TILE;
    const uint64_t dy = at.dy + here * NEXT_TILE;
    float4 *sum = &sm.dq[slot][0][at.thread];
    /* start dp */
    if (last)                               /* keys are in registers */
        mbarrier_arrive(&sm.k_empty[at.group]);
    start_from(n.dp, at.dsum + here * TILE);
    wgmma_fence();
    rows_by_rows(n.dp, at.v, dy, 1);
    wgmma_commit();
    /* compute p from s, in fp32 and in bf16 */
    probabilities(n.s, at.lse + here * TILE, p.scale * LOG2E);
    if (i == keys)
        hide_later_keys(n.s, at.row, at.column);
    #pragma unroll
    for (int e = 0; e < 16; e++)
        n.p[e] = pack_two(n.s[2 * e], n.s[2 * e + 1]);
    /* start dv, wait for dp */
    wgmma_fence();
    by_columns(n.dv, n.p, dy);
    wgmma_commit();
    wgmma_wait<1>();
    wgmma_hold(n.dp);
    if (last)
        mbarrier_arrive(&sm.v_empty[at.group]);
    if (i > max(keys, span.first))
        mbarrier_arrive(&sm.empty[here ? here - 1 : STAGES - 1]);
    pack_ds(n.ds, n.s, n.dp);
    /* start the next scores */
    advance<STAGES>(at.ring);
    if (!last) {
        mbarrier_wait(&sm.full[at.ring.stage], at.ring.parity);
        wgmma_fence();
        rows_by_rows(n.s, at.k, at.q + at.ring.stage * NEXT_TILE, 0);
        wgmma_commit();
    }
    /* store ds in shared memory */
    if (at.thread == 0)
        tma_wait_read<0>();                 /* TMA may still read ds */
    group_sync(at.group);                   /* and all have read the old ds */
    to_ds(at, n.ds);
    /* wait for the turn, load the sum of dq */
    mbarrier_wait(&sm.turn[at.group ^ 1][slot],
                  (at.turns >> slot & 1) ^ (at.group == 0));
    if (keys > 0)
        read_numbers(n.dq, sum);
    else
        clear(n.dq);
    group_sync(at.group);                   /* ds has been written */
    /* start dq and dk, wait for dq */
    wgmma_fence();
    by_columns(n.dq, n.k, at.ds);
    wgmma_commit();
    by_columns(n.dk, n.ds, q);
    wgmma_commit();
    wgmma_wait<1>();
    if (!last)
        wgmma_hold(n.s);
    wgmma_hold(n.dq);
    /* store the sum of dq, or output it */
    if (i > keys)
        write_numbers(sum, n.dq);
    else {
        store_tile(sm, p, at, n.dq, p.scale, span, 0, i);
        add_rows(at.q_sum, n.dq);
    }
    if (i > keys || at.group == 1) {
        mbarrier_arrive(&sm.turn[at.group][slot]);
        at.turns ^= 1u << slot;
    }
}

/* initialise the state of a thread */
DEVICE_INLINE Place place_of(Shared &sm, int group)
{
    const int thread = threadIdx.x % GROUP, lane = thread % 32;
    const int row = thread / 32 * 16 + lane % 16;
    const int across = swizzled(lane / 16 * 8 + lane % 8,
                                thread / 32 * 2 + lane / 8 % 2);
    Place at = {};
    at.group = group;
    at.thread = thread;
    at.row = thread / 32 * 16 + lane / 4;
    at.column = lane % 4 * 2;
    /* find this lane's rows of ds and k */
    at.ds_at = shared_address(sm.ds[group]) + swizzled(row, lane / 16);
    at.ds_across = shared_address(sm.ds[group]) + across;
    at.k_across = shared_address(sm.k[group]) + across;
    /* build the descriptors of all tiles */
    at.k = wgmma_matrix(sm.k[group]);
    at.v = wgmma_matrix(sm.v[group]);
    at.ds = wgmma_matrix(sm.ds[group]);
    at.q = wgmma_matrix(sm.q[0]);
    at.dy = wgmma_matrix(sm.dy[0]);
    at.lse = sm.lse[0] + at.column;
    at.dsum = sm.dsum[0] + at.column;
    return at;
}

/* go on to the next span */
struct Work {
    Span span;
    int keys;                           /* tile of this group's keys */
};

/* The work tile after the last of a span or of a head; false: none. */
DEVICE_INLINE bool next_span(const Problem &p, Place &at, Work &w)
{
    Span &s = w.span;
    s.first = s.end;
    if (s.end == p.tiles) {
        leave_sums(p, at, s.head);
        s.first = 0;
        s.head += gridDim.x;
    }
    s.end = min(s.first + ROOM, p.tiles);
    w.keys = at.group;
    return s.head < p.heads;
}

/* start the scores of the next work tile */
/* Go on to the work tile w, or the first after it that has a step;
 * start its first scores.  False: there is none, the scores are of what
 * happens to be in shared memory. */
DEVICE_INLINE bool
next_scores(Shared &sm, const Problem &p, Place &at, Work &w, Numbers &n)
{
    bool more = true;
    for (;;) {
        const Span &span = w.span;
        const int pair = w.keys - at.group;
        /* after the last pair, go on to the next span */
        if (pair >= span.end) {
            more = next_span(p, at, w);
            if (more)
                continue;
            break;
        }
        /* skip the queries before these keys */
        for (int i = max(pair, span.first); i < min(w.keys, span.end); i++) {
            mbarrier_wait(&sm.full[at.ring.stage], at.ring.parity);
            mbarrier_arrive(&sm.empty[at.ring.stage]);
            advance<STAGES>(at.ring);
        }
        mbarrier_wait(&sm.k_full[at.group], at.keys);
        if (w.keys < span.end)
            break;
        /* release keys that come after the last query */
        mbarrier_wait(&sm.v_full[at.group], at.keys);
        at.keys ^= 1;
        mbarrier_arrive(&sm.k_empty[at.group]);
        mbarrier_arrive(&sm.v_empty[at.group]);
        w.keys += GROUPS;
    }
    /* wait for queries, start the scores */
    if (more)
        mbarrier_wait(&sm.full[at.ring.stage], at.ring.parity);
    wgmma_fence();
    rows_by_rows(n.s, at.k, at.q + at.ring.stage * NEXT_TILE, 0);
    wgmma_commit();
    return more;
}

/* save and reload dk and dv */
/* Where dk of a tile of keys is saved; dv is 8 GROUP further. */
DEVICE_INLINE float4 *carry_of(const Problem &p, const Place &at, int keys)
{
    return p.carry + at.thread
         + (size_t)16 * GROUP * ((size_t)blockIdx.x * p.tiles + keys);
}

DEVICE_INLINE void
reload(const Problem &p, const Place &at, const Work &w, Numbers &n)
{
    if (w.keys < w.span.first) {
        const float4 *carry = carry_of(p, at, w.keys);
        read_numbers(n.dk, carry);
        read_numbers(n.dv, carry + 8 * GROUP);
    } else {
        clear(n.dk);
        clear(n.dv);
    }
    #pragma unroll
    for (int k = 0; k < 4; k++)
        ldmatrix_t(n.k + 4 * k, at.k_across + 16 * k * SWIZZLE_ROW);
}

/* run a consumer warpgroup */
DEVICE_INLINE void gradients(Shared &sm, const Problem &p, int group)
{
    Place at = place_of(sm, group);
    Numbers n;
    Work w = { { (int)blockIdx.x, 0, min(ROOM, p.tiles) }, group };
    bool more = next_scores(sm, p, at, w, n);
    /* reload dk, dv and keys, wait for the first scores */
    wgmma_wait<0>();
    wgmma_hold(n.s);
    if (more) {
        reload(p, at, w, n);
        mbarrier_wait(&sm.v_full[at.group], at.keys);
        at.keys ^= 1;
    }
    while (more) {
        const Span span = w.span;
        const int keys = w.keys;
        /* step over all queries of the span */
        for (int i = max(keys, span.first); i < span.end - 1; i++)
            step<false>(sm, p, at, n, span, keys, i);
        step<true>(sm, p, at, n, span, keys, span.end - 1);
        const int last_stage = at.ring.stage ? at.ring.stage - 1
                                             : STAGES - 1;
        /* output or save dv */
        wgmma_hold(n.dv);                       /* older than dq: complete */
        if (span.end < p.tiles)
            write_numbers(carry_of(p, at, keys) + 8 * GROUP, n.dv);
        else {
            store_tile(sm, p, at, n.dv, 1, span, 2, keys);
            add_columns(at.v_sum, n.dv);
        }
        w.keys += GROUPS;
        more = next_scores(sm, p, at, w, n);
        /* output or save dk */
        wgmma_wait<1>();
        wgmma_hold(n.dk);
        mbarrier_arrive(&sm.empty[last_stage]);
        if (span.end < p.tiles)
            write_numbers(carry_of(p, at, keys), n.dk);
        else
            store_tile(sm, p, at, n.dk, p.scale, span, 1, keys);
        /* reload dk, dv and keys, wait for the first scores */
        wgmma_wait<0>();
        wgmma_hold(n.s);
        if (more) {
            reload(p, at, w, n);
            mbarrier_wait(&sm.v_full[at.group], at.keys);
            at.keys ^= 1;
        }
    }
    if (at.thread == 0)
        tma_wait_read<0>();
}

/* the kernel of attention backward */
/* dqkv from qkv, dy, lse and D.
 *   launch    min(B NH, multiprocessors) blocks of BLOCK threads,
 *             sizeof(Shared) bytes, one block a multiprocessor
 *   moves     14 B T C bytes, 16 if it makes D; more where T > 512
 *   FLOP      5 B T^2 C that count; with whole tiles T / 64 + 1 for T / 64
 *   numerics  p and ds are rounded to bf16 as operands; sums in fp32. dq
 *             is summed in the order of the keys, dk and dv in the order
 *             of the queries */
__global__ void __launch_bounds__(BLOCK, 1)
flash_bwd_kernel(const __grid_constant__ Problem p)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL        /* elsewhere there is no wgmma */
    /* find the shared memory and the warpgroup */
    extern __shared__ __align__(1024) char memory[];
    Shared &sm = *(Shared *)memory;
    const int group = __shfl_sync(WHOLE_WARP, threadIdx.x / GROUP, 0);
    if (threadIdx.x == 0)
        set_up(sm);
    if (p.y)
        dot_rows(p, blockIdx.x, threadIdx.x / 8, BLOCK / 8);
    __syncthreads();
    /* run the role of this warp */
    if (group < GROUPS) {
        registers_take<232>();
        gradients(sm, p, group);
    } else {
        registers_give_up<40>();
        const int warp = threadIdx.x % GROUP / 32;
        if (warp == 0)
            bring_queries(sm, p);
        else if (warp > 1)
            dots_ahead(sm, p, warp - 2);
        else if (threadIdx.x % 32 == 0)
            bring_keys(sm, p);
    }
#endif
}
}

/* allocate memory for saved gradients */
static struct Aside { float4 *at; size_t size; } asides[MOST_DEVICES];

static float4 *room_aside(size_t n)
{
    struct Aside *a = &asides[backend_device()];
    if (n > a->size) {
        CUDA_TRY(cudaStreamSynchronize(backend_stream()));
        backend_free(a->at);
        a->at = (float4 *)backend_alloc(n * sizeof *a->at,
                                        "saved gradients of keys");
        a->size = a->at ? n : 0;
    }
    return a->at;
}

/* launch attention backward */
bool attention_bf16_bwd_hopper(bf16 *dqkv, struct FlashSums *sums,
                               const bf16 *dy, const bf16 *qkv,
                               const bf16 *y, const float *lse, float *dsum,
                               int B, int T, int C, int NH)
{
    if (C != NH * HS || !is_hopper())
        return false;
    /* describe the problem of attention backward */
    Problem p = { tensor_map(qkv, 3 * C, T, B, 3 * (size_t)C, TILE),
                  tensor_map(dy, C, T, B, C, TILE),
                  tensor_map(dqkv, 3 * C, T, B, 3 * (size_t)C, TILE),
                  dy, y, lse, dsum, sums->q, sums->v, NULL,
                  T, C, NH, B * NH,
                  (T + TILE - 1) / TILE, 1 / sqrtf(HS) };
    const int blocks = min(p.heads,
                           gpu_attribute(cudaDevAttrMultiProcessorCount));
    /* decide who computes D */
    if (T < 768 || p.heads < 4 * blocks) {
        p.y = NULL;
        attention_bf16_dots(dsum, dy, y, B, T, C, NH);
    }
    if (p.tiles > ROOM)
        p.carry = room_aside((size_t)blocks * p.tiles * 16 * GROUP);
    if (!backend_ok(NULL))
        return true;
    /* launch with all the shared memory of a block */
    allow_shared_memory(flash_bwd_kernel, sizeof(Shared));
    flash_bwd_kernel<<<blocks, BLOCK, sizeof(Shared), backend_stream()>>>(p);
    LAUNCHED();
    sums->q_parts = GROUPS * B;
    sums->v_parts = GROUPS * GROUP / 32 * B;
    return true;
}
