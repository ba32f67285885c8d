/* Tangled from chapters/workshop/measuring-ceilings.nw, "Two of four, packed and multiplied".  Edit it there. */

#include "ladder/two_four.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/kernels/bf16.h"

/* choose two of four */
/* The places of the two largest of w[4], the lower one first */
static void two_largest(int place[2], const float *w)
{
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (fabsf(w[i]) > fabsf(w[best]))
            best = i;
    int second = best == 0 ? 1 : 0;
    for (int i = second + 1; i < 4; i++)
        if (i != best && fabsf(w[i]) > fabsf(w[second]))
            second = i;
    place[0] = best < second ? best : second;
    place[1] = best < second ? second : best;
}

/* pack a row */
static uint16_t bits_of(float x)
{
    const bf16 b = float_to_bf16(x);
    uint16_t bits;
    memcpy(&bits, &b, sizeof bits);
    return bits;
}

static void pack_row(struct TwoFour *a, const float *w, int m)
{
    uint16_t *value = a->value + (size_t)m * (size_t)a->K / 2;
    uint32_t *tile = a->places
                   + (size_t)(m / 16) * (size_t)(a->K / 32) * 16;
    for (int four = 0; four < a->K / 4; four++) {
        int place[2];
        two_largest(place, w + 4 * four);
        for (int i = 0; i < 2; i++)
            *value++ = bits_of(w[4 * four + place[i]]);
        uint32_t *word = tile + four / 8 * 16       /* of 32 columns */
                       + m % 8 * 2 + four % 8 / 4;
        const int bit = m % 16 / 8 * 16 + four % 4 * 4;
        *word |= (uint32_t)(place[0] | place[1] << 2) << bit;
    }
}

/* pack and unpack a matrix */
bool two_four_pack(struct TwoFour *a, const float *w, int M, int K,
                   struct Error *e)
{
    const size_t size = (size_t)M * (size_t)K;
    *a = (struct TwoFour){ .M = M, .K = K };
    if (M < 16 || M % 16 != 0 || K < 32 || K % 32 != 0)
        return error_set(e, "%d x %d: two of four needs multiples of 16 "
                         "and 32", M, K);
    a->value = calloc(size / 2, sizeof *a->value);
    a->places = calloc(size / 32, sizeof *a->places);
    if (!a->value || !a->places) {
        two_four_free(a);
        return error_set(e, "no memory for %zu numbers", size);
    }
    for (int m = 0; m < M; m++)
        pack_row(a, w + (size_t)m * (size_t)K, m);
    return true;
}

void two_four_free(struct TwoFour *a)
{
    free(a->value);
    free(a->places);
    *a = (struct TwoFour){ .M = 0 };
}

void two_four_row(float *row, const struct TwoFour *a, int m)
{
    const uint16_t *value = a->value + (size_t)m * (size_t)a->K / 2;
    const uint32_t *tile = a->places
                         + (size_t)(m / 16) * (size_t)(a->K / 32) * 16;
    for (int k = 0; k < a->K; k++)
        row[k] = 0;
    for (int four = 0; four < a->K / 4; four++) {
        const uint32_t word = tile[four / 8 * 16 + m % 8 * 2
                                   + four % 8 / 4];
        const int bit = m % 16 / 8 * 16 + four % 4 * 4;
        for (int i = 0; i < 2; i++) {
            const uint32_t x = (uint32_t)*value++ << 16;
            memcpy(&row[4 * four + (word >> (bit + 2 * i) & 3)], &x, 4);
        }
    }
}
