/* Tangled from chapters/workshop/measuring-low-precision.nw, "Formats and schemes".  Edit it there. */

/* schemes.h: numbers in few bits, with a scale for each block of them. */
#ifndef BASE_SCHEMES_H
#define BASE_SCHEMES_H

#include "base/formats.h"

C_FUNCTIONS_BEGIN

/* a scheme */
/* How the numbers of a matrix are kept: in `format`, those of a block
 * divided by a scale.  The scale is kept as fp32; as a power of two, e8m0,
 * rounded down or up; or as e4m3, times a scale of the whole matrix. */
enum ScaleKind { NO_SCALE, SCALE_FP32, SCALE_POWER, SCALE_POWER_UP,
                 SCALE_E4M3 };

struct Scheme {
    const char *name;
    const struct Format *format;
    enum ScaleKind scale;
    int rows, columns;              /* of a block; 0: all */
};

/* what a scheme can do */
/* The scale of a block whose largest magnitude is amax, in a matrix whose
 * largest is `whole` (for SCALE_E4M3 only).  Not finite if amax is not. */
double scheme_scale(const struct Scheme *s, double amax, double whole);

/* y = x [rows][columns] as the scheme keeps it: each number divided by the
 * scale of its block, rounded, and multiplied by the scale again.  y may be
 * x.  A block with NaN or infinity becomes NaN. */
void scheme_apply(double *y, const double *x, int rows, int columns,
                  const struct Scheme *s);

C_FUNCTIONS_END

#endif
