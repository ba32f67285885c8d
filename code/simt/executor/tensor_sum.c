/* Tangled from chapters/workshop/simt-wgmma.nw, "How a tensor core adds".  Edit it there. */

#include "simt/executor/tensor_sum.h"

#include "simt/executor/device_math.h"
#include "simt/executor/lanes.h"

#include <math.h>
#include <string.h>

/* rules of Hopper */
int tensor_bytes(enum TensorType type)
{
    return type == TENSOR_TF32 ? 4 : type <= TENSOR_BF16 ? 2 : 1;
}

struct TensorRule tensor_rule(enum TensorType type, bool wgmma)
{
    int size = tensor_bytes(type);
    bool few = wgmma && size == 1, pairs = !wgmma && size == 1;
    return (struct TensorRule){ .fraction = few ? 13 : 25,
                                .digits = few ? 14 : 24,
                                .group = pairs ? 16 : 32 / size,
                                .pairs = pairs };
}

static inline double power(int e)       /* -1022 <= e <= 1023 */
{
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* codes of exponents */
enum { EXPONENT_ZERO = -2000, EXPONENT_LEAST = -133, SPECIAL = 4000 };

/* A number of `bits` bits of fraction and the largest exponent field
 * `last`, with its sign: value and exponent.  IEEE: the last exponent is
 * for infinities and NaN. */
static inline void split(double *value, int *exponent, uint32_t x,
                         int bits, int last, bool ieee)
{
    uint32_t fraction = x & ((1u << bits) - 1);
    int field = (int)(x >> bits) & last, bias = last / 2;
    bool minus = x >> bits > (uint32_t)last;
    bool special = ieee && field == last;
    int e = (field ? field : 1) - bias;
    double one = field ? 1 : 0;
    double v = (one + fraction * power(-bits)) * power(e);
    *value = special ? 0 : minus ? -v : v;
    *exponent = special ? fraction ? TENSOR_NAN : minus ? TENSOR_MINUS
                                                          : TENSOR_PLUS
              : v != 0 ? e : EXPONENT_ZERO;
}

/* take a number apart */
static void take_apart(double *value, int *exponent, enum TensorType type,
                       uint32_t x)
{
    switch (type) {
    case TENSOR_F16: split(value, exponent, x, 10, 31, true); break;
    case TENSOR_BF16: split(value, exponent, x, 7, 255, true); break;
    case TENSOR_TF32: split(value, exponent, x >> 13, 10, 255, true); break;
    case TENSOR_E5M2: split(value, exponent, x, 2, 31, true); break;
    case TENSOR_E4M3:
        split(value, exponent, x, 3, 15, false);
        if ((x & 127) == 127) {
            *value = 0;
            *exponent = TENSOR_NAN;
        }
        break;
    case TENSOR_S8: *value = (int8_t)x, *exponent = 0; break;
    case TENSOR_U8: *value = (uint8_t)x, *exponent = 0; break;
    }
}

void tensor_unpack(struct Factors *f, int n, int k, enum TensorType type,
                   const unsigned char *bytes)
{
    int size = tensor_bytes(type);
    for (int q = 0; q < k; q++) {
        uint32_t x = 0;
        memcpy(&x, bytes + q * size, (size_t)size);
        take_apart(&f->value[q][n], &f->exponent[q][n], type, x);
    }
}

/* add a group of products */
/* Of an old sum; one in half has no exponent below -14. */
static inline int exponent_of(float x, int least)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    int field = (int)(bits >> 23 & 255), e = field - 127;
    e = e > least ? e : least;
    return field == 255 ? TENSOR_PLUS : bits << 1 ? e : EXPONENT_LEAST;
}

static inline double cut(double x) { return (double)(int32_t)x; }

/* The first `digits` bits of x; below 2^-126 as many as are left. */
static inline float shorten(double x, int digits)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= ~(uint64_t)0 << (53 - digits);
    memcpy(&x, &bits, sizeof bits);
    return (float)x;
}

struct Group {
    int n, k, row;              /* columns, products; column of a       */
    const struct Factors *a, *b;
    int first;                  /* product                               */
    bool half;                  /* sums are fp16                         */
    struct TensorRule rule;
};

/* The i-th product of a group. */
static inline int term_of(const struct Group *g, int i)
{
    return g->rule.pairs ? i / 2 * 4 + g->first / 8 + i % 2 : g->first + i;
}

static inline __attribute__((always_inline)) int
add_group(double *total, int *top, const float *sum, const struct Group *g)
{
    int most = 0, f = g->rule.fraction;
    for (int j = 0; j < g->n; j++)
        top[j] = exponent_of(sum[j], g->half ? -14 : -126);
    for (int i = 0; i < g->k; i++) {
        const int q = term_of(g, i), e = g->a->exponent[q][g->row];
        const int *of = g->b->exponent[q];
        for (int j = 0; j < g->n; j++)
            top[j] = top[j] > e + of[j] ? top[j] : e + of[j];
    }
    for (int j = 0; j < g->n; j++) {
        most = most > top[j] ? most : top[j];
        top[j] = top[j] > SPECIAL ? 0 : top[j];
    }
    /* cut and add */
    double scale[TENSOR_N];
    for (int j = 0; j < g->n; j++) {
        scale[j] = power(f - top[j]);
        total[j] = cut(isfinite(sum[j]) ? sum[j] * scale[j] : 0);
    }
    for (int i = 0; i < g->k; i++) {
        const int q = term_of(g, i);
        const double x = g->a->value[q][g->row], *y = g->b->value[q];
        for (int j = 0; j < g->n; j++)
            total[j] += cut(x * y[j] * scale[j]);
    }
    for (int j = 0; j < g->n; j++)
        total[j] *= power(top[j] - f);
    return most;
}

static int add_group_plain(double *total, int *top, const float *sum,
                           const struct Group *g)
{
    return add_group(total, top, sum, g);
}

WIDE static int add_group_wide(double *total, int *top, const float *sum,
                               const struct Group *g)
{
    return add_group(total, top, sum, g);
}

/* add what is not finite */
static double number(const struct Factors *f, int q, int j)
{
    switch (f->exponent[q][j]) {
    case TENSOR_PLUS: return INFINITY;
    case TENSOR_MINUS: return -INFINITY;
    case TENSOR_NAN: return NAN;
    default: return f->value[q][j];
    }
}

static void add_special(double *total, const float *sum,
                        const struct Group *g)
{
    for (int j = 0; j < g->n; j++) {
        double x = sum[j];
        for (int i = 0; i < g->k; i++) {
            int q = term_of(g, i);
            x += number(g->a, q, g->row) * number(g->b, q, j);
        }
        if (!isfinite(x))
            total[j] = x;
    }
}

/* add all groups */
static float finish(double x, int digits)
{
    if (x != x)
        return __builtin_nanf("0x3fffff");
    if (fabs(x) < 0x1p-126) {
        double unit = ldexp(1, digits - 1 + 126);
        return (float)(trunc(x * unit) / unit);
    }
    return shorten(x, digits);
}

void tensor_add(float *sum, int n, int k, const struct Factors *a, int row,
                const struct Factors *b, struct TensorRule rule, bool half)
{
    double total[TENSOR_N];
    float old[TENSOR_N];
    int top[TENSOR_N], step = k < rule.group ? k : rule.group;
    for (int j = 0; rule.pairs && j < n; j++) {
        old[j] = sum[j];
        sum[j] = 0;
    }
    for (int first = 0; first < k; first += step) {
        struct Group g = { n, step, row, a, b, first, half, rule };
        int most = wide_lanes() ? add_group_wide(total, top, sum, &g)
                                : add_group_plain(total, top, sum, &g);
        if (most > SPECIAL)
            add_special(total, sum, &g);
        for (int j = 0; j < n; j++)
            sum[j] = 0 + (half ? float_from_half(half_from_double(total[j]))
                               : finish(total[j], rule.digits));
    }
    for (int j = 0; rule.pairs && j < n; j++)
        sum[j] = one_nan(sum[j] + old[j]);
}

/* add integers */
void tensor_add_integers(int32_t *sum, int n, int k,
                         const struct Factors *a, int row,
                         const struct Factors *b, bool saturate)
{
    for (int j = 0; j < n; j++) {
        int64_t x = sum[j];
        for (int q = 0; q < k; q++)
            x += (int32_t)a->value[q][row] * (int32_t)b->value[q][j];
        if (saturate)
            x = x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
        sum[j] = (int32_t)(uint32_t)x;
    }
}
