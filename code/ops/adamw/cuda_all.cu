/* Tangled from chapters/workshop/fused-details.nw, "The optimiser".  Edit it there. */

#include "ops/adamw/coefficients.h"
#include "ops/kernels/common.cuh"
#include "ops/kernels/stochastic.cuh"
#include "ops/operators.h"

/* adamw_all: the list of tensors */
/* With the other arguments below the 32,764 bytes that a kernel takes. */
enum { MAX_SPANS = 1000, FOURS = 2, BLOCK = 4 * FOURS * THREADS };

struct Spans {
    int n;
    unsigned first[MAX_SPANS + 1];      /* its first block; the last: all */
    struct { size_t offset, offset16, size; } at[MAX_SPANS];
    bool decays[MAX_SPANS];
};

/* adamw_all: four numbers */
/* The random bits of the two pairs of numbers from i on, an even number:
 * eight neighbours share a block of Philox, two a word. */
__device__ static __forceinline__ uint2 random_bits(
    size_t i, unsigned long long step, uint2 key)
{
    const uint4 bits = philox4(make_uint4((unsigned)(i / 8),
        (unsigned)(i / 8 >> 32), (unsigned)step, (unsigned)(step >> 32)),
        key);
    return i & 4 ? make_uint2(bits.z, bits.w) : make_uint2(bits.x, bits.y);
}

/* One number's step: returns the new weight. */
__device__ static __forceinline__ float adamw_one(
    float w, float *m, float *v, float g, float shrink,
    const struct AdamwCoefficients *k)
{
    const float x = k->scale * g;
    *m = fmaf(k->beta1, *m, k->one_minus_beta1 * x);
    *v = fmaf(k->beta2, *v, k->one_minus_beta2 * (x * x));
    const float size = fmaf(sqrtf(*v), k->root, k->eps);
    return w - fmaf(shrink, w, k->rate * *m / size);
}

/* n of four numbers, all four at once where `whole`. */
__device__ static __forceinline__ void get_four(float *to, const float *x,
                                                int n, bool whole)
{
    if (whole) {
        const float4 f = *(const float4 *)x;
        to[0] = f.x, to[1] = f.y, to[2] = f.z, to[3] = f.w;
    } else {
        #pragma unroll
        for (int i = 0; i < 4; i++)
            to[i] = i < n ? x[i] : 0;
    }
}

__device__ static __forceinline__ void put_four(float *x, const float *from,
                                                int n, bool whole)
{
    if (whole) {
        *(float4 *)x = make_float4(from[0], from[1], from[2], from[3]);
    } else {
        #pragma unroll
        for (int i = 0; i < 4; i++)
            if (i < n)
                x[i] = from[i];
    }
}

/* ... of bf16, still packed: to unpack them is to wait for them. */
__device__ static __forceinline__ Pack<4> get_pack(const bf16 *x, int n,
                                                   bool whole)
{
    if (whole)
        return pack_load<4>(x);
    unsigned short bits[4];
    #pragma unroll
    for (int i = 0; i < 4; i++)
        bits[i] = i < n ? __bfloat16_as_ushort(x[i]) : 0;
    return Pack<4>{ make_uint2(bits[0] | (unsigned)bits[1] << 16,
                               bits[2] | (unsigned)bits[3] << 16) };
}

__device__ static __forceinline__ void put_four(
    bf16 *x, const unsigned short *from, int n, bool whole)
{
    if (whole) {
        *(uint2 *)x = make_uint2(from[0] | (unsigned)from[1] << 16,
                                 from[2] | (unsigned)from[3] << 16);
    } else {
        #pragma unroll
        for (int i = 0; i < 4; i++)
            if (i < n)
                x[i] = __ushort_as_bfloat16(from[i]);
    }
}

/* adamw_all: a thread per four numbers */
/* One step of AdamW for all tensors; a block finds its tensor in a list.
 *   launch    ceil(size / 2,048) blocks of 256 for each tensor
 *   moves     30 bytes a number            ceiling   memory */
template <bool MASTER>
__global__ void adamw_all_kernel(float *w, bf16 *w16, float *m, float *v,
                                 const float *g, const struct Spans spans,
                                 const struct AdamwCoefficients k,
                                 uint2 key, unsigned long long step)
{
    /* find the tensor of this block */
    int low = 0, high = spans.n;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (spans.first[middle] <= blockIdx.x)
            low = middle;
        else
            high = middle;
    }
    /* read the place and the size of the tensor */
    const float shrink = spans.decays[low] ? k.shrink : 0;
    const size_t size = spans.at[low].size;
    const size_t from = spans.at[low].offset;
    const size_t from16 = spans.at[low].offset16;
    const bool aligned = from % 4 + from16 % 4 == 0;
    const size_t first = (size_t)(blockIdx.x - spans.first[low]) * BLOCK
                       + 4 * threadIdx.x;
    /* read FOURS times four numbers */
    float weight[FOURS][4], mean[FOURS][4], square[FOURS][4];
    float slope[FOURS][4];
    Pack<4> packed[FOURS];
    #pragma unroll
    for (int f = 0; f < FOURS; f++) {
        const size_t i = first + f * 4 * THREADS;
        const int n = i < size ? (int)min((size_t)4, size - i) : 0;
        const bool whole = aligned && n == 4;
        if (MASTER)
            get_four(weight[f], w + from + i, n, whole);
        else
            packed[f] = get_pack(w16 + from16 + i, n, whole);
        get_four(mean[f], m + from + i, n, whole);
        get_four(square[f], v + from + i, n, whole);
        get_four(slope[f], g + from + i, n, whole);
    }
    #pragma unroll
    for (int f = 0; f < FOURS; f++) {
        const size_t i = first + f * 4 * THREADS;
        const int n = i < size ? (int)min((size_t)4, size - i) : 0;
        const bool whole = aligned && n == 4;
        if (!MASTER)
            pack_get(weight[f], packed[f]);
        /* change four weights and their moments */
        #pragma unroll
        for (int j = 0; j < 4; j++)
            weight[f][j] = adamw_one(weight[f][j], &mean[f][j],
                                     &square[f][j], slope[f][j], shrink,
                                     &k);
        /* write four numbers */
        put_four(m + from + i, mean[f], n, whole);
        put_four(v + from + i, square[f], n, whole);
        if (MASTER)
            put_four(w + from + i, weight[f], n, whole);

        /* half = the new weights in bf16 */
        unsigned short half[4];
        if (MASTER) {
            #pragma unroll
            for (int j = 0; j < 4; j++)
                half[j] = __bfloat16_as_ushort(float_to_bf16(weight[f][j]));
        } else if (from16 % 4 == 0) {
            const uint2 bits = random_bits(from16 + i, step, key);
            half[0] = round_by_chance(weight[f][0], bits.x);
            half[1] = round_by_chance(weight[f][1], bits.x >> 16);
            half[2] = round_by_chance(weight[f][2], bits.y);
            half[3] = round_by_chance(weight[f][3], bits.y >> 16);
        } else {
            /* find the random bits of each weight */
            for (int j = 0; j < 4; j++) {
                const size_t k = from16 + i + j;
                const uint2 bits = random_bits(k, step, key);
                half[j] = round_by_chance(weight[f][j],
                                          (k & 2 ? bits.y : bits.x) >> (k & 1) * 16);
            }
        }
        if (w16)
            put_four(w16 + from16 + i, half, n, whole);
    }
}

/* launch adamw_all */
void cuda_adamw_all(real *w, bf16 *w16, real *m, real *v, const real *g,
                    const struct AdamwSpan *span, int spans,
                    const struct AdamwStep *s)
{
    const struct AdamwCoefficients c = adamw_coefficients(s);
    const uint2 key = make_uint2((unsigned)s->seed,
                                 (unsigned)(s->seed >> 32));
    const unsigned long long step = (unsigned long long)s->step;
    for (int done = 0; done < spans; ) {
        struct Spans list = {};
        for (; done < spans && list.n < MAX_SPANS; done++, list.n++) {
            /* add tensor number done to the list */
            const struct AdamwSpan *a = &span[done];
            list.at[list.n].offset = a->offset;
            list.at[list.n].offset16 = a->offset16;
            list.at[list.n].size = a->size;
            list.decays[list.n] = a->decays;
            list.first[list.n + 1] = list.first[list.n]
                + (a->size ? blocks_for(a->size, BLOCK) : 0);
        }
        if (list.first[list.n] == 0)
            continue;
        /* launch for the tensors of the list */
        if (w)
            adamw_all_kernel<true><<<list.first[list.n], THREADS, 0,
                                     backend_stream()>>>(
                w, w16, m, v, g, list, c, key, step);
        else
            adamw_all_kernel<false><<<list.first[list.n], THREADS, 0,
                                      backend_stream()>>>(
                w, w16, m, v, g, list, c, key, step);
        LAUNCHED();
    }
}
