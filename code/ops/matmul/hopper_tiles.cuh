/* Tangled from chapters/workshop/measuring-tensor-cores.nw, "The file of the kernel".  Edit it there. */

/* hopper_tiles.cuh: tiles of a matmul by TMA and wgmma, for the operator
 * and for the ladder. */
#ifndef OPS_MATMUL_HOPPER_TILES_CUH
#define OPS_MATMUL_HOPPER_TILES_CUH

#include "ops/kernels/bf16.h"
#include "ops/kernels/cluster.cuh"
#include "ops/kernels/swizzle.cuh"
#include "ops/matmul/matmul_bf16.h"

namespace {

/* fix the sizes of boxes and stages */
enum {
    BOX = SWIZZLE_COLS,         /* a box is bf16 [64][64]              */
    DEEP = BOX,                 /* of k, for a stage                   */
    BOX_NUMBERS = BOX * BOX,
    BOX_BYTES = 2 * BOX_NUMBERS,
    PRODUCERS = 24, CONSUMERS = 240,    /* registers of a thread       */
};

/* name the epilogues */
enum Output { OUT_DIRECT, OUT_PLAIN, OUT_GELU, OUT_DGELU, OUT_ADD,
              OUT_FLOAT };

/* define a kind of tile */
/* TA, TB: neighbours of the operand touch along m or n, not along k.
 * A warpgroup sums up BLOCKS x 64 rows and BN columns.  Both consumers of
 * a block work on one tile or, TURNS, on tiles of their own by turns. */
template <int ta, int tb, int blocks, int bn, int turns, int cluster,
          int stages, int buffers, int output>
struct Tiles {
    static constexpr int OUTPUT = output;
    enum {
        TA = ta, TB = tb, BLOCKS = blocks, BN = bn, TURNS = turns,
        CLUSTER = cluster, STAGES = stages,
        ROWS = 64 * BLOCKS, BM = TURNS ? ROWS : 2 * ROWS,
        TEAMS = TURNS ? 1 : 2,          /* warpgroups on a tile        */
        STAGED = OUTPUT != OUT_DIRECT && OUTPUT != OUT_FLOAT,
        BUFFERS = buffers,              /* boxes of out, of each team  */
        LOADS = OUTPUT == OUT_DGELU || OUTPUT == OUT_ADD,
        BIASED = OUTPUT != OUT_DGELU && OUTPUT != OUT_FLOAT,
        A_BYTES = BM * DEEP * 2, B_BYTES = BN * DEEP * 2,
        SHARE = BM / BOX / CLUSTER,     /* boxes of a for a block      */
        EIGHT = 0, APART = 0,           /* operands of 8 bits          */
    };
};

/* define a tile with operands of 8 bits */
/* The same tile, two e4m3 numbers in the place of each bf16 of a and b.
 * APART: the tensor cores add up a stage, the CUDA cores all stages. */
template <class T, bool apart> struct Eight : T {
    static_assert(!T::TA && !T::TB, "wgmma has no transposed e4m3");
    enum { EIGHT = 1, APART = apart };
};

/* lay out the shared memory of a block */
template <class T> struct TileMemory {
    bf16 a[T::STAGES][T::BM * DEEP];
    bf16 b[T::STAGES][T::BN * DEEP];
    bf16 y[2][T::BUFFERS][T::STAGED ? BOX_NUMBERS : 8];
    float bias[2][T::BIASED ? T::BN : 1];
    float sums[2][4][T::OUTPUT == OUT_DGELU ? BOX : 1]; /* of columns */
    uint64_t full[T::STAGES], empty[T::STAGES], loaded[2][T::BUFFERS];
};

/* list the parameters of the kernel */
struct TileJob {
    CUtensorMap a, b, out, second;      /* second: pre or add          */
    int M, N, steps;                    /* steps: stages of k          */
    int rows, pairs, tiles;             /* of tiles; pairs: clusters   */
    int band, deep, group;              /* the order of tiles          */
    bool keep, add;                     /* pre kept; out added to      */
    const bf16 *bias;
    void *to;                           /* out, for direct writes      */
    size_t ldo;
    float *sums;                        /* [row blocks][N] or NULL     */
    float *part;                        /* parts of sums of tiles      */
    unsigned *arrived;                  /* a counter for each tile     */
    const float *scale_a, *scale_b;     /* of 8-bit operands, or NULL  */
};

/* describe a work tile */
/* A tile, or a segment of its k. */
struct TileWork {
    int m, n, first, steps, segment, segments, lead, tile;
};

/* find the place of a tile */
template <class T>
DEVICE_INLINE void place_tile(const TileJob &j, int t, TileWork *w)
{
    const int rank = T::CLUSTER > 1 ? cluster_rank() : 0;
    int m, pair;
    if (j.deep) {
        /* take bands of rows, column after column */
        t = t % (j.tiles / j.group) * j.group + t / (j.tiles / j.group);
        const int first = t / (j.band * j.pairs) * j.band;
        const int high = min(j.band, j.rows - first);
        const int rest = t - first * j.pairs;
        m = first + rest % high, pair = rest / high;
    } else {
        /* bands of columns, and in them row after row */
        const int first = t / (j.band * j.rows) * j.band;
        const int wide = min(j.band, j.pairs - first);
        const int rest = t - first * j.rows;
        m = rest / wide, pair = first + rest % wide;
    }
    w->m = m * T::BM;
    w->n = (pair * T::CLUSTER + rank) * T::BN;
    w->tile = (m * j.pairs + pair) * T::CLUSTER + rank;
}

/* find the owner of a step */
/* The cluster that has step u of all. */
DEVICE_INLINE unsigned tile_owner(unsigned u, unsigned all,
                                  unsigned clusters)
{
    return ((u + 1) * clusters - 1) / all;
}

/* find the i-th work tile of this cluster */
template <class T>
DEVICE_INLINE bool work_at(const TileJob &j, int i, TileWork *w)
{
    const unsigned c = blockIdx.x / T::CLUSTER;
    const unsigned clusters = gridDim.x / T::CLUSTER;
    if (!j.part) {
        const int t = c + i * clusters;
        if (t >= j.tiles)
            return false;
        place_tile<T>(j, t, w);
        w->first = 0, w->steps = j.steps;
        w->lead = w->segment = 0, w->segments = 1;
        return true;
    }
    /* cut all steps of all tiles into equal parts */
    const unsigned steps = j.steps, all = j.tiles * steps;
    const unsigned begin = c * all / clusters;
    const unsigned end = (c + 1) * all / clusters;
    const unsigned t = begin / steps + i;
    const unsigned from = max(begin, t * steps);
    const unsigned to = min(end, (t + 1) * steps);
    if (from >= to)
        return false;
    place_tile<T>(j, t, w);
    w->first = from - t * steps, w->steps = to - from;
    w->lead = tile_owner(t * steps, all, clusters);
    w->segment = c - w->lead;
    w->segments = tile_owner((t + 1) * steps - 1, all, clusters)
                - w->lead + 1;
    return true;
}

/* load a box of an operand */
DEVICE_INLINE void load_box(bf16 *to, const CUtensorMap *map, int mn, int k,
                            int transposed, uint64_t *full, int blocks)
{
    const int x = transposed ? mn : k, y = transposed ? k : mn;
    if (blocks > 1)
        tma_load_multicast(to, map, full, x, y, 0, (1 << blocks) - 1);
    else
        tma_load(to, map, full, x, y, 0);
}

/* load a stage */
template <class T>
DEVICE_INLINE void load_stage(TileMemory<T> &s, const TileJob &j,
                              const TileWork &w, int stage, int k, int rank)
{
    uint64_t *full = &s.full[stage];
    mbarrier_expect(full, T::A_BYTES + T::B_BYTES);
    #pragma unroll
    for (int i = 0; i < T::SHARE; i++) {
        const int box = rank * T::SHARE + i;
        load_box(s.a[stage] + box * BOX_NUMBERS, &j.a, w.m + box * BOX, k,
                 T::TA, full, T::CLUSTER);
    }
    #pragma unroll
    for (int i = 0; i < T::BN / BOX; i++)
        load_box(s.b[stage] + i * BOX_NUMBERS, &j.b, w.n + i * BOX, k,
                 T::TB, full, 1);
}

/* load stages, tile after tile */
template <class T>
DEVICE_INLINE void produce(TileMemory<T> &s, const TileJob &j)
{
    const int rank = T::CLUSTER > 1 ? cluster_rank() : 0;
    Ring r = { 0, 0 };
    TileWork w, next = {};
    bool more = work_at<T>(j, 0, &w);
    for (int i = 1; more; i++, w = next) {
        for (int k = 0; k < w.steps; k++, advance<T::STAGES>(r)) {
            mbarrier_wait(&s.empty[r.stage], r.parity ^ 1);
            load_stage(s, j, w, r.stage, (w.first + k) * DEEP, rank);
            if (k == 0)
                more = work_at<T>(j, i, &next);
        }
    }
}

/* choose the instruction for a width */
template <class T> DEVICE_INLINE void
wgmma(float (&d)[T::BN / 2], uint64_t a, uint64_t b, int add)
{
    static_assert(T::BN == 192 || (!T::EIGHT && T::BN % 64 == 0
                                   && T::BN <= 128), "columns of wgmma");
    if constexpr (T::EIGHT)
        wgmma_e4m3_n192(d, a, b, add);
    else if constexpr (T::BN == 64)
        wgmma_m64n64<T::TA, T::TB>(d, a, b, add);
    else if constexpr (T::BN == 128)
        wgmma_m64n128<T::TA, T::TB>(d, a, b, add);
    else
        wgmma_m64n192<T::TA, T::TB>(d, a, b, add);
}

template <class T>
DEVICE_INLINE void hold_sums(float (&sum)[T::BLOCKS][T::BN / 2])
{
    #pragma unroll
    for (int i = 0; i < T::BLOCKS; i++)
        wgmma_hold(sum[i]);
}

/* multiply a stage */
/* Steps `first` to `end` of a stage; a, b: lower halves of descriptors. */
template <class T, int first, int end> DEVICE_INLINE void
start_steps(float (&sum)[T::BLOCKS][T::BN / 2], uint32_t a, uint32_t b,
            bool fresh)
{
    enum { A_STEP = T::TA ? SWIZZLE_ROW : 2,
           B_STEP = T::TB ? SWIZZLE_ROW : 2 };
    wgmma_fence();
    #pragma unroll
    for (int k = first; k < end; k++)
        #pragma unroll
        for (int i = 0; i < T::BLOCKS; i++)
            wgmma<T>(sum[i],
                wgmma_matrix_at(a + i * BOX_BYTES / 16 + k * A_STEP),
                wgmma_matrix_at(b + k * B_STEP), !fresh || k > 0);
    wgmma_commit();
}

/* give a stage back */
template <class T>
DEVICE_INLINE void give_back(TileMemory<T> &s, int stage, int thread)
{
    if (T::CLUSTER == 1 && thread == 0)
        mbarrier_arrive(&s.empty[stage]);
    if (T::CLUSTER > 1 && thread % 32 == 0 && thread / 32 < T::CLUSTER)
        mbarrier_arrive_at(&s.empty[stage], thread / 32);
}

/* locate a consumer thread in its tile */
struct TilePlace {
    int team, thread, lane, row;        /* row: its first of 64        */
    uint32_t a, b;                      /* descriptors of stage 0      */
};

template <class T> DEVICE_INLINE TilePlace
place_in_team(TileMemory<T> &s, int team)
{
    const int thread = threadIdx.x % GROUP, lane = thread % 32;
    const int first = T::TURNS ? 0 : team * T::ROWS * DEEP;
    return TilePlace{ team, thread, lane, thread / 32 * 16 + lane / 4,
        (uint32_t)wgmma_matrix(s.a[0] + first),
        (uint32_t)wgmma_matrix(s.b[0], T::TB ? BOX_BYTES : 16) };
}

/* multiply a work tile */
template <class T> DEVICE_INLINE void
multiply(TileMemory<T> &s, float (&sum)[T::BLOCKS][T::BN / 2],
         const TilePlace &at, const TileWork &w, Ring &r)
{
    int old = 0;
    for (int k = 0; k < w.steps; k++, advance<T::STAGES>(r)) {
        const uint32_t a = at.a + r.stage * (T::A_BYTES / 16);
        const uint32_t b = at.b + r.stage * (T::B_BYTES / 16);
        mbarrier_wait(&s.full[r.stage], r.parity);
        start_steps<T, 0, 1>(sum, a, b, k == 0);
        if (k > 0) {
            wgmma_wait<1>();            /* the stage before is done */
            give_back(s, old, at.thread);
        }
        start_steps<T, 1, DEEP / 16>(sum, a, b, false);
        old = r.stage;
    }
    /* let the other warpgroup begin */
    if (T::TURNS)
        named_barrier_arrive(4 + (at.team ^ 1), 2 * GROUP);
    wgmma_wait<0>();
    hold_sums<T>(sum);
    give_back(s, old, at.thread);
}

/* add stages apart */
template <class T>
DEVICE_INLINE void clear_sums(float (&sum)[T::BLOCKS][T::BN / 2])
{
    #pragma unroll
    for (int i = 0; i < T::BLOCKS * T::BN / 2; i++)
        sum[i / (T::BN / 2)][i % (T::BN / 2)] = 0;
}

template <class T> DEVICE_INLINE void
add_sums(float (&sum)[T::BLOCKS][T::BN / 2],
         const float (&part)[T::BLOCKS][T::BN / 2])
{
    #pragma unroll
    for (int i = 0; i < T::BLOCKS * T::BN / 2; i++)
        sum[i / (T::BN / 2)][i % (T::BN / 2)]
            += part[i / (T::BN / 2)][i % (T::BN / 2)];
}

/* multiply stages apart */
template <class T> DEVICE_INLINE void
multiply_apart(TileMemory<T> &s, float (&sum)[T::BLOCKS][T::BN / 2],
               const TilePlace &at, const TileWork &w, Ring &r)
{
    float part[T::BLOCKS][T::BN / 2];
    clear_sums<T>(sum);
    for (int k = 0; k < w.steps; k++, advance<T::STAGES>(r)) {
        mbarrier_wait(&s.full[r.stage], r.parity);
        start_steps<T, 0, DEEP / 16>(part,
            at.a + r.stage * (T::A_BYTES / 16),
            at.b + r.stage * (T::B_BYTES / 16), true);
        wgmma_wait<0>();
        hold_sums<T>(part);
        give_back(s, r.stage, at.thread);
        add_sums<T>(sum, part);
    }
}

/* scale the sums */
template <class T> DEVICE_INLINE void
scale_sums(float (&sum)[T::BLOCKS][T::BN / 2], const TileJob &j)
{
    const float scale = (j.scale_a ? *j.scale_a : 1)
                      * (j.scale_b ? *j.scale_b : 1);
    #pragma unroll
    for (int i = 0; i < T::BLOCKS * T::BN / 2; i++)
        sum[i / (T::BN / 2)][i % (T::BN / 2)] *= scale;
}

/* compute gelu and its derivative */
/* 1 / (1 + 2^p), p = -2u / ln 2 */
DEVICE_INLINE float tile_gelu_gate(float x)
{
    const float p = fmaf(-0.0713548163f * LOG2E, x * x,
                         -1.5957691216f * LOG2E);
    return fast_inverse(1 + fast_exp2(x * p));
}

DEVICE_INLINE float tile_gelu(float x)
{
    return x * tile_gelu_gate(x);
}

DEVICE_INLINE float tile_dgelu(float x)
{
    const float s = tile_gelu_gate(x);
    const float slope = fmaf(0.2140644488f, x * x, 1.5957691216f);
    return fmaf(x * slope, fmaf(-s, s, s), s);
}

/* keep the bias of a tile */
/* Visible to the team after its next barrier. */
template <class T> DEVICE_INLINE void
keep_bias(TileMemory<T> &s, const TileJob &j, const TilePlace &at, int n)
{
    #pragma unroll
    for (int i = at.thread; i < T::BN; i += GROUP)
        s.bias[at.team][i] = j.bias && n + i < j.N
                           ? bf16_to_float(j.bias[n + i]) : 0;
}

/* add up the columns of a box */
/* The upper n of 2 n sums are those of the lanes with bit 2 n. */
template <int n> DEVICE_INLINE void halve_columns(float (&v)[16], int lane)
{
    const bool upper = lane & 2 * n;
    #pragma unroll
    for (int q = 0; q < n; q++) {
        const float send = upper ? v[q] : v[q + n];
        const float keep = upper ? v[q + n] : v[q];
        v[q] = keep + __shfl_xor_sync(0xffffffffu, send, 2 * n);
    }
}

/* v[2 i + e]: this thread's sum of column 8 i + 2 (lane % 4) + e.  After
 * it, v[e]: the warp's sum of column 2 lane + e. */
DEVICE_INLINE void sum_columns(float (&v)[16], int lane)
{
    halve_columns<8>(v, lane);
    halve_columns<4>(v, lane);
    halve_columns<2>(v, lane);
}

/* store the column sums of 64 columns */
template <class T>
DEVICE_INLINE void leave_column_sums(TileMemory<T> &s, const TileJob &j,
    const TilePlace &at, int block, int n)
{
    const auto &sums = s.sums[at.team];
    if (at.thread < BOX && n + at.thread < j.N)
        j.sums[(size_t)block * j.N + n + at.thread]
            = sums[0][at.thread] + sums[1][at.thread]
            + sums[2][at.thread] + sums[3][at.thread];
}

/* load a box of the second matrix */
/* How many boxes this team has written, over all its tiles. */
struct TileBoxes { uint32_t done; };

/* Box q of a tile: its columns and its rows. */
template <class T> DEVICE_INLINE int box_n(const TileWork &w, int q)
{
    return w.n + q / T::BLOCKS * BOX;
}

template <class T>
DEVICE_INLINE int box_m(const TileWork &w, int team, int q)
{
    return w.m + (T::TURNS ? 0 : team * T::ROWS) + q % T::BLOCKS * BOX;
}

template <class T> DEVICE_INLINE void
load_second(TileMemory<T> &s, const TileJob &j, const TilePlace &at,
            const TileWork &w, int buffer, int q)
{
    mbarrier_expect(&s.loaded[at.team][buffer], BOX_BYTES);
    tma_load(s.y[at.team][buffer], &j.second, &s.loaded[at.team][buffer],
             box_n<T>(w, q), box_m<T>(w, at.team, q), 0);
}

/* The first boxes of a tile: a warp for each buffer. */
template <class T> DEVICE_INLINE void
load_first(TileMemory<T> &s, const TileJob &j, const TilePlace &at,
           const TileWork &w, const TileBoxes &go)
{
    const int warp = at.thread / 32;
    if (at.lane == 0 && warp < T::BUFFERS) {
        tma_wait_read<0>();
        load_second(s, j, at, w, warp, (warp - go.done) % T::BUFFERS);
    }
}

/* apply the epilogue */
/* Two neighbours: z, and those of the second matrix. */
template <class T>
DEVICE_INLINE float2 finish_two(float2 z, uint32_t second)
{
    const float2 w = make_float2(__uint_as_float(second << 16),
                                 __uint_as_float(second & 0xffff0000u));
    switch (T::OUTPUT) {
    case OUT_GELU:
        return make_float2(tile_gelu(z.x), tile_gelu(z.y));
    case OUT_DGELU:
        return make_float2(z.x * tile_dgelu(w.x), z.y * tile_dgelu(w.y));
    case OUT_ADD:
        return make_float2(z.x + w.x, z.y + w.y);
    default:
        return z;
    }
}

/* finish a box */
/* Sums x of a box become bf16 in `y`, and before GELU in `pre`.  v: sums
 * of columns */
template <class T> DEVICE_INLINE void
finish_box(const float *x, const float *bias, uint32_t y, uint32_t pre,
           const TilePlace &at, bool keep, float (&v)[16])
{
    const int row = at.thread / 32 * 16 + at.lane % 16;
    #pragma unroll
    for (int i = 0; i < 8; i += 2) {
        const uint32_t to = swizzled(row, i + at.lane / 16);
        uint32_t old[4] = {}, second[4] = {}, out[4];
        if (T::LOADS)
            ldmatrix(second, y + to);
        #pragma unroll
        for (int q = 0; q < 4; q++) {
            /* finish two neighbours */
            const int col = (i + q / 2) * 8 + at.lane % 4 * 2;
            const float *from = x + 4 * i + 2 * q;
            float2 z = { from[0], from[1] };
            if (T::BIASED) {
                const float2 b = *(const float2 *)(bias + col);
                z.x += b.x, z.y += b.y;
            }
            if (T::OUTPUT == OUT_GELU)
                old[q] = pack_two(z.x, z.y);
            z = finish_two<T>(z, second[q]);
            v[2 * i + q / 2 * 2] += z.x, v[2 * i + q / 2 * 2 + 1] += z.y;
            out[q] = pack_two(z.x, z.y);
        }
        stmatrix(y + to, out);
        if (T::OUTPUT == OUT_GELU && keep)
            stmatrix(pre + to, old);
    }
}

/* move the next box to the front */
template <class T>
DEVICE_INLINE void next_box(float (&sum)[T::BLOCKS][T::BN / 2])
{
    #pragma unroll
    for (int q = 1; q < T::BLOCKS * T::BN / BOX; q++)
        #pragma unroll
        for (int k = 0; k < 32; k++)
            sum[(q - 1) % T::BLOCKS][(q - 1) / T::BLOCKS * 32 + k]
                = sum[q % T::BLOCKS][q / T::BLOCKS * 32 + k];
}

/* write a tile as bf16 */
template <class T> DEVICE_INLINE void
write_tile(TileMemory<T> &s, float (&sum)[T::BLOCKS][T::BN / 2],
           const TileJob &j, const TilePlace &at, const TileWork &w,
           TileBoxes &go)
{
    enum { BOXES = T::BLOCKS * T::BN / BOX,
           PER = T::OUTPUT == OUT_GELU ? 2 : 1,
           RING = T::BUFFERS / PER };
    static_assert(RING > 1 && (!T::LOADS || BOXES >= RING), "buffers");
    const int warp = at.lane == 0 ? at.thread / 32 : -1;
    float v[16];
    if (T::BIASED)
        named_barrier_sync(1 + at.team, GROUP);
    #pragma unroll 1
    for (int q = 0; q < BOXES; q++, go.done++) {
        const int i = q % T::BLOCKS, c = q / T::BLOCKS;
        const int ring = go.done % RING, next = (go.done + 1) % RING;
        bf16 *const y = s.y[at.team][ring * PER];
        /* wait until the buffer is free, or filled */
        if (T::LOADS)
            mbarrier_wait(&s.loaded[at.team][ring], go.done / RING & 1);
        #pragma unroll
        for (int k = 0; k < 16; k++)
            v[k] = i == 0 ? 0 : v[k];
        finish_box<T>(sum[0], s.bias[at.team] + c * BOX,
                      shared_address(y),
                      shared_address(y + (PER - 1) * BOX_NUMBERS), at,
                      j.keep, v);
        /* store the warp's sums of columns */
        if constexpr (T::OUTPUT == OUT_DGELU)
            if (j.sums && i == T::BLOCKS - 1) {
                static_assert(T::BLOCKS > 1, "a barrier between two of these");
                sum_columns(v, at.lane);
                *(float2 *)&s.sums[at.team][at.thread / 32][2 * at.lane]
                    = make_float2(v[0], v[1]);
            }
        /* free the next buffer, and let all warps finish the box */
        if (warp == next)
            tma_wait_read<0>();
        fence_proxy_async();
        named_barrier_sync(1 + at.team, GROUP);
        /* store the box, and load what comes later */
        if (warp == ring) {
            const int n = box_n<T>(w, q), m = box_m<T>(w, at.team, q);
            tma_store(&j.out, y, n, m, 0);
            if (T::OUTPUT == OUT_GELU && j.keep)
                tma_store(&j.second, s.y[at.team][ring * PER + PER - 1], n, m, 0);
            tma_commit();
        }
        if (T::LOADS && q > 0 && q - 1 + T::BUFFERS < BOXES) {
            const int before = (go.done - 1) % RING;    /* its box is stored */
            if (warp == before) {
                tma_wait_read<0>();
                load_second(s, j, at, w, before, q - 1 + T::BUFFERS);
            }
        }
        if constexpr (T::OUTPUT == OUT_DGELU)
            if (j.sums && i == T::BLOCKS - 1)
                leave_column_sums(s, j, at, box_m<T>(w, at.team, 0) / T::ROWS,
                                  box_n<T>(w, q));
        next_box<T>(sum);
    }
}

/* write a tile without shared memory */
/* x: two columns of row m */
DEVICE_INLINE void
write_two(const TileJob &j, float2 x, int m, int n)
{
    bf16 *to = (bf16 *)j.to + m * j.ldo + n;
    if (m >= j.M || n >= j.N)
        return;
    if (n + 1 < j.N)
        *(uint32_t *)to = pack_two(x.x, x.y);
    else
        *to = float_to_bf16(x.x);
}

template <class T> DEVICE_INLINE void
write_direct(TileMemory<T> &s,
             const float (&sum)[T::BLOCKS][T::BN / 2], const TileJob &j,
             const TilePlace &at, const TileWork &w)
{
    const int m = w.m + (T::TURNS ? 0 : at.team * T::ROWS) + at.row;
    named_barrier_sync(1 + at.team, GROUP);     /* the bias is there */
    #pragma unroll
    for (int i = 0; i < T::BLOCKS * T::BN / 2; i += 2) {
        const int in = i % (T::BN / 2);
        const int col = in / 4 * 8 + at.lane % 4 * 2;
        const float *x = &sum[i / (T::BN / 2)][in];
        const float *b = &s.bias[at.team][col];
        write_two(j, make_float2(x[0] + b[0], x[1] + b[1]),
                  m + i / (T::BN / 2) * 64 + in / 2 % 2 * 8, w.n + col);
    }
    named_barrier_sync(1 + at.team, GROUP);     /* the bias was read */
}

/* write sums as fp32 */
/* x: two columns of row m, two of row m + 8 */
DEVICE_INLINE void write_floats(const TileJob &j, float4 x, int m, int n)
{
    #pragma unroll
    for (int h = 0; h < 2; h++) {
        float *to = (float *)j.to + (m + 8 * h) * j.ldo + n;
        const float2 z = h ? make_float2(x.z, x.w) : make_float2(x.x, x.y);
        if (m + 8 * h >= j.M || n >= j.N)
            continue;
        if (n + 1 < j.N) {
            const float2 old = j.add ? *(float2 *)to : make_float2(0, 0);
            *(float2 *)to = make_float2(old.x + z.x, old.y + z.y);
        } else
            *to = z.x + (j.add ? *to : 0);
    }
}

DEVICE_INLINE float4 four_of(const float *x)
{
    return make_float4(x[0], x[1], x[2], x[3]);
}

/* four i of this thread's sums */
template <class T> DEVICE_INLINE void
write_four(const TileJob &j, const TilePlace &at, const TileWork &w, int i,
           float4 x)
{
    const int m = w.m + at.team * T::ROWS + i / (T::BN / 8) * 64 + at.row;
    write_floats(j, x, m, w.n + i % (T::BN / 8) * 8 + at.lane % 4 * 2);
}

/* store a part of a tile's sums */
/* Where the sums of a segment are: a float4 for each thread, four after
 * four.  A block has two of these places at most: for a segment in which
 * a tile ends, and for one in which a tile begins. */
template <class T> DEVICE_INLINE float4 *
part_of(const TileJob &j, const TileWork &w, int segment,
        const TilePlace &at)
{
    const size_t block = (w.lead + segment) * T::CLUSTER
                       + blockIdx.x % T::CLUSTER;
    const size_t place = 2 * block + (segment == 0);
    return (float4 *)j.part + place * (T::BM * T::BN / 4)
         + at.team * GROUP + at.thread;
}

/* The first of the eight fours of box q. */
template <class T> DEVICE_INLINE int first_four(int q)
{
    return q % T::BLOCKS * (T::BN / 8) + q / T::BLOCKS * 8;
}

template <class T> DEVICE_INLINE void
leave_part(float (&sum)[T::BLOCKS][T::BN / 2], const TileJob &j,
           const TilePlace &at, const TileWork &w)
{
    float4 *to = part_of<T>(j, w, w.segment, at);
    #pragma unroll 1
    for (int q = 0; q < T::BLOCKS * T::BN / BOX; q++) {
        float4 *box = to + first_four<T>(q) * 2 * GROUP;
        #pragma unroll
        for (int i = 0; i < 8; i++)
            box[i * 2 * GROUP] = four_of(sum[0] + 4 * i);
        next_box<T>(sum);
    }
    __threadfence();
    named_barrier_sync(3, 2 * GROUP);
    if (at.team == 0 && at.thread == 0)
        add_release(&j.arrived[w.tile], 1);
}

/* add up the parts of a tile */
template <class T> DEVICE_INLINE void
add_parts(const TileJob &j, const TilePlace &at, const TileWork &w)
{
    enum { FOURS = T::BLOCKS * T::BN / 8 };
    const int end = (w.segment + 1) * FOURS / w.segments;
    for (int i = w.segment * FOURS / w.segments; i < end; i++) {
        float4 x = { 0, 0, 0, 0 };
        #pragma unroll 4
        for (int s = 0; s < w.segments; s++) {
            const float4 y = __ldcg(part_of<T>(j, w, s, at)
                                    + i * 2 * GROUP);
            x.x += y.x, x.y += y.y, x.z += y.z, x.w += y.w;
        }
        write_four<T>(j, at, w, i, x);
    }
}

template <class T> DEVICE_INLINE void
finish_segments(const TileJob &j, const TilePlace &at)
{
    TileWork w;
    const bool first = at.team == 0 && at.thread == 0;
    for (int i = 0; work_at<T>(j, i, &w); i++) {
        if (w.segments == 1)
            continue;
        while (first && load_acquire(&j.arrived[w.tile])
                        < (unsigned)w.segments)
            __nanosleep(100);
        named_barrier_sync(3, 2 * GROUP);
        add_parts<T>(j, at, w);
        /* the last to leave sets the counter back */
        if (first && add_release(&j.arrived[w.tile], 1)
                     == 2u * w.segments - 1)
            j.arrived[w.tile] = 0;
    }
}

/* write the sums of a work tile */
template <class T> DEVICE_INLINE void
write_whole(float (&sum)[T::BLOCKS][T::BN / 2], const TileJob &j,
            const TilePlace &at, const TileWork &w)
{
    #pragma unroll 1
    for (int q = 0; q < T::BLOCKS * T::BN / BOX; q++) {
        const int first = first_four<T>(q);
        #pragma unroll
        for (int i = 0; i < 8; i++)
            write_four<T>(j, at, w, first + i, four_of(sum[0] + 4 * i));
        next_box<T>(sum);
    }
}

template <class T> DEVICE_INLINE void
write_work(TileMemory<T> &s, float (&sum)[T::BLOCKS][T::BN / 2],
           const TileJob &j, const TilePlace &at, const TileWork &w,
           TileBoxes &go)
{
    if constexpr (T::OUTPUT == OUT_DIRECT)
        write_direct(s, sum, j, at, w);
    else if constexpr (T::STAGED)
        write_tile(s, sum, j, at, w, go);
    else if (w.segments > 1)
        leave_part<T>(sum, j, at, w);
    else
        write_whole<T>(sum, j, at, w);
}

/* set up the barriers of a block of tiles */
template <class T> DEVICE_INLINE void set_up(TileMemory<T> &s)
{
    if (threadIdx.x == 0) {
        for (int i = 0; i < T::STAGES; i++) {
            mbarrier_init(&s.full[i], 1);
            mbarrier_init(&s.empty[i], T::TEAMS * T::CLUSTER);
        }
        for (int i = 0; i < 2 * T::BUFFERS; i++)
            mbarrier_init(&s.loaded[i / T::BUFFERS][i % T::BUFFERS], 1);
        mbarrier_init_done();
    }
    __syncthreads();
    if (T::CLUSTER > 1)
        cluster_sync();
    __syncwarp();
}

/* skip the stages of the other warpgroup */
template <class T> DEVICE_INLINE void pass_over(Ring &r, int steps)
{
    static_assert(!T::TURNS || T::OUTPUT != OUT_FLOAT, "parts by turns");
    r.stage += steps;
    r.parity ^= r.stage / T::STAGES & 1;
    r.stage %= T::STAGES;
}

/* multiply and write, tile after tile */
template <class T>
DEVICE_INLINE void consume(TileMemory<T> &s, const TileJob &j, int team)
{
    const TilePlace at = place_in_team(s, team);
    TileBoxes go = { 0 };
    Ring r = { 0, 0 };
    TileWork w;
    if (T::TURNS && team == 1)
        pass_over<T>(r, j.steps);
    for (int i = T::TURNS ? team : 0; work_at<T>(j, i, &w);
         i += T::TURNS ? 2 : 1) {
        if (T::LOADS)
            load_first(s, j, at, w, go);
        if (T::BIASED)
            keep_bias(s, j, at, w.n);
        if (T::TURNS && i > 0)
            named_barrier_sync(4 + team, 2 * GROUP);
        float sum[T::BLOCKS][T::BN / 2];
        if constexpr (T::APART)
            multiply_apart(s, sum, at, w, r);
        else
            multiply(s, sum, at, w, r);
        if (T::EIGHT)
            scale_sums<T>(sum, j);
        if (T::TURNS)
            pass_over<T>(r, j.steps);
        write_work(s, sum, j, at, w, go);
    }
    /* finish tiles shared with other clusters */
    if constexpr (T::OUTPUT == OUT_FLOAT)
        if (j.part)
            finish_segments<T>(j, at);
    if (T::STAGED)
        tma_wait_read<0>();
}

/* start the producer and the consumers */
/* out = epilogue(op(a) op(b) ...)
 *   launch    as many clusters as fit, of blocks of 3 x 128
 *   moves     from L2 2 M N K (1/BM + 1/BN) bytes, those of a once for a
 *             cluster, plus out
 *   ceiling   the tensor cores, and the power that they may take */
template <class T>
__global__ void __launch_bounds__(3 * GROUP, 1)
matmul_hopper_kernel(const __grid_constant__ TileJob j)
{
#if __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(1024) unsigned char tile_memory[];
    TileMemory<T> &s = *(TileMemory<T> *)tile_memory;
    set_up(s);
    const int group = threadIdx.x / GROUP;
    if (group == 0) {
        registers_give_up<PRODUCERS>();
        if (threadIdx.x == 0)
            produce(s, j);
    } else {
        registers_take<CONSUMERS>();
        consume(s, j, group - 1);
    }
    if (T::CLUSTER > 1)
        cluster_sync();         /* none leaves while others arrive */
#endif
}

/* set the parameters of the kernel */
static inline bool tiles_aligned(const struct MatmulBf16 *p)
{
    const uintptr_t all = (uintptr_t)p->a | (uintptr_t)p->b
        | (uintptr_t)p->out | (uintptr_t)p->pre | (uintptr_t)p->add;
    return all % 16 == 0 && (p->lda | p->ldb | p->ldo) % 8 == 0
        && (p->out_float || p->N % 8 == 0);
}

/* op(m) as [X][K]: a box is 64 of X by 64 of K in either layout. */
static inline CUtensorMap
operand_map(const bf16 *m, int X, int K, size_t ld, bool transposed)
{
    return transposed ? tensor_map(m, X, K, 1, ld, BOX)
                      : tensor_map(m, K, X, 1, ld, BOX);
}

static inline int tiles_for(int n, int each)
{
    return n / each + (n % each != 0);
}

template <class T> static TileJob tile_job(const struct MatmulBf16 *p)
{
    TileJob j = {};
    const bf16 *second = p->add ? p->add : p->pre;
    j.a = operand_map(p->a, p->M, p->K, p->lda, T::TA);
    j.b = operand_map(p->b, p->N, p->K, p->ldb, T::TB);
    if (!p->out_float)
        j.out = tensor_map(p->out, p->N, p->M, 1, p->ldo, BOX);
    if (second)
        j.second = tensor_map(second, p->N, p->M, 1, p->ldo, BOX);
    j.M = p->M, j.N = p->N, j.steps = tiles_for(p->K, DEEP);
    j.rows = tiles_for(p->M, T::BM);
    j.pairs = tiles_for(p->N, T::BN * T::CLUSTER);
    j.tiles = j.rows * j.pairs;
    j.band = 16 / T::CLUSTER, j.group = 1;
    j.keep = p->epilogue == EPI_GELU && p->pre;
    j.add = p->out_float && p->flags & GEMM_ADD;
    j.bias = p->bias;
    j.to = p->out, j.ldo = p->ldo;
    return j;
}

/* cut a deep matmul into parts */
enum { TILE_BLOCKS = 132, TILE_COUNTERS = 4096,
       TILE_PARTS = TILE_COUNTERS + 2 * TILE_BLOCKS * 256 * 192 * 4 };

/* Is there a step for every cluster, and a counter for every tile? */
template <class T> static bool tiles_divide(const TileJob &j)
{
    const double steps = (double)j.tiles * j.steps;
    return j.tiles * T::CLUSTER <= (int)(TILE_COUNTERS / sizeof(unsigned))
        && steps >= TILE_BLOCKS / T::CLUSTER && steps * TILE_BLOCKS < 4e9;
}

/* And would the last wave of tiles be less than nine tenths full? */
template <class T> static bool tiles_uneven(const TileJob &j)
{
    const int clusters = TILE_BLOCKS / T::CLUSTER;
    return tiles_divide<T>(j)
        && 10 * j.tiles < 9 * clusters * tiles_for(j.tiles, clusters);
}

/* room: TILE_PARTS bytes, the first TILE_COUNTERS of them zero */
template <class T> static void tiles_in_parts(TileJob *j, void *room)
{
    int a = j->tiles, b = TILE_BLOCKS / T::CLUSTER;
    static_assert(T::BM * T::BN <= 256 * 192, "room for parts");
    while (b) {
        const int rest = a % b;
        a = b, b = rest;
    }
    j->deep = 1, j->group = a, j->band = 3;
    j->arrived = (unsigned *)room;
    j->part = (float *)((char *)room + TILE_COUNTERS);
}

/* launch a kernel of tiles */
/* As many clusters of it as run at a time; 0 after a failure. */
template <class T> static int
clusters_that_fit(const void *kernel, cudaLaunchConfig_t *c)
{
    static int known[MOST_DEVICES];
    int device = 0, n = 0;
    if (!CUDA_TRY(cudaGetDevice(&device)))
        return 0;
    int *fit = &known[device % MOST_DEVICES];
    if (!*fit
        && CUDA_TRY(cudaFuncSetAttribute(kernel,
            cudaFuncAttributeMaxDynamicSharedMemorySize,
            (int)sizeof(TileMemory<T>)))
        && CUDA_TRY(cudaOccupancyMaxActiveClusters(&n, kernel, c))) {
        *fit = n < TILE_BLOCKS / T::CLUSTER ? n : TILE_BLOCKS / T::CLUSTER;
        if (n == 0)
            backend_failed("no cluster of %d blocks fits on this GPU",
                           (int)T::CLUSTER);
    }
    return *fit;
}

typedef void TileKernel(TileJob);

/* clusters: how many, 0 for as many as fit and have work */
template <class T> static void
launch_tiles(TileKernel *kernel, int threads, const TileJob &j,
             int clusters, cudaStream_t stream)
{
    static_assert(sizeof(TileMemory<T>) <= 227 * 1024, "shared memory");
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t c = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = T::CLUSTER;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    c.blockDim = dim3(threads);
    c.gridDim = dim3(TILE_BLOCKS);
    c.dynamicSmemBytes = sizeof(TileMemory<T>);
    c.stream = stream;
    c.attrs = &cluster, c.numAttrs = 1;
    const int fit = clusters_that_fit<T>((const void *)kernel, &c);
    const int n = clusters ? clusters : j.part || j.tiles > fit ? fit
                : j.tiles;
    c.gridDim = dim3(n * T::CLUSTER);
    if (fit)
        CUDA_TRY(cudaLaunchKernelEx(&c, kernel, j));
}

}
#endif
