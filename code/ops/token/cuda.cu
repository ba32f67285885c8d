/* Tangled from chapters/workshop/inference-plumbing.nw, "The kernel of a token".  Edit it there. */

#include "ops/token/sizes.h"
#include "ops/gelu/gelu_math.h"
#include "ops/kernels/common.cuh"
#include "ops/operators.h"

/* All is one kernel: whatever it calls becomes a part of it. */
#define INLINED __device__ static __forceinline__

namespace {

/* the sizes of the kernel of a token */
enum {
    TOKEN_WARPS = 16, TOKEN_THREADS = 32 * TOKEN_WARPS,
    TILE = 16,              /* outputs of a chunk of weights */
    DEPTH = 32,             /* inputs of a chunk */
    CHUNK = TILE * DEPTH / 8,       /* its pieces of 16 bytes: 1 KiB */
    HEAD = 64,              /* channels of a head */
};


/* the arguments of the kernel of a token */
enum { AT_ONCE = 3, MOST_SPLITS = 8 };

struct TokenArgs {
    int n, L, C, NH, V, T, rows, splits;
    const uint4 *weights;
    const float *vectors;
    const bf16 *wpe;
    bf16 *keys, *values;
    const int32_t *ids;                 /* [3][n] */
    float *x[2];                        /* [n][C]: the residual stream */
    float *parts[2];                    /* of the last matrices */
    float *out, *sums;                  /* of attention's parts: [..][HEAD]
                                         * and [..][2] */
    float *logits;
    unsigned *arrived;                  /* at the barrier of the grid */
    int first, last;                    /* stages of this launch */
};

enum Stage { QKV, ATTEND, PROJ, FC, MLP, STAGES };

/* find a weight in the packed order */
/* Where 4 numbers are, in a matrix of depth * DEPTH inputs: those of
 * inputs k .. k + 3 (a multiple of 4) and output n. */
INLINED size_t packed(int n, int k, int depth)
{
    const size_t chunk = (size_t)(n / TILE) * depth + k / DEPTH;
    const int lane = n % 8 * 4 + k % DEPTH / 8;
    return (chunk * CHUNK + n % TILE / 8 * 32 + lane) * 8 + k % 8;
}


/* divide a line of chunks */
struct Range { unsigned begin, end; };

/* Part i of n, and the part that an index of [0, length) is in. */
INLINED Range part_of(Range r, unsigned i,
                                                unsigned n)
{
    const unsigned length = r.end - r.begin;
    return { r.begin + length * i / n, r.begin + length * (i + 1) / n };
}

INLINED unsigned
owner(unsigned index, unsigned length, unsigned n)
{
    return ((index + 1) * n - 1) / length;
}


/* the matrix of a stage */
struct Matrix { const uint4 *w; int tiles, depth; };

INLINED Matrix matrix_of(const TokenArgs &a,
                                                   int stage)
{
    const int C = a.C, l = stage / STAGES, s = stage % STAGES;
    const size_t square = (size_t)C * C / 8, layer = 12 * square * l;
    if (l == a.L)
        return { a.weights + layer, s == 0 ? (a.V + TILE - 1) / TILE : 0,
                 C / DEPTH };
    switch (s) {
    case QKV:  return { a.weights + layer, 3 * C / TILE, C / DEPTH };
    case PROJ: return { a.weights + layer + 3 * square, C / TILE,
                        C / DEPTH };
    case FC:   return { a.weights + layer + 4 * square, 4 * C / TILE,
                        C / DEPTH };
    case MLP:  return { a.weights + layer + 8 * square, C / TILE,
                        4 * C / DEPTH };
    default:   return { a.weights, 0, 1 };
    }
}


/* `Stream`: the weights to come, for one warp */
template <int D> struct Stream {
    uint4 *ring;            /* [D][CHUNK], shared: of this warp */
    const uint4 *w;         /* the matrix that is being fetched */
    unsigned at, end;       /* its next chunk, and the warp's last */
    int stage, last;        /* its stage, and where the fetching ends */
    int in, out;            /* slots of the ring */
};

template <int D>
INLINED void
fetch(const TokenArgs &a, Stream<D> &s)
{
    while (s.at == s.end && s.stage + 1 < s.last) {
        /* go to the warp's chunks of the next stage */
        const Matrix m = matrix_of(a, ++s.stage);
        const Range all = { 0, (unsigned)(m.tiles * m.depth) };
        const Range mine = part_of(part_of(all, blockIdx.x, gridDim.x),
                                   threadIdx.x / 32, TOKEN_WARPS);
        s.w = m.w;
        s.at = mine.begin;
        s.end = mine.end;
    }
    if (s.at < s.end) {
        uint4 *to = s.ring + s.in * CHUNK + threadIdx.x % 32;
        const uint4 *from = s.w + (size_t)s.at * CHUNK + threadIdx.x % 32;
        cp_async(to, from);
        cp_async(to + 32, from + 32);
        s.at++;
    }
    cp_async_commit();
    s.in = s.in + 1 == D ? 0 : s.in + 1;
}


/* loads and small sums */
INLINED float4 load(const float *p)
{
    return __ldcg((const float4 *)p);
}

INLINED void store(float *p, float4 v)
{
    *(float4 *)p = v;
}

INLINED float4 zero4()
{
    return make_float4(0, 0, 0, 0);
}

INLINED float4 add4(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

INLINED float squares(float4 v, float mean)
{
    v = add4(v, make_float4(-mean, -mean, -mean, -mean));
    return v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
}


/* The j-th group of four channels of a thread, where NB rows share the
 * block. */
INLINED int column(int j, int NB)
{
    const int threads = TOKEN_THREADS / NB;
    return threadIdx.x % threads + j * threads;
}

INLINED float4
normal4(float4 v, float mean, float rstd, float4 w, float4 b)
{
    return make_float4((v.x - mean) * rstd * w.x + b.x,
                       (v.y - mean) * rstd * w.y + b.y,
                       (v.z - mean) * rstd * w.z + b.z,
                       (v.w - mean) * rstd * w.w + b.w);
}

/* Four numbers as bf16, to shared or global memory. */
INLINED void put4(bf16 *to, float4 v)
{
    bf16 h[4] = { float_to_bf16(v.x), float_to_bf16(v.y),
                  float_to_bf16(v.z), float_to_bf16(v.w) };
    uint2 bits;
    __builtin_memcpy(&bits, h, sizeof bits);
    *(uint2 *)to = bits;
}

/* Four numbers in bf16. */
INLINED float4 get4(const bf16 *from)
{
    const uint2 bits = __ldg((const uint2 *)from);
    return make_float4(__uint_as_float(bits.x << 16),
                       __uint_as_float(bits.x & 0xffff0000u),
                       __uint_as_float(bits.y << 16),
                       __uint_as_float(bits.y & 0xffff0000u));
}


/* gather four outputs from the blocks' parts */
/* Outputs r .. r + 3 of text b, r a multiple of 4. */
INLINED float4
gather(const TokenArgs &a, const float *parts, const Matrix &m, int b,
       int r)
{
    const unsigned length = m.tiles * m.depth, tile = r / TILE;
    const unsigned begin = owner(tile * m.depth, length, gridDim.x);
    const unsigned end = owner((tile + 1) * m.depth - 1, length, gridDim.x);
    const float *at = parts + ((size_t)(tile + begin) * a.n + b) * TILE
                    + r % TILE;
    float4 v[AT_ONCE];
    #pragma unroll
    for (unsigned i = 0; i < AT_ONCE; i++)
        v[i] = begin + i <= end ? load(at + i * a.n * TILE) : zero4();
    float4 sum = v[0];
    #pragma unroll
    for (unsigned i = 1; i < AT_ONCE; i++)
        sum = add4(sum, v[i]);
    for (unsigned i = AT_ONCE; begin + i <= end; i++)
        sum = add4(sum, load(at + i * a.n * TILE));
    return sum;
}


/* multiply a matrix */
/* The parts of x times the matrix of this stage that this block has, to
 * out; x is bf16 [n][pitch], red is room for the parts of the warps. */
template <int D>
INLINED void multiply(const TokenArgs &a, Stream<D> &s, int stage,
                                const bf16 *x, int pitch, float *red,
                                float *out)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int g = lane / 4, t = lane % 4;
    const Matrix m = matrix_of(a, stage);
    const Range block = part_of({ 0, (unsigned)(m.tiles * m.depth) },
                                blockIdx.x, gridDim.x);
    const Range mine = part_of(block, warp, TOKEN_WARPS);
    const unsigned first_tile = block.begin / m.depth;
    unsigned tile = mine.begin / m.depth;
    int k = mine.begin % m.depth;
    float d[4] = { 0, 0, 0, 0 };
    /* multiply the warp's chunks */
    for (unsigned c = mine.begin; c < mine.end; c++) {
        cp_async_wait<D - 1>();
        const uint4 *p = s.ring + s.out * CHUNK + lane;
        const uint4 p0 = p[0], p1 = p[32];
        uint4 b = { 0, 0, 0, 0 };
        if (g < a.n)
            b = *(const uint4 *)(x + g * pitch + k * DEPTH + 8 * t);
        const uint32_t first[4] = { p0.x, p1.x, p0.y, p1.y };
        const uint32_t second[4] = { p0.z, p1.z, p0.w, p1.w };
        mma_m16n8k16(d, first, b.x, b.y);
        mma_m16n8k16(d, second, b.z, b.w);
        s.out = s.out + 1 == D ? 0 : s.out + 1;
        fetch(a, s);
        if (++k == m.depth || c + 1 == mine.end) {
            /* put the tile's sums into shared memory */
            float *to = red + (size_t)(tile - first_tile + warp) * a.n * TILE;
            if (2 * t < a.n) {
                to[2 * t * TILE + g] = d[0];
                to[2 * t * TILE + g + 8] = d[2];
            }
            if (2 * t + 1 < a.n) {
                to[(2 * t + 1) * TILE + g] = d[1];
                to[(2 * t + 1) * TILE + g + 8] = d[3];
            }
            d[0] = d[1] = d[2] = d[3] = 0;
            k = 0;
            tile++;
        }
    }
    __syncthreads();
    /* add the parts of the warps */
    const int all = (int)((block.end - 1) / m.depth - first_tile + 1) * a.n
                  * TILE;
    for (int i = threadIdx.x; i < all; i += TOKEN_THREADS) {
        const unsigned tile = first_tile + i / (a.n * TILE);
        const unsigned rest = i % (a.n * TILE);
        const unsigned length = block.end - block.begin;
        const unsigned lo = max(tile * m.depth, block.begin) - block.begin;
        const unsigned hi = min((tile + 1) * m.depth, block.end) - block.begin;
        const unsigned last = owner(hi - 1, length, TOKEN_WARPS);
        float sum = 0;
        for (unsigned w = owner(lo, length, TOKEN_WARPS); w <= last; w++)
            if (length * w / TOKEN_WARPS < length * (w + 1) / TOKEN_WARPS)
                sum += red[(tile - first_tile + w) * a.n * TILE + rest];
        out[(size_t)(tile + blockIdx.x) * a.n * TILE + rest] = sum;
    }
}


/* add up a number of each lane's groups, in one order */
/* The sum over row b of the values that its threads give for their
 * groups of four channels; `sums` has C/4 numbers a row. */
template <int NB>
INLINED float row_sum(const TokenArgs &a, float *sums, int b,
                                const float (&value)[NB])
{
    const int groups = a.C / 4;
    __syncthreads();
    #pragma unroll
    for (int j = 0; j < NB; j++)
        if (b < a.n && column(j, NB) < groups)
            sums[b * groups + column(j, NB)] = value[j];
    __syncthreads();
    float sum = 0;
    for (int i = threadIdx.x % 32; b < a.n && i < groups; i += 32)
        sum += sums[b * groups + i];
    return warp_sum(sum);
}


/* the vectors between two matrices */
/* From row to row of n vectors of `inputs` numbers, in numbers. */
INLINED int pitch_of(int inputs)
{
    return inputs + (inputs % 64 ? 0 : 32);
}


/* The embedding of text b. */
INLINED float4 embedded(const TokenArgs &a, int b, int c)
{
    const int token = __ldg(a.ids + b), at = __ldg(a.ids + 2 * a.n + b);
    const bf16 *wte = (const bf16 *)matrix_of(a, a.L * STAGES).w;
    return add4(get4(wte + packed(token, c, a.C / DEPTH)),
                get4(a.wpe + (size_t)at * a.C + c));
}

/* The residual stream, updated by the matrix before unless `first`, and
 * normalised by w (its bias C numbers further), as bf16 to x. */
template <int NB>
INLINED void normalise(const TokenArgs &a, bf16 *x, int pitch,
                                 float *sums, bool first, int from,
                                 const float *bias, const float *parts,
                                 Matrix m, const float *w)
{
    const int b = threadIdx.x / (TOKEN_THREADS / NB);
    /* x = the residual stream after the last matrix */
    float4 v[NB];
    #pragma unroll
    for (int j = 0; j < NB; j++) {
        const int i = column(j, NB), c = 4 * i;
        v[j] = zero4();
        if (b < a.n && c < a.C) {
            v[j] = first ? embedded(a, b, c)
                 : add4(add4(load(a.x[from] + b * a.C + c),
                             load(bias + c)), gather(a, parts, m, b, c));
            if (blockIdx.x == 0)
                store(a.x[1 - from] + b * a.C + c, v[j]);
        }
    }
    /* normalise the row, and hand it to the tensor cores */
    float s[NB];
    #pragma unroll
    for (int j = 0; j < NB; j++)
        s[j] = v[j].x + v[j].y + v[j].z + v[j].w;
    const float mean = row_sum(a, sums, b, s) / a.C;
    #pragma unroll
    for (int j = 0; j < NB; j++)
        s[j] = squares(v[j], mean);
    const float rstd = rsqrtf(row_sum(a, sums, b, s) / a.C + 1e-5f);
    #pragma unroll
    for (int j = 0; j < NB; j++) {
        const int c = 4 * column(j, NB);
        if (b < a.n && c < a.C)
            put4(x + b * pitch + c, normal4(v[j], mean, rstd, load(w + c),
                                            load(w + a.C + c)));
    }
}


INLINED float4 gelu4(float4 v)
{
    return make_float4(gelu_value(v.x), gelu_value(v.y), gelu_value(v.z),
                       gelu_value(v.w));
}

/* gelu(the output of the matrix before + bias), as bf16 to x: four groups
 * of a thread at a time, so that their loads overlap. */
INLINED void activate(const TokenArgs &a, bf16 *x, int pitch,
                                const float *bias, const float *parts,
                                Matrix m)
{
    const int all = a.n * a.C, step = TOKEN_THREADS;
    for (int i = threadIdx.x; i < all; i += 4 * step) {
        float4 v[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const int at = i + j * step, b = at / a.C, c = at % a.C * 4;
            if (at < all)
                v[j] = add4(load(bias + c), gather(a, parts, m, b, c));
        }
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const int at = i + j * step, b = at / a.C, c = at % a.C * 4;
            if (at < all)
                put4(x + b * pitch + c, gelu4(v[j]));
        }
    }
}

/* Logits from their parts. */
INLINED void write_logits(const TokenArgs &a, const float *parts,
                                    Matrix m)
{
    const int groups = m.tiles * TILE / 4;
    for (int i = blockIdx.x * TOKEN_THREADS + threadIdx.x;
         i < a.n * groups; i += gridDim.x * TOKEN_THREADS) {
        const int b = i / groups, r = i % groups * 4;
        store(a.logits + (size_t)b * groups * 4 + r,
              gather(a, parts, m, b, r));
    }
}


/* attention of a token */
/* Eight channels of position p of head h of text b, in layer l. */
INLINED uint4 *
place(const TokenArgs &a, bf16 *cache, int l, int b, int h, int p, int d8)
{
    const size_t row = (size_t)l * a.rows + a.ids[a.n + b];
    return (uint4 *)(cache + (((row * a.NH + h) * a.T + p) * HEAD)) + d8;
}

INLINED uint4
row_of(const TokenArgs &a, bf16 *cache, int l, int b, int h, int p, int d8)
{
    return __ldcg(place(a, cache, l, b, h, p, d8));
}

INLINED void unpack8(float *f, uint4 v)
{
    const unsigned bits[4] = { v.x, v.y, v.z, v.w };
    #pragma unroll
    for (int i = 0; i < 4; i++) {
        f[2 * i] = __uint_as_float(bits[i] << 16);
        f[2 * i + 1] = __uint_as_float(bits[i] & 0xffff0000u);
    }
}


INLINED float dot8(const float *q, uint4 k)
{
    float f[8], sum = 0;
    unpack8(f, k);
    #pragma unroll
    for (int i = 0; i < 8; i++)
        sum = fmaf(q[i], f[i], sum);
    return sum;
}

INLINED void add8(float *o, float keep, float e,
                                            uint4 v)
{
    float f[8];
    unpack8(f, v);
    #pragma unroll
    for (int i = 0; i < 8; i++)
        o[i] = fmaf(e, f[i], keep * o[i]);
}

/* Query, key and value of head h of text b: the query, times scale, as
 * floats; the other two in bf16, and to the cache if `store_them`. */
INLINED void make_qkv(const TokenArgs &a, float *q, bf16 *newest,
                                int l, int b, int h, const float *bias,
                                const float *parts, bool store_them)
{
    const Matrix m = matrix_of(a, l * STAGES + QKV);
    const int i = threadIdx.x, third = i / 16, c = h * HEAD + i % 16 * 4;
    if (i < 48) {
        const int r = third * a.C + c;
        const float4 v = add4(load(bias + r), gather(a, parts, m, b, r));
        const float scale = LOG2E / 8;          /* 1 / sqrt(HEAD) */
        if (third == 0)
            *(float4 *)(q + i * 4) = make_float4(v.x * scale, v.y * scale,
                                                 v.z * scale, v.w * scale);
        else
            put4(newest + (i - 16) * 4, v);
    }
    __syncthreads();
    if (store_them && i < 16)
        *place(a, i < 8 ? a.keys : a.values, l, b, h, a.ids[2 * a.n + b],
               i % 8) = ((const uint4 *)newest)[i];
}


INLINED void merge(float &most, float &sum, float o[8], int d)
{
    const float other = __shfl_xor_sync(WHOLE_WARP, most, d);
    const float now = fmaxf(most, other);
    const float mine = fast_exp2(most - now), its = fast_exp2(other - now);
    sum = sum * mine + __shfl_xor_sync(WHOLE_WARP, sum, d) * its;
    #pragma unroll
    for (int i = 0; i < 8; i++)
        o[i] = o[i] * mine + __shfl_xor_sync(WHOLE_WARP, o[i], d) * its;
    most = now;
}

/* o, most and sum of all warps, to the unit's place in a.out and a.sums;
 * all: room for 16 (HEAD + 2) numbers. */
INLINED void merge_warps(const TokenArgs &a, float *all, int unit,
                                   float most, float sum, const float *o)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float *stats = all + TOKEN_WARPS * HEAD;
    if (lane < 8)
        for (int i = 0; i < 8; i++)
            all[warp * HEAD + lane * 8 + i] = o[i];
    if (lane == 0) {
        stats[2 * warp] = most;
        stats[2 * warp + 1] = sum;
    }
    __syncthreads();
    if (threadIdx.x < HEAD) {
        /* add up the softmaxes of the warps */
        float top = stats[0], total = 0, mean = 0;
        for (int w = 1; w < TOKEN_WARPS; w++)
            top = fmaxf(top, stats[2 * w]);
        for (int w = 0; w < TOKEN_WARPS; w++) {
            const float scale = fast_exp2(stats[2 * w] - top);
            total += stats[2 * w + 1] * scale;
            mean += all[w * HEAD + threadIdx.x] * scale;
        }
        a.out[(size_t)unit * HEAD + threadIdx.x] = mean;
        if (threadIdx.x == 0) {
            a.sums[2 * unit] = top;
            a.sums[2 * unit + 1] = total;
        }
    }
    __syncthreads();
}


/* Attention of all texts and heads; shared: room for 64 + 64 + 1056
 * floats. */
INLINED void attend(const TokenArgs &a, float *shared, int l,
                              const float *bias, const float *parts)
{
    float *q = shared;
    uint4 *newest = (uint4 *)(shared + HEAD);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int part8 = lane % 8, units = a.n * a.NH * a.splits;
    const uint4 none = { 0, 0, 0, 0 };
    for (int unit = blockIdx.x; unit < units; unit += gridDim.x) {
        const int b = unit / a.splits / a.NH, h = unit / a.splits % a.NH;
        const int at = a.ids[2 * a.n + b];
        const Range part = part_of({ 0, (unsigned)at + 1 },
                                   unit % a.splits, a.splits);
        float most = -1e30f, sum = 0, o[8] = { 0, 0, 0, 0, 0, 0, 0, 0 };
        make_qkv(a, q, (bf16 *)newest, l, b, h, bias, parts,
                 (int)part.end == at + 1);
        /* attend to one part of the positions of a head */
        for (int p0 = part.begin + 4 * warp; p0 < (int)part.end;
             p0 += 4 * TOKEN_WARPS) {
            const int p = p0 + lane / 8;
            const bool there = p < (int)part.end;
            const bool old = there && p < at;
            const uint4 k = old ? row_of(a, a.keys, l, b, h, p, part8) : none;
            const uint4 v = old ? row_of(a, a.values, l, b, h, p, part8) : none;
            float score = dot8(q + 8 * part8, p == at ? newest[part8] : k);
            score += __shfl_xor_sync(WHOLE_WARP, score, 1);
            score += __shfl_xor_sync(WHOLE_WARP, score, 2);
            score += __shfl_xor_sync(WHOLE_WARP, score, 4);
            score = there ? score : -INFINITY;
            const float now = fmaxf(most, score), keep = fast_exp2(most - now);
            const float e = fast_exp2(score - now);
            sum = sum * keep + e;
            most = now;
            add8(o, keep, e, p == at ? newest[8 + part8] : v);
        }
        merge(most, sum, o, 8);
        merge(most, sum, o, 16);
        merge_warps(a, shared + 2 * HEAD, unit, most, sum, o);
    }
}

/* The heads' outputs, put together from their parts, as bf16 to x. */
INLINED void join(const TokenArgs &a, bf16 *x, int pitch)
{
    for (int i = threadIdx.x; i < a.n * a.C / 4; i += TOKEN_THREADS) {
        const int b = i / (a.C / 4), c = i % (a.C / 4) * 4;
        const size_t unit = ((size_t)b * a.NH + c / HEAD) * a.splits;
        /* v = the mean of the values, from its parts */
        float2 s[MOST_SPLITS];
        float4 o[MOST_SPLITS], v = zero4();
        float top = -INFINITY, sum = 0;
        #pragma unroll
        for (int j = 0; j < MOST_SPLITS; j++)
            if (j < a.splits) {
                s[j] = __ldcg((const float2 *)a.sums + unit + j);
                o[j] = load(a.out + (unit + j) * HEAD + c % HEAD);
                top = fmaxf(top, s[j].x);
            }
        #pragma unroll
        for (int j = 0; j < MOST_SPLITS; j++)
            if (j < a.splits) {
                const float w = fast_exp2(s[j].x - top);
                sum += s[j].y * w;
                v = add4(v, make_float4(o[j].x * w, o[j].y * w, o[j].z * w,
                                        o[j].w * w));
            }
        v = make_float4(v.x / sum, v.y / sum, v.z / sum, v.w / sum);
        put4(x + b * pitch + c, v);
    }
}


/* wait for all blocks */
INLINED void wait_for_all(unsigned *arrived)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned mine = blockIdx.x ? 1
                            : 0x80000000u - (gridDim.x - 1);
        __threadfence();
        const unsigned before = atomicAdd(arrived, mine);
        while (((before ^ *(volatile unsigned *)arrived) & 0x80000000u)
               == 0)
            ;
        __threadfence();
    }
    __syncthreads();
}


/* the kernel of a token */
template <int D, int NB>
INLINED void run_stage(const TokenArgs &a, Stream<D> &s, int stage,
                                 bf16 *x, float *red)
{
    const int l = stage / STAGES, C = a.C;
    const Matrix before = matrix_of(a, stage - 1);
    const float *vec = a.vectors + (size_t)l * TOKEN_VECTORS * C;
    const float *mlp_b = vec - (TOKEN_VECTORS - TOKEN_MLP_B) * C;
    const int pitch = pitch_of(C), wide = pitch_of(4 * C);
    float *const even = a.parts[0], *const odd = a.parts[1];
    if (stage == a.L * STAGES + 1)
        write_logits(a, even, before);
    else if (stage % STAGES == QKV) {           /* or the classifier */
        normalise<NB>(a, x, pitch, red, stage == 0, 0, mlp_b, odd, before,
                      vec);
        __syncthreads();
        multiply(a, s, stage, x, pitch, red, even);
    } else if (stage % STAGES == ATTEND)
        attend(a, red, l, vec + TOKEN_QKV_B * C, even);
    else {
        /* run one of the other stages */
        const int kind = stage % STAGES;
        if (kind == PROJ)
            join(a, x, pitch);
        else if (kind == FC)
            normalise<NB>(a, x, pitch, red, false, 1, vec + TOKEN_PROJ_B * C, odd,
                          before, vec + TOKEN_LN_2_W * C);
        else
            activate(a, x, wide, vec + TOKEN_FC_B * C, even, before);
        __syncthreads();
        multiply(a, s, stage, x, kind == MLP ? wide : pitch, red,
                 kind == FC ? even : odd);
    }
}


template <int D, int NB>
__global__ void __launch_bounds__(TOKEN_THREADS, 1)
token_kernel(const __grid_constant__ TokenArgs a)
{
    extern __shared__ uint4 shared[];
    uint4 *rings = shared;
    bf16 *x = (bf16 *)(rings + TOKEN_WARPS * D * CHUNK);
    float *red = (float *)(x + a.n * pitch_of(4 * a.C));
    Stream<D> s = { .ring = rings + threadIdx.x / 32 * D * CHUNK,
                    .w = NULL, .at = 0, .end = 0, .stage = a.first - 1,
                    .last = a.last, .in = 0, .out = 0 };
    for (int i = 0; i < D; i++)
        fetch(a, s);
    for (int stage = a.first; stage < a.last; stage++) {
        if (stage > a.first)
            wait_for_all(a.arrived);
        run_stage<D, NB>(a, s, stage, x, red);
    }
}


/* pack a matrix */
/* w: number of output n and input k at n * by_n + k * by_k; N outputs,
 * zero from there to a whole tile. */
__global__ void pack(uint4 *to, const bf16 *w, size_t by_n, size_t by_k,
                     int N, int K)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t chunk = i / CHUNK;
    const int piece = i % CHUNK / 32, lane = i % 32, depth = K / DEPTH;
    const int n = (int)(chunk / depth) * TILE + piece * 8 + lane / 4;
    const int k = (int)(chunk % depth) * DEPTH + lane % 4 * 8;
    if (chunk >= (size_t)((N + TILE - 1) / TILE) * depth)
        return;
    bf16 v[8];
    for (int j = 0; j < 8; j++)
        v[j] = n < N ? w[n * by_n + (k + j) * by_k] : float_to_bf16(0);
    __builtin_memcpy(to + i, v, sizeof v);
}


}  // namespace

/* the operators of a token */
int cuda_token_blocks(const struct TokenModel *m)
{
    const int wte = token_outputs(m, TOKEN_WTE), C = m->C;
    const int chunks = (wte < C ? wte : C) / TILE * (C / DEPTH);
    const int all = gpu_attribute(cudaDevAttrMultiProcessorCount);
    return all < chunks ? all : chunks;
}

size_t cuda_token_weights_bytes(const struct TokenModel *m)
{
    return token_numbers(m) * sizeof(bf16);
}

size_t cuda_token_vectors_bytes(const struct TokenModel *m)
{
    return ((size_t)m->L * TOKEN_VECTORS + 2) * (size_t)m->C
         * sizeof(float);
}

size_t cuda_token_cache_bytes(const struct TokenModel *m)
{
    return (size_t)m->L * (size_t)m->rows * (size_t)m->C * (size_t)m->T
         * sizeof(bf16);
}


static int splits_of(const struct TokenModel *m)
{
    const int s = m->blocks / m->NH;
    return s < 1 ? 1 : s > MOST_SPLITS ? MOST_SPLITS : s;
}

/* Floats of the parts of a matrix: a slot for each tile and block. */
static size_t parts_of(const struct TokenModel *m)
{
    const int most = token_outputs(m, TOKEN_WTE) > 4 * m->C
                   ? token_outputs(m, TOKEN_WTE) : 4 * m->C;
    return ((size_t)most / TILE + m->blocks) * TILE * TOKEN_TEXTS;
}

/* The work: two parts, two residual streams, attention's parts, and the
 * counter of the barrier. */
static size_t units_of(const struct TokenModel *m)
{
    return (size_t)TOKEN_TEXTS * m->NH * splits_of(m);
}

size_t cuda_token_work_bytes(const struct TokenModel *m)
{
    const size_t floats = 2 * parts_of(m) + 2 * (size_t)TOKEN_TEXTS * m->C
                        + units_of(m) * (HEAD + 2) + 32;
    return floats * sizeof(float);
}


static struct TokenArgs arguments(const struct TokenModel *m, float *logits,
                                  const int32_t *ids, int n)
{
    struct TokenArgs a = { };
    float *at = (float *)m->work;
    a.n = n, a.L = m->L, a.C = m->C, a.NH = m->NH, a.V = m->V, a.T = m->T;
    a.rows = m->rows, a.splits = splits_of(m);
    a.weights = (const uint4 *)m->weights;
    a.vectors = m->vectors, a.wpe = m->wpe;
    a.keys = m->keys, a.values = m->values, a.ids = ids;
    a.logits = logits;
    for (int i = 0; i < 2; i++) {
        a.parts[i] = at, at += parts_of(m);
        a.x[i] = at, at += (size_t)TOKEN_TEXTS * m->C;
    }
    a.out = at, at += units_of(m) * HEAD;
    a.sums = at, at += units_of(m) * 2;
    a.arrived = (unsigned *)at;
    return a;
}

void cuda_token_pack(const struct TokenModel *m, int l,
                     enum TokenMatrix which, const bf16 *w)
{
    const int K = token_inputs(m, which), N = token_outputs(m, which);
    const int rows = which == TOKEN_WTE ? m->V : N;
    const size_t pieces = (size_t)N * K / 8;
    const size_t by_n = which == TOKEN_WTE ? K : 1;
    const size_t by_k = which == TOKEN_WTE ? 1 : N;
    pack<<<blocks_for(pieces, THREADS), THREADS, 0, backend_stream()>>>(
        (uint4 *)(m->weights + token_matrix_at(m, l, which)), w, by_n,
        by_k, rows, K);
    LAUNCHED();
}


static size_t red_floats(const struct TokenModel *m, int n)
{
    const size_t tiles = (size_t)token_outputs(m, TOKEN_WTE) / TILE;
    const size_t wide = (size_t)m->C / 4;
    const size_t most = tiles > wide ? tiles : wide;
    const size_t parts = (most / m->blocks + 2 + TOKEN_WARPS) * n * TILE;
    const size_t sums = (size_t)n * m->C / 4;
    const size_t attention = 2 * HEAD + TOKEN_WARPS * (HEAD + 2);
    const size_t more = parts > sums ? parts : sums;
    return more > attention ? more : attention;
}

template <int D, int NB>
static void launch(const struct TokenModel *m, struct TokenArgs a)
{
    const int wide = 4 * m->C, pitch = wide + (wide % 64 ? 0 : 32);
    const size_t bytes = (size_t)TOKEN_WARPS * D * CHUNK * 16
                       + (size_t)a.n * pitch * sizeof(bf16)
                       + red_floats(m, a.n) * sizeof(float);
    const int stages = m->L * STAGES + 2, step = m->stages ? 1 : stages;
    if (!allow_shared_memory(token_kernel<D, NB>, bytes))
        return;
    for (int i = 0; i < stages; i += step) {
        a.first = i;
        a.last = i + step;
        token_kernel<D, NB><<<m->blocks, TOKEN_THREADS, bytes,
                              backend_stream()>>>(a);
        LAUNCHED();
    }
}


void cuda_token_run(const struct TokenModel *m, float *logits,
                    const int32_t *ids, int n)
{
    if (!token_can(m->C, m->NH) || n < 1 || n > TOKEN_TEXTS
        || m->blocks < 1 || m->blocks > cuda_token_blocks(m)) {
        backend_failed("token: %d texts, %d channels, %d heads, %d blocks; "
                       "it takes 1 to 8 texts, heads of 64 of at most %d "
                       "channels, and 1 to %d blocks", n, m->C, m->NH,
                       m->blocks, TOKEN_MOST_CHANNELS,
                       cuda_token_blocks(m));
        return;
    }
    profile_range("token");
    const struct TokenArgs a = arguments(m, logits, ids, n);
    if (n == 1)
        launch<12, 1>(m, a);
    else
        launch<6, 8>(m, a);
}
