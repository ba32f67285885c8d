/* Tangled from chapters/workshop/foreign-programs.nw, "Double precision".  Edit it there. */

#ifndef SIMT_DOUBLE_H
#define SIMT_DOUBLE_H

/* the parts of a double */
SIMT_DEVICE double simt_double(unsigned long long bits)
{
    return __builtin_bit_cast(double, bits);
}
SIMT_DEVICE unsigned long long simt_bits(double x)
{
    return __builtin_bit_cast(unsigned long long, x);
}
SIMT_DEVICE double copysign(double x, double sign)
{
    return __builtin_copysign(x, sign);
}
SIMT_DEVICE double rint(double x) { return __builtin_nearbyint(x); }
SIMT_DEVICE double nearbyint(double x) { return __builtin_nearbyint(x); }

/* x 2^n, in two steps: 2^n may be out of range */
SIMT_DEVICE double ldexp(double x, int n)
{
    n = n < -2100 ? -2100 : n > 2100 ? 2100 : n;
    int a = n < -1000 ? -1000 : n > 1000 ? 1000 : n;
    int b = n - a < -1000 ? -1000 : n - a > 1000 ? 1000 : n - a;
    x = x * simt_double((unsigned long long)(a + 1023) << 52);
    x = x * simt_double((unsigned long long)(b + 1023) << 52);
    return x * simt_double((unsigned long long)(n - a - b + 1023) << 52);
}

/* x = m 2^e with m in [1/2, 1) */
SIMT_DEVICE double frexp(double x, int *e)
{
    if (x == 0.0 || !(__builtin_fabs(x) < __builtin_inf())) {
        *e = 0;
        return x;
    }
    bool tiny = __builtin_fabs(x) < 2.2250738585072014e-308;
    unsigned long long b = simt_bits(tiny ? x * 18014398509481984.0 : x);
    *e = (int)(b >> 52 & 2047) - 1022 - (tiny ? 54 : 0);
    return simt_double((b & ~(2047ull << 52)) | 1022ull << 52);
}

/* exponentials of doubles */
SIMT_DEVICE double simt_expm1_small(double r)       /* |r| < 0.36 */
{
    double p = 1.0 / 87178291200.0;
    const double c[] = { 1.0 / 6227020800.0, 1.0 / 479001600.0,
        1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0,
        1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0,
        0.5 };
    _Pragma("unroll") for (double ck : c)
        p = fma(p, r, ck);
    return fma(p * r, r, r);
}
SIMT_DEVICE double simt_exp_times(double x, double tail)  /* e^(x+tail) */
{
    if (!(x < 800.0 && x > -800.0))
        return x != x ? x : x > 0 ? __builtin_inf() : 0.0;
    double n = rint(x * 1.4426950408889634);
    double r = fma(n, -0.6931467056274414, x);
    r = fma(n, -4.7493250390316726e-07, r) + tail;
    return ldexp(1.0 + simt_expm1_small(r), (int)n);
}
SIMT_DEVICE double exp(double x) { return simt_exp_times(x, 0.0); }
SIMT_DEVICE double exp2(double x)
{
    if (!(x < 1100.0 && x > -1100.0))
        return x != x ? x : x > 0 ? __builtin_inf() : 0.0;
    double n = rint(x), r = (x - n) * 0.6931471805599453;
    return ldexp(1.0 + simt_expm1_small(r), (int)n);
}
SIMT_DEVICE double exp10(double x)
{
    double high = x * 2.302585092994046;
    double low = fma(x, 2.302585092994046, -high);
    return simt_exp_times(high, fma(x, -2.1707562233822494e-16, low));
}
SIMT_DEVICE double expm1(double x)
{
    return __builtin_fabs(x) < 0.35 ? simt_expm1_small(x) : exp(x) - 1.0;
}

/* logarithms of doubles */
/* ln x = *high + *low, for a positive finite x */
SIMT_DEVICE void simt_log(double x, double *high, double *low)
{
    int e;
    double m = frexp(x, &e);
    if (m < 0.70710678118654752) {
        m = 2.0 * m;
        e--;
    }
    double t = m + 1.0, f = m - 1.0, s = f / t;
    double rest = fma(-s, t, f) - s * (m - (t - 1.0));
    double q = s * s, p = 1.0 / 23;
    const double c[] = { 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
        1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3 };
    _Pragma("unroll") for (double ck : c)
        p = fma(p, q, ck);
    double a = e * 0.6931467056274414, b = 2.0 * s;
    double sum = a + b, err = e ? b - (sum - a) : 0.0;
    err += fma((double)e, 4.7493250390316726e-07,
               2.0 * (rest / t + s * q * p));
    *high = sum + err;
    *low = err - (*high - sum);
}
SIMT_DEVICE double log(double x)
{
    double high, low;
    if (!(x > 0.0) || x == __builtin_inf())
        return x == 0.0 ? -__builtin_inf() : x > 0.0 || x != x ? x
               : __builtin_nan("");
    simt_log(x, &high, &low);
    return high + low;
}

SIMT_DEVICE double log2(double x)
{
    double high, low;
    if (!(x > 0.0) || x == __builtin_inf())
        return log(x);
    simt_log(x, &high, &low);
    double p = high * 1.4426950408889634;
    double r = fma(high, 1.4426950408889634, -p);
    return p + (r + fma(low, 1.4426950408889634,
                        high * 2.0355273740931033e-17));
}
SIMT_DEVICE double log10(double x)
{
    double high, low;
    if (!(x > 0.0) || x == __builtin_inf())
        return log(x);
    simt_log(x, &high, &low);
    double p = high * 0.4342944819032518;
    double r = fma(high, 0.4342944819032518, -p);
    return p + (r + fma(low, 0.4342944819032518,
                        high * 1.098319650216765e-17));
}
SIMT_DEVICE double log1p(double x)
{
    double u = 1.0 + x;
    if (!(u > 0.0) || u == __builtin_inf())
        return log(u);
    return u == 1.0 ? x : log(u) + (x - (u - 1.0)) / u;
}
SIMT_DEVICE double logb(double x)
{
    int e;
    frexp(x, &e);
    return x == 0.0 ? -__builtin_inf() : e - 1.0;
}
SIMT_DEVICE int ilogb(double x) { return (int)logb(x); }

/* powers of doubles */
SIMT_DEVICE double pow(double x, double y)
{
    const double inf = __builtin_inf();
    double a = __builtin_fabs(x), high, low, r;
    bool whole = __builtin_trunc(y) == y;
    bool odd = whole && __builtin_fabs(y) < 9007199254740992.0 &&
               __builtin_trunc(y * 0.5) * 2.0 != y;
    if (x == 1.0 || y == 0.0)
        return 1.0;
    if (!(a < inf) || !(__builtin_fabs(y) < inf) || a == 0.0) {
        if (x != x || y != y)
            return x + y;
        if (a == 1.0)
            return 1.0;
        r = (a > 1.0) == (y > 0.0) ? inf : 0.0;
    } else {
        simt_log(a, &high, &low);
        double p = y * high;
        r = simt_exp_times(p, fma(y, high, -p) + y * low);
    }
    if (x < 0.0 && !whole && a < inf)
        return __builtin_nan("");
    return (simt_bits(x) >> 63) && odd ? -r : r;
}
SIMT_DEVICE double rsqrt(double x) { return 1.0 / sqrt(x); }
SIMT_DEVICE double cbrt(double x)
{
    double a = __builtin_fabs(x), high, low;
    if (!(a < __builtin_inf()) || a == 0.0)
        return x;
    simt_log(a, &high, &low);
    double r = exp(high / 3.0);
    r = r - (r * r * r - a) / (3.0 * r * r);
    return copysign(r, x);
}
SIMT_DEVICE double rcbrt(double x) { return 1.0 / cbrt(x); }
SIMT_DEVICE double hypot(double x, double y)
{
    double a = __builtin_fabs(x), b = __builtin_fabs(y);
    double m = a < b ? b : a, r = (a < b ? a : b) / m;
    if (m == __builtin_inf() || m == 0.0)
        return m;
    return x != x || y != y ? x + y : m * sqrt(fma(r, r, 1.0));
}
SIMT_DEVICE double rhypot(double x, double y) { return 1.0 / hypot(x, y); }

/* sines of doubles */
SIMT_DEVICE int simt_quarter(double x, double *r)
{
    double n = rint(x * 0.63661977236758134);
    *r = fma(n, -1.5707963267948966, x);
    *r = fma(n, -6.123233995736766e-17, *r);
    *r = fma(n, 1.4973849048591698e-33, *r);
    return (int)((long long)n & 3);
}
SIMT_DEVICE double simt_sin_series(double r)
{
    const double c[] = { -1.0 / 1307674368000.0, 1.0 / 6227020800.0,
        -1.0 / 39916800.0, 1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0,
        -1.0 / 6.0 };
    double q = r * r, p = 1.0 / 355687428096000.0;
    _Pragma("unroll") for (double ck : c)
        p = fma(p, q, ck);
    return fma(p * q, r, r);
}
SIMT_DEVICE double simt_cos_series(double r)
{
    const double c[] = { -1.0 / 87178291200.0, 1.0 / 479001600.0,
        -1.0 / 3628800.0, 1.0 / 40320.0, -1.0 / 720.0, 1.0 / 24.0, -0.5 };
    double q = r * r, p = 1.0 / 20922789888000.0;
    _Pragma("unroll") for (double ck : c)
        p = fma(p, q, ck);
    return fma(p, q, 1.0);
}
SIMT_DEVICE void sincos(double x, double *s, double *c)
{
    double r;
    if (!(__builtin_fabs(x) < __builtin_inf())) {
        *s = *c = __builtin_nan("");
        return;
    }
    int n = simt_quarter(x, &r);
    double a = simt_sin_series(r), b = simt_cos_series(r);
    *s = n & 1 ? b : a;
    *c = n & 1 ? a : b;
    *s = n & 2 ? -*s : *s;
    *c = (n + 1) & 2 ? -*c : *c;
}

SIMT_DEVICE double sin(double x)
{
    double s, c;
    sincos(x, &s, &c);
    return s;
}
SIMT_DEVICE double cos(double x)
{
    double s, c;
    sincos(x, &s, &c);
    return c;
}
SIMT_DEVICE double tan(double x)
{
    double s, c;
    sincos(x, &s, &c);
    return s / c;
}
SIMT_DEVICE void sincospi(double x, double *s, double *c)
{
    x = x - 2.0 * rint(0.5 * x);
    sincos(x * 3.1415926535897931, s, c);
}
SIMT_DEVICE double sinpi(double x)
{
    x = x - 2.0 * rint(0.5 * x);
    return x == 1.0 || x == -1.0 ? 0.0 : sin(x * 3.1415926535897931);
}
SIMT_DEVICE double cospi(double x)
{
    x = x - 2.0 * rint(0.5 * x);
    return cos(x * 3.1415926535897931);
}

/* arcs of doubles */
SIMT_DEVICE double atan(double x)
{
    double a = __builtin_fabs(x), t = a > 1.0 ? 1.0 / a : a;
    t = t / (1.0 + sqrt(fma(t, t, 1.0)));
    t = t / (1.0 + sqrt(fma(t, t, 1.0)));
    double q = t * t, p = 1.0 / 25;
    const double c[] = { -1.0 / 23, 1.0 / 21, -1.0 / 19, 1.0 / 17,
        -1.0 / 15, 1.0 / 13, -1.0 / 11, 1.0 / 9, -1.0 / 7, 1.0 / 5,
        -1.0 / 3 };
    _Pragma("unroll") for (double ck : c)
        p = fma(p, q, ck);
    t = 4.0 * fma(p * q, t, t);
    t = a > 1.0 ? 1.5707963267948966 - (t - 6.123233995736766e-17) : t;
    return x != x ? x : copysign(t, x);
}
SIMT_DEVICE double atan2(double y, double x)
{
    double a = __builtin_fabs(y), b = __builtin_fabs(x), t;
    const double inf = __builtin_inf(), pi = 3.1415926535897931;
    if (x != x || y != y)
        return x + y;
    if (a == 0.0)
        t = 0.0;
    else
        t = a == inf && b == inf ? 0.25 * pi
            : a > b ? 0.5 * pi - atan(b / a) : atan(a / b);
    if (simt_bits(x) >> 63)
        t = pi - t;
    return copysign(t, y);
}
SIMT_DEVICE double asin(double x)
{
    return __builtin_fabs(x) <= 1.0 ? atan2(x, sqrt((1.0 - x) * (1.0 + x)))
                                    : __builtin_nan("");
}
SIMT_DEVICE double acos(double x)
{
    return __builtin_fabs(x) <= 1.0 ? atan2(sqrt((1.0 - x) * (1.0 + x)), x)
                                    : __builtin_nan("");
}

/* hyperbolic functions of doubles */
SIMT_DEVICE double sinh(double x)
{
    double a = __builtin_fabs(x), t = expm1(a);
    double r = a > 700.0 ? exp(0.5 * a) * (0.5 * exp(0.5 * a))
                         : 0.5 * (t + t / (t + 1.0));
    return copysign(r, x);
}
SIMT_DEVICE double cosh(double x)
{
    double a = __builtin_fabs(x), e = exp(0.5 * a);
    return a > 700.0 ? e * (0.5 * e) : 0.5 * (e * e + 1.0 / (e * e));
}
SIMT_DEVICE double tanh(double x)
{
    double a = __builtin_fabs(x);
    double t = expm1(2.0 * (a < 22.0 ? a : 22.0));
    return x != x ? x : copysign(t / (t + 2.0), x);
}
SIMT_DEVICE double asinh(double x)
{
    double a = __builtin_fabs(x), q = a * a;
    double r = a > 1e8 ? log(a) + 0.6931471805599453
                       : log1p(a + q / (1.0 + sqrt(q + 1.0)));
    return copysign(r, x);
}
SIMT_DEVICE double acosh(double x)
{
    return x > 1e8 ? log(x) + 0.6931471805599453
                   : log(x + sqrt((x - 1.0) * (x + 1.0)));
}
SIMT_DEVICE double atanh(double x)
{
    return 0.5 * log1p(2.0 * x / (1.0 - x));
}

/* the error function of doubles */
SIMT_DEVICE double simt_erf_series(double a)
{
    double term = a, sum = a;
    for (int n = 1; n < 120 && term > 1e-17 * sum; n++) {
        term *= 2.0 * a * a / (2 * n + 1);
        sum += term;
    }
    double q = a * a, tail = fma(a, a, -q);
    return 1.1283791670955126 * simt_exp_times(-q, -tail) * sum;
}
SIMT_DEVICE double simt_erfc_fraction(double a)
{
    double t = a;
    for (int n = 60; n > 0; n--)
        t = a + 0.5 * n / t;
    double q = a * a, tail = fma(a, a, -q);
    return 0.56418958354775629 * simt_exp_times(-q, -tail) / t;
}
SIMT_DEVICE double erf(double x)
{
    double a = __builtin_fabs(x);
    if (x != x)
        return x;
    double r = a < 2.0 ? simt_erf_series(a)
               : a < 6.5 ? 1.0 - simt_erfc_fraction(a) : 1.0;
    return copysign(r, x);
}
SIMT_DEVICE double erfc(double x)
{
    if (x != x)
        return x;
    return x < 2.0 ? 1.0 - erf(x) : x < 28.0 ? simt_erfc_fraction(x) : 0.0;
}
SIMT_DEVICE double normcdf(double x)
{
    return 0.5 * erfc(x * -0.70710678118654752);
}

SIMT_DEVICE double erfinv(double y)
{
    if (!(__builtin_fabs(y) < 1.0))
        return y == 1.0 ? __builtin_inf() : y == -1.0 ? -__builtin_inf()
               : __builtin_nan("");
    double l = log((1.0 - y) * (1.0 + y)), h = 4.3307467508 + 0.5 * l;
    double x = copysign(sqrt(sqrt(h * h - 6.8026 * l) - h), y);
    for (int i = 0; i < 4; i++)
        x -= (erf(x) - y) / (1.1283791670955126 * exp(-x * x));
    return x;
}
SIMT_DEVICE double erfcinv(double y) { return erfinv(1.0 - y); }
SIMT_DEVICE double normcdfinv(double p)
{
    return -1.4142135623730951 * erfinv(1.0 - 2.0 * p);
}

/* the gamma function */
/* Stirling's series, from where it is short: x >= 12. */
SIMT_DEVICE double simt_stirling(double x)
{
    double q = 1.0 / (x * x);
    double p = fma(q, 1.0 / 156, -691.0 / 360360);
    p = fma(p, q, 1.0 / 1188);
    p = fma(p, q, -1.0 / 1680);
    p = fma(p, q, 1.0 / 1260);
    p = fma(p, q, -1.0 / 360);
    p = fma(p, q, 1.0 / 12);
    return (x - 0.5) * log(x) - x + 0.91893853320467274 + p / x;
}
SIMT_DEVICE double lgamma(double x)
{
    double product = 1.0, y = __builtin_fabs(x);
    if (x <= 0.0 && __builtin_floor(x) == x)
        return __builtin_inf();
    for (; y < 12.0; y += 1.0)
        product *= y;
    double r = simt_stirling(y) - log(product);
    return x > 0.0 ? r
           : log(3.1415926535897931 / __builtin_fabs(x * sinpi(x))) - r;
}
SIMT_DEVICE double tgamma(double x)
{
    double product = 1.0;
    if (x == 0.0)
        return 1.0 / x;
    if (x <= 0.0 && __builtin_floor(x) == x)
        return __builtin_nan("");
    for (; x < 12.0; x += 1.0)
        product *= x;
    return exp(simt_stirling(x)) / product;
}

/* whole numbers from doubles */
SIMT_DEVICE double round(double x)
{
    double t = __builtin_trunc(x);
    return __builtin_fabs(x - t) >= 0.5 ? t + copysign(1.0, x) : t;
}
SIMT_DEVICE long lround(double x) { return (long)round(x); }
SIMT_DEVICE long long llround(double x) { return (long long)round(x); }
SIMT_DEVICE long lrint(double x) { return (long)rint(x); }
SIMT_DEVICE long long llrint(double x) { return (long long)rint(x); }
SIMT_DEVICE double modf(double x, double *whole)
{
    *whole = __builtin_trunc(x);
    return __builtin_fabs(x) < __builtin_inf() ? copysign(x - *whole, x)
                                               : copysign(0.0, x);
}
SIMT_DEVICE double fdim(double x, double y)
{
    return x <= y ? 0.0 : x - y;
}
SIMT_DEVICE double fmod(double x, double y)
{
    double a = __builtin_fabs(x), b = __builtin_fabs(y), c = b;
    if (!(a < __builtin_inf()) || !(b > 0.0))
        return x != x || y != y ? x + y : __builtin_nan("");
    if (a < b)
        return x;
    while (c + c <= a)
        c += c;
    for (; c >= b; c *= 0.5)
        a -= a >= c ? c : 0.0;
    return copysign(a, x);
}
SIMT_DEVICE double remainder(double x, double y)
{
    double r = fmod(x, 2.0 * y), a = __builtin_fabs(r);
    double b = __builtin_fabs(y);
    a = a > 1.5 * b ? a - 2.0 * b : a > 0.5 * b && a < 1.5 * b ? a - b : a;
    return a * copysign(1.0, r);
}
SIMT_DEVICE double scalbn(double x, int n) { return ldexp(x, n); }

/* the same for floats, through doubles */
#define SIMT_THROUGH(name)                                                \
    SIMT_DEVICE float name##f(float x) { return (float)name((double)x); } \
    SIMT_DEVICE float name(float x) { return (float)name((double)x); }
SIMT_THROUGH(atan)
SIMT_THROUGH(asin)
SIMT_THROUGH(acos)
SIMT_THROUGH(sinh)
SIMT_THROUGH(cosh)
SIMT_THROUGH(asinh)
SIMT_THROUGH(acosh)
SIMT_THROUGH(atanh)
SIMT_THROUGH(exp10)
SIMT_THROUGH(erfc)
SIMT_THROUGH(erfinv)
SIMT_THROUGH(erfcinv)
SIMT_THROUGH(normcdf)
SIMT_THROUGH(normcdfinv)
SIMT_THROUGH(lgamma)
SIMT_THROUGH(tgamma)
SIMT_THROUGH(sinpi)
SIMT_THROUGH(cospi)
SIMT_THROUGH(rcbrt)
SIMT_THROUGH(logb)
#define SIMT_THROUGH2(name)                                               \
    SIMT_DEVICE float name##f(float x, float y)                           \
    {                                                                     \
        return (float)name((double)x, (double)y);                         \
    }                                                                     \
    SIMT_DEVICE float name(float x, float y) { return name##f(x, y); }
SIMT_THROUGH2(atan2)
SIMT_THROUGH2(fdim)
SIMT_THROUGH2(rhypot)
SIMT_THROUGH2(remainder)

SIMT_DEVICE float ldexpf(float x, int n)
{
    return (float)ldexp((double)x, n);
}
SIMT_DEVICE float ldexp(float x, int n) { return ldexpf(x, n); }
SIMT_DEVICE float scalbnf(float x, int n) { return ldexpf(x, n); }
SIMT_DEVICE float frexpf(float x, int *e)
{
    return (float)frexp((double)x, e);
}
SIMT_DEVICE float modff(float x, float *whole)
{
    *whole = truncf(x);
    return fabsf(x) < __builtin_inff() ? copysignf(x - *whole, x)
                                       : copysignf(0.0f, x);
}
SIMT_DEVICE void sincospif(float x, float *s, float *c)
{
    double ds, dc;
    sincospi(x, &ds, &dc);
    *s = (float)ds;
    *c = (float)dc;
}
SIMT_DEVICE void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
SIMT_DEVICE long lroundf(float x) { return (long)roundf(x); }
SIMT_DEVICE long lrintf(float x) { return (long)rintf(x); }
SIMT_DEVICE int ilogbf(float x) { return ilogb((double)x); }
SIMT_DEVICE float norm3df(float x, float y, float z)
{
    return sqrtf(x * x + y * y + z * z);
}
SIMT_DEVICE float rnorm3df(float x, float y, float z)
{
    return rsqrtf(x * x + y * y + z * z);
}

/* intrinsics of doubles */
SIMT_DEVICE double __dadd_rn(double a, double b)
{
    return __nvvm_add_rn_d(a, b);
}
SIMT_DEVICE double __dsub_rn(double a, double b)
{
    return __nvvm_add_rn_d(a, -b);
}
SIMT_DEVICE double __dmul_rn(double a, double b)
{
    return __nvvm_mul_rn_d(a, b);
}
SIMT_DEVICE double __fma_rn(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
SIMT_DEVICE double __ddiv_rn(double a, double b) { return a / b; }
SIMT_DEVICE double __drcp_rn(double x) { return 1.0 / x; }
SIMT_DEVICE double __dsqrt_rn(double x) { return sqrt(x); }
SIMT_DEVICE float __fsub_rn(float a, float b)
{
    return __nvvm_add_rn_f(a, -b);
}
SIMT_DEVICE int __double2hiint(double x)
{
    return (int)(simt_bits(x) >> 32);
}
SIMT_DEVICE int __double2loint(double x) { return (int)simt_bits(x); }
SIMT_DEVICE double __hiloint2double(int high, int low)
{
    return simt_double((unsigned long long)(unsigned)high << 32 |
                       (unsigned)low);
}

#define SIMT_CONVERT(from, F, to, T, rn, rz, rd, ru)                      \
    SIMT_DEVICE T __##from##2##to##_rn(F x) { return (T)rn(x); }          \
    SIMT_DEVICE T __##from##2##to##_rz(F x) { return (T)rz(x); }          \
    SIMT_DEVICE T __##from##2##to##_rd(F x) { return (T)rd(x); }          \
    SIMT_DEVICE T __##from##2##to##_ru(F x) { return (T)ru(x); }
SIMT_CONVERT(double, double, int, int, rint, trunc, floor, ceil)
SIMT_CONVERT(double, double, uint, unsigned, rint, trunc, floor, ceil)
SIMT_CONVERT(double, double, ll, long long, rint, trunc, floor, ceil)
SIMT_CONVERT(double, double, ull, unsigned long long, rint, trunc, floor,
             ceil)
SIMT_CONVERT(float, float, ll, long long, rintf, truncf, floorf, ceilf)
SIMT_CONVERT(float, float, ull, unsigned long long, rintf, truncf, floorf,
             ceilf)
SIMT_DEVICE unsigned __float2uint_rd(float x)
{
    return (unsigned)floorf(x);
}
SIMT_DEVICE unsigned __float2uint_ru(float x) { return (unsigned)ceilf(x); }
SIMT_DEVICE float __double2float_rn(double x) { return (float)x; }
SIMT_DEVICE double __int2double_rn(int x) { return x; }
SIMT_DEVICE double __uint2double_rn(unsigned x) { return x; }
SIMT_DEVICE double __ll2double_rn(long long x) { return (double)x; }
SIMT_DEVICE double __ull2double_rn(unsigned long long x)
{
    return (double)x;
}
SIMT_DEVICE float __ll2float_rn(long long x) { return (float)x; }
SIMT_DEVICE float __ull2float_rn(unsigned long long x) { return (float)x; }
SIMT_DEVICE float __int2float_rz(int x) { return (float)x; }

#endif
