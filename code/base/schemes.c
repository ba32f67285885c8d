/* Tangled from chapters/workshop/measuring-low-precision.nw, "Formats and schemes".  Edit it there. */

#include "base/schemes.h"

#include <math.h>
#include <stddef.h>

/* scheme: the scale of a block */
double scheme_scale(const struct Scheme *s, double amax, double whole)
{
    const double most = format_largest(s->format);
    if (s->scale == NO_SCALE || amax == 0)
        return 1;
    if (!isfinite(amax))
        return amax;
    if (s->scale == SCALE_FP32)
        return format_round(format_named("fp32"), amax / most, true);
    if (s->scale == SCALE_POWER)
        return ldexp(1, ilogb(amax) - ilogb(most));
    if (s->scale == SCALE_POWER_UP)
        return exp2(ceil(log2(amax / most)));
    const double of_all = whole / most / 448;       /* e4m3's largest */
    const double e4m3 = format_round(format_named("e4m3"),
                                     amax / most / of_all, true);
    return (e4m3 > 0 ? e4m3 : 0x1p-9) * of_all;
}

/* scheme: the largest of a block */
/* The largest magnitude; NaN if one of them is. */
static double largest_of(const double *x, int rows, int columns, int pitch)
{
    double amax = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            const double m = fabs(x[(size_t)r * (size_t)pitch + (size_t)c]);
            amax = m > amax || isnan(m) ? m : amax;
        }
    return amax;
}

/* scheme: quantise a block */
static void block_apply(double *y, const double *x, int rows, int columns,
                        int pitch, const struct Format *f, double scale)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            const size_t i = (size_t)r * (size_t)pitch + (size_t)c;
            y[i] = isfinite(scale)
                 ? format_round(f, x[i] / scale, true) * scale : NAN;
        }
}

/* scheme: quantise a matrix */
void scheme_apply(double *y, const double *x, int rows, int columns,
                  const struct Scheme *s)
{
    const int h = s->rows ? s->rows : rows;
    const int w = s->columns ? s->columns : columns;
    const double whole = s->scale == SCALE_E4M3
                       ? largest_of(x, rows, columns, columns) : 0;
    for (int r = 0; r < rows; r += h)
        for (int c = 0; c < columns; c += w)
            /* quantise the block at r, c */
            {
                const int bh = r + h < rows ? h : rows - r;
                const int bw = c + w < columns ? w : columns - c;
                const size_t at = (size_t)r * (size_t)columns + (size_t)c;
                const double amax = largest_of(x + at, bh, bw, columns);
                const double scale = scheme_scale(s, amax, whole);
                block_apply(y + at, x + at, bh, bw, columns, s->format, scale);
            }
}
