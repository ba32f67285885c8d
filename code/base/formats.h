/* Tangled from chapters/workshop/measuring-low-precision.nw, "Formats and schemes".  Edit it there. */

/* formats.h: number formats of 4 to 32 bits. */
#ifndef BASE_FORMATS_H
#define BASE_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* a format */
/* What a format does with its largest exponent: infinity and NaN, as IEEE
 * 754; numbers and one NaN, all bits set; numbers only. */
enum Specials { IEEE, ONE_NAN, FINITE };

struct Format {
    const char *name;
    int exponent, fraction;         /* bits; no exponent: an integer */
    int bias;
    enum Specials specials;
};

/* what a format can do */
/* All of them, fp32 to int4; a row without a name ends them. */
extern const struct Format formats[];

/* The format of this name, or NULL. */
const struct Format *format_named(const char *name);

/* The number that a code stands for; of the code only the lowest 1 +
 * exponent + fraction bits count.  Integers are in two's complement. */
double format_value(const struct Format *f, uint32_t code);

/* The largest number, and the smallest above 0. */
double format_largest(const struct Format *f);
double format_smallest(const struct Format *f);

/* x rounded to the nearest number of f, of two equally near to the one
 * whose last bit is 0.  A number too large for f becomes infinity, or NaN
 * in a format without infinity, or, with `saturate`, the largest.  In a
 * format without NaN too large a number always becomes the largest, and so
 * does NaN. */
double format_round(const struct Format *f, double x, bool saturate);

/* The same, up if the random u, 0 <= u < 1, says so: with the probability
 * that makes the mean x. */
double format_round_by_chance(const struct Format *f, double x, double u,
                              bool saturate);

/* The code of x, which is a number of f. */
uint32_t format_code(const struct Format *f, double x);

C_FUNCTIONS_END

#endif
