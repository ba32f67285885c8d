/* Tangled from chapters/workshop/simt-runtime.nw, "Numbers in a kernel".  Edit it there. */

#ifndef SIMT_NUMBERS_H
#define SIMT_NUMBERS_H

/* the bits of a number */
#define SIMT_BITS(name, T, F) \
    SIMT_DEVICE T name(F x) { return __builtin_bit_cast(T, x); }
SIMT_BITS(__float_as_int, int, float)
SIMT_BITS(__float_as_uint, unsigned, float)
SIMT_BITS(__int_as_float, float, int)
SIMT_BITS(__uint_as_float, float, unsigned)
SIMT_BITS(__double_as_longlong, long long, double)
SIMT_BITS(__longlong_as_double, double, long long)

SIMT_DEVICE int __float2int_rn(float x) { return __nvvm_f2i_rn(x); }
SIMT_DEVICE int __float2int_rz(float x) { return __nvvm_f2i_rz(x); }
SIMT_DEVICE int __float2int_rd(float x) { return __nvvm_f2i_rm(x); }
SIMT_DEVICE int __float2int_ru(float x) { return __nvvm_f2i_rp(x); }
SIMT_DEVICE unsigned __float2uint_rn(float x) { return __nvvm_f2ui_rn(x); }
SIMT_DEVICE unsigned __float2uint_rz(float x) { return __nvvm_f2ui_rz(x); }
SIMT_DEVICE float __int2float_rn(int x) { return (float)x; }
SIMT_DEVICE float __uint2float_rn(unsigned x) { return (float)x; }

/* functions that are one instruction */
SIMT_DEVICE float fmaf(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
SIMT_DEVICE double fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
SIMT_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
SIMT_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
SIMT_DEVICE double fmax(double a, double b) { return __builtin_fmax(a, b); }
SIMT_DEVICE double fmin(double a, double b) { return __builtin_fmin(a, b); }
SIMT_DEVICE float fabsf(float x) { return __builtin_fabsf(x); }
SIMT_DEVICE double fabs(double x) { return __builtin_fabs(x); }
SIMT_DEVICE float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
SIMT_DEVICE double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
SIMT_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
SIMT_DEVICE float floorf(float x) { return __builtin_floorf(x); }
SIMT_DEVICE float ceilf(float x) { return __builtin_ceilf(x); }
SIMT_DEVICE float truncf(float x) { return __builtin_truncf(x); }
SIMT_DEVICE float rintf(float x) { return __builtin_nearbyintf(x); }
SIMT_DEVICE float nearbyintf(float x) { return rintf(x); }
SIMT_DEVICE float roundf(float x)
{
    float t = truncf(x);                /* halves go away from zero */
    return fabsf(x - t) >= 0.5f ? t + __builtin_copysignf(1, x) : t;
}
SIMT_DEVICE double floor(double x) { return __builtin_floor(x); }
SIMT_DEVICE double ceil(double x) { return __builtin_ceil(x); }
SIMT_DEVICE double trunc(double x) { return __builtin_trunc(x); }
SIMT_DEVICE float copysignf(float x, float sign)
{
    return __builtin_copysignf(x, sign);
}
SIMT_DEVICE float __fdividef(float a, float b)
{
    return __nvvm_div_approx_f(a, b);
}
SIMT_DEVICE float __fdiv_rn(float a, float b)
{
    return __nvvm_div_rn_f(a, b);
}
SIMT_DEVICE float __frcp_rn(float x) { return __nvvm_rcp_rn_f(x); }
SIMT_DEVICE float __fsqrt_rn(float x) { return __nvvm_sqrt_rn_f(x); }
SIMT_DEVICE float __frsqrt_rn(float x) { return rsqrtf(x); }
SIMT_DEVICE float __fadd_rn(float a, float b)
{
    return __nvvm_add_rn_f(a, b);
}
SIMT_DEVICE float __fmul_rn(float a, float b)
{
    return __nvvm_mul_rn_f(a, b);
}
SIMT_DEVICE float __fmaf_rn(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
SIMT_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }

/* exponentials and logarithms */
SIMT_DEVICE float simt_ex2(float x) { return __nvvm_ex2_approx_f(x); }
SIMT_DEVICE float simt_lg2(float x) { return __nvvm_lg2_approx_f(x); }

SIMT_DEVICE float __expf(float x)
{
    return simt_ex2(x * 1.44269504f);
}
SIMT_DEVICE float __exp10f(float x)
{
    return simt_ex2(x * 3.32192809f);
}
SIMT_DEVICE float __log2f(float x) { return simt_lg2(x); }
SIMT_DEVICE float __logf(float x)
{
    return simt_lg2(x) * 0.693147181f;
}
SIMT_DEVICE float __log10f(float x)
{
    return simt_lg2(x) * 0.301029996f;
}
SIMT_DEVICE float __powf(float x, float y)
{
    return simt_ex2(y * simt_lg2(x));
}

SIMT_DEVICE float exp2f(float x) { return simt_ex2(x); }
/* x 2^n for n in [-150, 129], in two steps: 2^n may be out of range */
SIMT_DEVICE float simt_scale(float x, int n)
{
    int half = n >> 1;
    x = x * __int_as_float((half + 127) << 23);
    return x * __int_as_float((n - half + 127) << 23);
}
SIMT_DEVICE float expf(float x)
{
    x = x < -104.0f ? -104.0f : x > 89.0f ? 89.0f : x;
    float n = rintf(x * 1.44269504f);
    float f = fmaf(x, 1.44269502f, -n);         /* log2(e), its head */
    f = fmaf(x, 1.92596303e-8f, f);             /* and its tail      */
    return simt_scale(simt_ex2(f), __float2int_rn(n));
}
SIMT_DEVICE float expm1f(float x)
{
    float y = expf(x) - 1.0f;
    float p = fmaf(x, 1.98412698e-4f, 1.38888889e-3f);
    p = fmaf(x, p, 8.33333333e-3f);
    p = fmaf(x, p, 4.16666667e-2f);
    p = fmaf(x, p, 1.66666667e-1f);
    p = fmaf(x, p, 0.5f);
    return fabsf(x) < 0.35f ? fmaf(x * x, p, x) : y;
}
SIMT_DEVICE float log2f(float x) { return simt_lg2(x); }
SIMT_DEVICE float logf(float x)
{
    return simt_lg2(x) * 0.693147181f;
}
SIMT_DEVICE float log10f(float x)
{
    return simt_lg2(x) * 0.301029996f;
}
SIMT_DEVICE float log1pf(float x)
{
    float u = 1.0f + x;                 /* Kahan: log(u) x / (u - 1) */
    return u == 1.0f || u > 3e38f ? (u == 1.0f ? x : logf(u))
                                  : logf(u) * (x / (u - 1.0f));
}

/* log2 of a positive finite float, to 2e-12, in double. */
SIMT_DEVICE double simt_log2_double(float x)
{
    float big = x < 1.17549435e-38f ? x * 16777216.0f : x;
    int bits = __float_as_int(big) - 0x3f3504f3;        /* sqrt(1/2) */
    int e = bits >> 23;
    double m = (double)__int_as_float((bits & 0x7fffff) + 0x3f3504f3);
    double s = (m - 1) / (m + 1), q = s * s;
    double p = fma(q, 1.0 / 13, 1.0 / 11);
    p = fma(q, p, 1.0 / 9);
    p = fma(q, p, 1.0 / 7);
    p = fma(q, p, 1.0 / 5);
    p = fma(q, p, 1.0 / 3);
    p = fma(q, p, 1.0);
    return e - (big != x ? 24 : 0) + 2.8853900817779268 * s * p;
}

SIMT_DEVICE float powf(float x, float y)
{
    const float inf = __builtin_inff();
    float a = fabsf(x);
    bool whole = truncf(y) == y;
    bool odd = whole && fabsf(y) < 16777216.0f && (__float2int_rz(y) & 1);
    float r;
    if (x == 1.0f || y == 0.0f)
        return 1.0f;
    if (!(a < inf) || !(fabsf(y) < inf) || a == 0.0f) {
        if (x != x || y != y)
            return x + y;
        if (a == 1.0f)                          /* (-1) to infinity */
            return 1.0f;
        r = (a > 1.0f) == (y > 0.0f) ? inf : 0.0f;
    } else {
        double t = (double)y * simt_log2_double(a);
        t = fmin(fmax(t, -150.0), 129.0);
        double n = __builtin_nearbyint(t);
        r = simt_scale(simt_ex2((float)(t - n)), __float2int_rn((float)n));
    }
    if (x < 0.0f && !whole && a < inf)
        return __builtin_nanf("");
    return __float_as_int(x) < 0 && odd ? -r : r;
}

/* sines, tanh and erf */
SIMT_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
SIMT_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
SIMT_DEVICE float __tanf(float x) { return __sinf(x) / __cosf(x); }
SIMT_DEVICE void __sincosf(float x, float *s, float *c)
{
    *s = __sinf(x);
    *c = __cosf(x);
}

SIMT_DEVICE float sinf(float x) { return __sinf(x); }
SIMT_DEVICE float cosf(float x) { return __cosf(x); }
SIMT_DEVICE float tanf(float x) { return __tanf(x); }
SIMT_DEVICE void sincosf(float x, float *s, float *c)
{
    __sincosf(x, s, c);
}

SIMT_DEVICE float tanhf(float x)
{
    float a = fabsf(x), q = x * x;
    float p = fmaf(q, -6.61022784e-3f, 2.13093887e-2f);
    p = fmaf(q, p, -5.39094288e-2f);
    p = fmaf(q, p, 0.133331137f);
    p = fmaf(q, p, -0.33333332f);
    float small = fmaf(q * x, p, x);
    float e = expf(2.0f * fminf(a, 20.0f));
    float large = copysignf(1.0f - 2.0f / (e + 1.0f), x);
    return a < 0.55f ? small : x == x ? large : x;
}
SIMT_DEVICE float erff(float x)
{
    float a = fabsf(x), q = x * x;
    float p = fmaf(q, 8.20235898e-5f, -7.38369116e-4f);
    p = fmaf(q, p, 4.62259832e-3f);
    p = fmaf(q, p, -2.38083475e-2f);
    p = fmaf(q, p, 9.99999276e-2f);
    p = fmaf(q, p, -0.333333333f);
    float small = x * fmaf(q, p, 1.0f) * 1.12837917f;
    float t = 1.0f / fmaf(0.3275911f, a, 1.0f);
    float s = fmaf(t, 1.061405429f, -1.453152027f);
    s = fmaf(t, s, 1.421413741f);
    s = fmaf(t, s, -0.284496736f);
    s = fmaf(t, s, 0.254829592f);
    float large = copysignf(1.0f - s * t * expf(-a * a), x);
    return a < 0.85f ? small : large;
}

/* remainder, cube root, hypotenuse */
SIMT_DEVICE float fmodf(float x, float y)
{
    float a = fabsf(x), b = fabsf(y), c = b;
    if (!(a < __builtin_inff()) || !(b > 0.0f))
        return x != x || y != y ? x + y : __builtin_nanf("");
    if (a < b)
        return x;
    while (c + c <= a)
        c += c;
    for (; c >= b; c *= 0.5f)
        a -= a >= c ? c : 0.0f;
    return copysignf(a, x);
}
SIMT_DEVICE float cbrtf(float x)
{
    float a = fabsf(x);
    if (!(a < __builtin_inff()) || a == 0.0f)
        return x;
    double t = simt_log2_double(a) * (1.0 / 3);
    double n = __builtin_nearbyint(t);
    float r = simt_scale(simt_ex2((float)(t - n)),
                         __float2int_rn((float)n));
    return copysignf(r, x);
}
SIMT_DEVICE float hypotf(float x, float y)
{
    x = fabsf(x), y = fabsf(y);
    float a = fmaxf(x, y), r = fminf(x, y) / a;
    if (a == __builtin_inff() || a == 0.0f)
        return a;
    return x != x || y != y ? x + y : a * sqrtf(fmaf(r, r, 1.0f));
}

/* other names for the same functions */
#define SIMT_BOTH_NAMES(name)                                           \
    SIMT_DEVICE float name(float x) { return name##f(x); }
SIMT_BOTH_NAMES(exp)
SIMT_BOTH_NAMES(exp2)
SIMT_BOTH_NAMES(expm1)
SIMT_BOTH_NAMES(log)
SIMT_BOTH_NAMES(log2)
SIMT_BOTH_NAMES(log10)
SIMT_BOTH_NAMES(log1p)
SIMT_BOTH_NAMES(sin)
SIMT_BOTH_NAMES(cos)
SIMT_BOTH_NAMES(tan)
SIMT_BOTH_NAMES(tanh)
SIMT_BOTH_NAMES(erf)
SIMT_DEVICE float pow(float x, float y) { return powf(x, y); }
SIMT_DEVICE float sqrt(float x) { return sqrtf(x); }
SIMT_DEVICE float rsqrt(float x) { return rsqrtf(x); }
SIMT_DEVICE float fabs(float x) { return fabsf(x); }
SIMT_DEVICE float floor(float x) { return floorf(x); }
SIMT_DEVICE float ceil(float x) { return ceilf(x); }
SIMT_DEVICE float fma(float a, float b, float c) { return fmaf(a, b, c); }

#define SIMT_MINMAX(T)                                                  \
    SIMT_BOTH T min(T a, T b) { return b < a ? b : a; }                 \
    SIMT_BOTH T max(T a, T b) { return a < b ? b : a; }
SIMT_MINMAX(int)
SIMT_MINMAX(unsigned)
SIMT_MINMAX(long)
SIMT_MINMAX(unsigned long)
SIMT_MINMAX(long long)
SIMT_MINMAX(unsigned long long)
SIMT_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
SIMT_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
SIMT_BOTH double min(double a, double b) { return __builtin_fmin(a, b); }
SIMT_BOTH double max(double a, double b) { return __builtin_fmax(a, b); }

/* Of two types, as CUDA has them: both become the first. */
#define SIMT_MINMAX_MIXED(T, U)                                         \
    SIMT_BOTH T min(T a, U b) { return min(a, (T)b); }                  \
    SIMT_BOTH T min(U a, T b) { return min((T)a, b); }                  \
    SIMT_BOTH T max(T a, U b) { return max(a, (T)b); }                  \
    SIMT_BOTH T max(U a, T b) { return max((T)a, b); }
SIMT_MINMAX_MIXED(unsigned, int)
SIMT_MINMAX_MIXED(unsigned long, long)
SIMT_MINMAX_MIXED(unsigned long long, long long)
SIMT_MINMAX_MIXED(double, float)
SIMT_BOTH unsigned umin(unsigned a, unsigned b) { return min(a, b); }
SIMT_BOTH unsigned umax(unsigned a, unsigned b) { return max(a, b); }
SIMT_BOTH long long llmin(long long a, long long b) { return min(a, b); }
SIMT_BOTH long long llmax(long long a, long long b) { return max(a, b); }

#endif
