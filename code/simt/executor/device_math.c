/* Tangled from chapters/workshop/simt-runtime.nw, "Arithmetic that is the same everywhere".  Edit it there. */

#include "simt/executor/device_math.h"

#include <math.h>
#include <string.h>

/* bits of floats and doubles */
static inline uint32_t bits_of(float x)
{
    uint32_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static inline float float_of(uint32_t b)
{
    float x;
    memcpy(&x, &b, sizeof x);
    return x;
}

static inline uint64_t bits_of_double(double x)
{
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static inline double double_of(uint64_t b)
{
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

#define THE_NAN float_of(0x7fffffffu)   /* every NaN of the hardware */

/* The nearest whole number, for |x| < 2^51. */
static inline double nearest(double x)
{
    const double magic = 6755399441055744.0;        /* 1.5 2^52 */
    return (x + magic) - magic;
}

/* powers of two and logarithms */
/* 2^x for |x| < 1000, to a relative 1e-11 */
static double ex2_double(double x)
{
    double n = nearest(x), f = x - n;
    double p = 1.0178086009239696e-07;          /* ln(2)^9 / 9! */
    p = p * f + 1.3215486790144305e-06;
    p = p * f + 1.5252733804059838e-05;
    p = p * f + 0.00015403530393381606;
    p = p * f + 0.0013333558146428441;
    p = p * f + 0.0096181291076284769;
    p = p * f + 0.055504108664821576;
    p = p * f + 0.24022650695910069;
    p = p * f + 0.69314718055994529;
    p = p * f + 1.0;
    return p * double_of((uint64_t)((int64_t)n + 1023) << 52);
}

float simt_ex2(float x)
{
    if (x != x)
        return THE_NAN;
    if (x >= 128.0f)
        return INFINITY;
    return x < -151.0f ? 0.0f : (float)ex2_double(x);
}

float simt_lg2(float x)
{
    if (!(x >= 0.0f))
        return THE_NAN;
    if (x == 0.0f)
        return -INFINITY;
    if (x == INFINITY)
        return x;
    const uint64_t root = 0x3fe6a09e667f3bcd;       /* sqrt(1/2) */
    uint64_t b = bits_of_double(x) - root;
    int64_t e = (int64_t)b >> 52;
    double m = double_of((b & 0xfffffffffffff) + root);
    double s = (m - 1) / (m + 1), q = s * s;
    double p = 1.0 / 15;
    p = p * q + 1.0 / 13;
    p = p * q + 1.0 / 11;
    p = p * q + 1.0 / 9;
    p = p * q + 1.0 / 7;
    p = p * q + 1.0 / 5;
    p = p * q + 1.0 / 3;
    p = p * q + 1.0;
    return (float)((double)e + 2.8853900817779268 * s * p);
}

/* roots */
float simt_rcp(float x)
{
    return x != x ? THE_NAN : 1.0f / x;
}

float simt_sqrt(float x)
{
    return x != x || x < 0.0f ? THE_NAN : sqrtf(x);
}

float simt_rsqrt(float x)
{
    return x != x || x < 0.0f ? THE_NAN : (float)(1.0 / sqrt(x));
}

/* sine and cosine of any float */
/* x = quarter * pi/2 + r with |r| <= pi/4; only quarter % 4 is returned */
static unsigned reduce(float x, double *r)
{
    static const uint64_t two_over_pi[] = {
        0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
        0xdb6295993c439041, 0xfe5163abdebbc561,
    };
    if (fabsf(x) < 1048576.0f) {
        double n = nearest(x * 0.63661977236758138);
        *r = (x - n * 1.5707963267341256) - n * 6.0771005065061922e-11;
        return (unsigned)(int)n;
    }
    uint32_t b = bits_of(x);
    uint64_t m = (b & 0x7fffff) | 0x800000;
    int e = (int)(b >> 23 & 0xff) - 150 - 1;    /* first digit we need */
    unsigned __int128 window = 0;
    for (int i = 0; i < 128; i++) {
        int digit = e - 1 + i;
        if (digit >= 0)
            window |= (unsigned __int128)(two_over_pi[digit / 64] >>
                      (63 - digit % 64) & 1) << (127 - i);
    }
    unsigned __int128 turn = m * window;
    unsigned quarter = (unsigned)((turn + ((unsigned __int128)1 << 125))
                                  >> 126);
    __int128 angle = (__int128)(turn - ((unsigned __int128)quarter << 126));
    *r = (double)angle * 0x1p-126 * 1.5707963267948966;
    if (b >> 31) {
        *r = -*r;
        quarter = 0u - quarter;
    }
    return quarter;
}

static double sine(double r)
{
    double q = r * r, p = -7.6471637318198165e-13;      /* -1/15! */
    p = p * q + 1.6059043836821613e-10;
    p = p * q - 2.505210838544172e-08;
    p = p * q + 2.7557319223985893e-06;
    p = p * q - 0.00019841269841269841;
    p = p * q + 0.0083333333333333332;
    p = p * q - 0.16666666666666666;
    return r * (1 + q * p);
}

static double cosine(double r)
{
    double q = r * r, p = 4.7794773323873853e-14;       /* 1/16! */
    p = p * q - 1.1470745597729725e-11;
    p = p * q + 2.08767569878681e-09;
    p = p * q - 2.7557319223985888e-07;
    p = p * q + 2.4801587301587302e-05;
    p = p * q - 0.0013888888888888889;
    p = p * q + 0.041666666666666664;
    p = p * q - 0.5;
    return 1 + q * p;
}

static float turned(float x, unsigned by)
{
    double r;
    if (!(fabsf(x) < INFINITY))
        return THE_NAN;
    unsigned quarter = reduce(x, &r) + by;
    double y = quarter & 1 ? cosine(r) : sine(r);
    return (float)(quarter & 2 ? -y : y);
}

float simt_sin(float x) { return turned(x, 0); }
float simt_cos(float x) { return turned(x, 1); }

/* tanh */
float simt_tanh(float x)
{
    if (x != x)
        return THE_NAN;
    double a = fabs((double)x);
    if (a < 0.03) {
        double q = a * a;
        return (float)(x * (1 + q * (-1.0 / 3 + q * (2.0 / 15 +
                                                     q * (-17.0 / 315)))));
    }
    if (a > 10)                     /* 1 - 4e-9 rounds to 1 */
        return x > 0 ? 1.0f : -1.0f;
    double e = ex2_double(2.8853900817779268 * a);
    return (float)copysign((e - 1) / (e + 1), x);
}

/* half, bfloat16, tf32 */
/* x cut to a float, the last bit set if anything was cut off: a second
 * rounding, to 16 bits, then rounds as if it had seen x */
static float odd(double x)
{
    float f = (float)x;
    if ((double)f == x || x != x || fabs((double)f) == INFINITY)
        return f;
    uint32_t b = bits_of(f);
    if (fabs((double)f) > fabs(x))
        b--;                                /* towards zero */
    return float_of(b | 1);
}

uint16_t bf16_from_float(float x)
{
    uint32_t b = bits_of(x);
    if (x != x)
        return 0x7fff;
    return (uint16_t)((b + 0x7fff + (b >> 16 & 1)) >> 16);
}

uint16_t bf16_from_double(double x) { return bf16_from_float(odd(x)); }

float float_from_bf16(uint16_t b)
{
    return float_of((uint32_t)b << 16);
}

uint16_t half_from_float(float x)
{
    uint32_t b = bits_of(x), sign = b >> 16 & 0x8000;
    b &= 0x7fffffff;
    if (b > 0x7f800000)
        return 0x7fff;
    if (b >= 0x477ff000)                    /* 65520: past the middle */
        return (uint16_t)(sign | 0x7c00);   /* of 65504 and the next  */
    if (b < 0x38800000)                     /* 2^-14 */
        b = bits_of(float_of(b) + 0.5f) - 0x3f000000;
    else
        b = (b - 0x38000000 + 0xfff + (b >> 13 & 1)) >> 13;
    return (uint16_t)(sign | b);
}

uint16_t half_from_double(double x) { return half_from_float(odd(x)); }

float float_from_half(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, b = h & 0x7fff;
    if (b >= 0x7c00)
        return float_of(sign | 0x7f800000 | (b & 0x3ff) << 13);
    float x = b < 0x400 ? (float)b * 0x1p-24f
                        : float_of((b << 13) + 0x38000000);
    return float_of(bits_of(x) | sign);
}

float tf32_round(float x)
{
    return x != x ? THE_NAN : float_of((bits_of(x) + 0x1000) & ~0x1fffu);
}
