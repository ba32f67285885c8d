/* Tangled from chapters/workshop/measuring-low-precision.nw, "Formats and schemes".  Edit it there. */

#include "base/formats.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* the formats */
const struct Format formats[] = {
    { "fp32", 8, 23, 127, IEEE },    { "tf32", 8, 10, 127, IEEE },
    { "bf16", 8, 7, 127, IEEE },     { "fp16", 5, 10, 15, IEEE },
    { "e5m2", 5, 2, 15, IEEE },      { "e4m3", 4, 3, 7, ONE_NAN },
    { "e3m2", 3, 2, 3, FINITE },     { "e2m3", 2, 3, 1, FINITE },
    { "e2m1", 2, 1, 1, FINITE },     { "int8", 0, 7, -6, FINITE },
    { "int4", 0, 3, -2, FINITE },    { NULL, 0, 0, 0, IEEE },
};

const struct Format *format_named(const char *name)
{
    for (const struct Format *f = formats; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

/* format: what a code means */
double format_value(const struct Format *f, uint32_t code)
{
    const uint32_t places = 1u << f->fraction;
    const uint32_t fraction = code & (places - 1);
    const int last = (1 << f->exponent) - 1;
    const int e = (int)(code >> f->fraction) & last;
    const double sign = code >> (f->exponent + f->fraction) & 1 ? -1 : 1;
    if (f->exponent == 0)
        return sign < 0 ? (double)fraction - places : fraction;
    if (e == last && f->specials == IEEE)
        return fraction ? NAN : sign * INFINITY;
    if (e == last && f->specials == ONE_NAN && fraction == places - 1)
        return NAN;
    if (e == 0)
        return sign * ldexp(fraction, 1 - f->bias - f->fraction);
    return sign * ldexp(places + fraction, e - f->bias - f->fraction);
}

/* format: the neighbours of a number */
/* 2^e, for e that a double has */
static double power_of_two(int e)
{
    const uint64_t bits = (uint64_t)(e + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The distance between neighbours at |x|. */
static double spacing(const struct Format *f, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int of_x = (int)(bits >> 52 & 2047) - 1023, least = 1 - f->bias;
    const int e = f->exponent && of_x > least ? of_x : least;
    return power_of_two(e - f->fraction);
}

/* format: its largest and its smallest number */
double format_largest(const struct Format *f)
{
    const uint32_t places = 1u << f->fraction;
    const int last = (1 << f->exponent) - 1 - (f->specials == IEEE);
    if (f->exponent == 0)
        return places - 1;
    return (2 * places - 1 - (f->specials == ONE_NAN))
         * power_of_two(last - f->bias - f->fraction);
}

double format_smallest(const struct Format *f)
{
    return power_of_two(1 - f->bias - f->fraction);
}

/* format: round what is too large, infinite or NaN */
static double too_large(const struct Format *f, double x, bool saturate)
{
    if (saturate || f->specials == FINITE)
        return copysign(format_largest(f), x);
    return f->specials == IEEE ? copysign(INFINITY, x) : NAN;
}

static double not_finite(const struct Format *f, double x, bool saturate)
{
    if (isnan(x))
        return f->specials == FINITE ? format_largest(f) : x;
    return too_large(f, x, saturate);
}

/* format: round to the nearest */
double format_round(const struct Format *f, double x, bool saturate)
{
    if (!isfinite(x))
        return not_finite(f, x, saturate);
    const double step = spacing(f, x), y = rint(x / step) * step;
    return fabs(y) > format_largest(f) ? too_large(f, x, saturate) : y;
}

/* format: round stochastically */
double format_round_by_chance(const struct Format *f, double x, double u,
                              bool saturate)
{
    if (!isfinite(x))
        return not_finite(f, x, saturate);
    const double step = spacing(f, x), y = floor(x / step + u) * step;
    return fabs(y) > format_largest(f) ? too_large(f, x, saturate) : y;
}

/* format: the code of a number that it has */
uint32_t format_code(const struct Format *f, double x)
{
    const uint32_t places = 1u << f->fraction;
    const uint32_t sign = places << f->exponent;
    if (f->exponent == 0)
        return (uint32_t)(int32_t)x & (2 * sign - 1);
    if (isnan(x))
        return f->specials == IEEE ? sign - places / 2 : sign - 1;
    uint32_t code = sign - places;                      /* infinity */
    if (isfinite(x)) {
        const double m = fabs(x) / spacing(f, x);   /* below 2 places */
        const int e = m < places ? 0 : ilogb(x) + f->bias;
        code = (uint32_t)m + (e > 1 ? (uint32_t)(e - 1) * places : 0);
    }
    return signbit(x) ? code + sign : code;
}
