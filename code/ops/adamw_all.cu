/* Chapter 18b, Fused operators: 18b.8 The optimiser */
/* Tangled from chapters/18b-fused-operators.nw by `make tangle`; edit it there. */

#include "ops/adamw.h"
#include "ops/gpu.h"

/* the numbers that a step's loop needs (17.2.4) */
struct Coefficients {
    real beta1, one_minus_beta1, beta2, one_minus_beta2;
    real scale;         /* of the gradient */
    real rate;          /* lr / (1 - beta1^t) */
    real root;          /* 1 / sqrt(1 - beta2^t) */
    real eps, shrink;   /* shrink = lr * decay */
};


/* random bits from a counter (18b.8) */
/* Philox4x32-10, as in base/rng.c. */
__device__ static __forceinline__ uint4 philox4(uint4 c, uint2 key)
{
    #pragma unroll
    for (int round = 0; round < 10; round++) {
        const unsigned h0 = __umulhi(0xd2511f53u, c.x);
        const unsigned h1 = __umulhi(0xcd9e8d57u, c.z);
        c = make_uint4(h1 ^ c.y ^ key.x, 0xcd9e8d57u * c.z,
                       h0 ^ c.w ^ key.y, 0xd2511f53u * c.x);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return c;
}

/* adamw_all: the tensors, as a kernel gets them (18b.8) */
/* With the other arguments below the 4 KiB that every GPU takes. */
enum { MAX_SPANS = 112, EACH = 2 };

struct Spans {
    int n;
    unsigned first[MAX_SPANS + 1];      /* its first block; the last: all */
    struct { size_t offset, offset16, size; } at[MAX_SPANS];
    bool decays[MAX_SPANS];
};

/* adamw_all: four numbers (18b.8) */
/* x rounded up or down to bf16, up with probability (x - down) / (up -
 * down), as the 16 random bits say. */
__device__ static __forceinline__ unsigned short round_by_chance(
    float x, unsigned random)
{
    unsigned bits = __float_as_uint(x);
    if ((bits & 0x7f800000) == 0x7f800000)          /* inf, NaN */
        return __bfloat16_as_ushort(__float2bfloat16(x));
    return (bits + (random & 0xffff)) >> 16;
}

/* One number's step: returns the new weight. */
__device__ static __forceinline__ float adamw_one(
    float w, float *m, float *v, float g, float shrink,
    const struct Coefficients *k)
{
    const float x = k->scale * g;
    *m = fmaf(k->beta1, *m, k->one_minus_beta1 * x);
    *v = fmaf(k->beta2, *v, k->one_minus_beta2 * (x * x));
    const float size = fmaf(sqrtf(*v), k->root, k->eps);
    return w - fmaf(shrink, w, k->rate * *m / size);
}

/* adamw_all: a thread per four numbers (18b.8) */
/* One step of AdamW for all tensors; a block finds its tensor in a list.
 *   launch    ceil(size / 256) blocks of 256 for each tensor
 *   moves     30 bytes a number            ceiling   memory */
__global__ void adamw_all_kernel(float *w, bf16 *w16, float *m, float *v,
                                 const float *g, const struct Spans spans,
                                 const struct Coefficients k, uint2 key,
                                 unsigned long long step)
{
    int low = 0, high = spans.n;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (spans.first[middle] <= blockIdx.x)
            low = middle;
        else
            high = middle;
    }
    const size_t i = (size_t)(blockIdx.x - spans.first[low]) * THREADS
                   + threadIdx.x;
    if (i >= spans.at[low].size)
        return;
    const float shrink = spans.decays[low] ? k.shrink : 0;
    const size_t at = spans.at[low].offset + i;
    const size_t at16 = spans.at[low].offset16 + i;
    float mean = m[at], square = v[at];
    const float now = adamw_one(w ? w[at] : bf16_to_float(w16[at16]),
                                &mean, &square, g[at], shrink, &k);
    m[at] = mean;
    v[at] = square;
    if (w)
        w[at] = now;
    /* write the bf16 copy (18b.8) */
    if (w && w16)
        w16[at16] = float_to_bf16(now);
    if (!w) {
        const uint4 bits = philox4(make_uint4((unsigned)(at16 / 8),
            (unsigned)(at16 / 8 >> 32), (unsigned)step,
            (unsigned)(step >> 32)), key);
        const unsigned word = at16 % 8 / 2 == 0 ? bits.x :
                              at16 % 8 / 2 == 1 ? bits.y :
                              at16 % 8 / 2 == 2 ? bits.z : bits.w;
        w16[at16] = __ushort_as_bfloat16(round_by_chance(
            now, at16 % 2 ? word >> 16 : word));
    }
}

/* launch adamw_all (18b.8) */
void adamw_all(real *w, bf16 *w16, real *m, real *v, const real *g,
               const struct AdamwSpan *span, int spans,
               const struct AdamwStep *s)
{
    /* fold the step into c (17.2.5) */
    double correct1 = 1 - pow(s->beta1, (double)s->step);
    double correct2 = 1 - pow(s->beta2, (double)s->step);
    const struct Coefficients c = {
        .beta1 = (real)s->beta1, .one_minus_beta1 = (real)(1 - s->beta1),
        .beta2 = (real)s->beta2, .one_minus_beta2 = (real)(1 - s->beta2),
        .scale = (real)s->scale,
        .rate = (real)(s->lr / correct1),
        .root = (real)(1 / sqrt(correct2)),
        .eps = (real)s->eps, .shrink = (real)(s->lr * s->decay),
    };
    const uint2 key = make_uint2((unsigned)s->seed,
                                 (unsigned)(s->seed >> 32));
    for (int done = 0; done < spans; ) {
        struct Spans list = {};
        for (; done < spans && list.n < MAX_SPANS; done++, list.n++) {
            const struct AdamwSpan *a = &span[done];
            list.at[list.n].offset = a->offset;
            list.at[list.n].offset16 = a->offset16;
            list.at[list.n].size = a->size;
            list.decays[list.n] = a->decays;
            list.first[list.n + 1] = list.first[list.n]
                + (a->size ? blocks_for(a->size, THREADS) : 0);
        }
        adamw_all_kernel<<<list.first[list.n], THREADS, 0,
                           machine_stream>>>(
            w, w16, m, v, g, list, c, key, (unsigned long long)s->step);
        LAUNCHED();
    }
}
