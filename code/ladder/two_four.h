/* Tangled from chapters/workshop/measuring-ceilings.nw, "Two of four, packed and multiplied".  Edit it there. */

#ifndef LADDER_TWO_FOUR_H
#define LADDER_TWO_FOUR_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

C_FUNCTIONS_BEGIN

/* a matrix of two of four */
/* [M][K] in bf16, of each four neighbours in a row the two largest.
 *   value      [M][K / 2], in the order of the columns
 *   places     [M / 16][K / 32][16], see mma_sp_m16n8k32 */
struct TwoFour {
    int M, K;                           /* multiples of 16 and of 32 */
    uint16_t *value;
    uint32_t *places;
};

/* On the host, from w [M][K]; two_four_free frees it. */
bool two_four_pack(struct TwoFour *a, const float *w, int M, int K,
                   struct Error *e);
void two_four_free(struct TwoFour *a);

/* Row m of a packed matrix on the host, with its zeros: row [K] */
void two_four_row(float *row, const struct TwoFour *a, int m);

/* products of a packed matrix */
/* y[M][N] = a x', x [N][K] in bf16, y fp32; all on the device.
 *   launch     a warp for 16 rows and 8 columns; not waited for
 *   moves      1.125 M K bytes of a sparse matrix, 2 M K of a dense one
 *              [M][K], for each 32 columns; 2 N K and 4 M N
 *   work       M N K FLOP and 2 M N K */
void two_four_matmul(float *y, const struct TwoFour *a, const uint16_t *x,
                     int N);
void dense_matmul(float *y, const uint16_t *a, const uint16_t *x, int M,
                  int N, int K);

C_FUNCTIONS_END

#endif
