/* How a tensor core of Hopper adds, with integers of 128 bits: what
 * test_simt_wgmma.c and test_simt_tensor.c compare with. */
#ifndef TESTS_TENSOR_RULE_H
#define TESTS_TENSOR_RULE_H

#include "simt/executor/device_math.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static inline void take(double x, int least, int *e, __int128 *m)
{
    int exponent;
    double f = frexp(x, &exponent);
    *e = exponent - 1 > least ? exponent - 1 : least;
    *m = (__int128)ldexp(f, exponent - *e + 30);     /* x = m 2^(e - 30) */
}

/* By the words of the chapter, with integers: terms are cut at
 * 2^(top - f), the sum to so many digits. */
static inline float by_rule(const double *a, const double *b, const int *least,
                     int k, float c, int f, int digits, bool half)
{
    int top, ea, eb, ec;
    __int128 ma, mb, mc, sum = 0;
    take(c, half ? -14 : -126, &ec, &mc);
    top = mc ? ec : -133;
    for (int q = 0; q < k; q++) {
        take(a[q], least[0], &ea, &ma);
        take(b[q], least[1], &eb, &mb);
        if (ma && mb && ea + eb > top)
            top = ea + eb;
    }
    for (int q = 0; q <= k; q++) {
        __int128 m = mc;
        int e = ec - 30;                /* the term is m 2^e */
        if (q < k) {
            take(a[q], least[0], &ea, &ma);
            take(b[q], least[1], &eb, &mb);
            m = ma * mb, e = ea + eb - 60;
        }
        int right = top - f - e;
        __int128 size = m < 0 ? -m : m;
        size = right > 120 ? 0 : right >= 0 ? size >> right : size << -right;
        sum += m < 0 ? -size : size;
    }
    double x = ldexp((double)(int64_t)sum, top - f);
    if (half)
        return float_from_half(half_from_double(x));
    if (x == 0)
        return 0;
    int e = ilogb(x) < -126 ? -126 : ilogb(x);
    return (float)ldexp(trunc(ldexp(x, digits - 1 - e)), e + 1 - digits);
}

#endif
