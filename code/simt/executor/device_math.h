/* Tangled from chapters/workshop/simt-runtime.nw, "Arithmetic that is the same everywhere".  Edit it there. */

#ifndef SIMT_MATH_H
#define SIMT_MATH_H

#include <stdint.h>

/* The special functions of the software GPU: the same bits on every
 * processor, within 0.51 units in the last place (tests/test_simt_math.c);
 * subnormal numbers are neither flushed when read nor when written. */
float simt_ex2(float x);            /* 2^x                              */
float simt_lg2(float x);            /* log2 x; -inf at 0, NaN below     */
float simt_rcp(float x);            /* 1/x                              */
float simt_sqrt(float x);
float simt_rsqrt(float x);          /* 1/sqrt(x)                        */
float simt_sin(float x);            /* of any finite x, however large   */
float simt_cos(float x);
float simt_tanh(float x);

/* The narrow formats.  Rounded to nearest, ties to even; what is too large
 * becomes infinite; NaN becomes the one NaN of the hardware, 0x7fff. */
uint16_t half_from_float(float x);
uint16_t half_from_double(double x);        /* one rounding, not two    */
float float_from_half(uint16_t h);
uint16_t bf16_from_float(float x);
uint16_t bf16_from_double(double x);
float float_from_bf16(uint16_t b);

/* A float with 10 bits of fraction left, ties away from zero (the rna
 * of cvt.rna.tf32.f32). */
float tf32_round(float x);

#endif
