/* Tangled from chapters/workshop/ptx.nw, "Thirty-two lanes at a time".  Edit it there. */

#include "simt/executor/rows.h"
#include "simt/executor/device_math.h"

#include <math.h>

/* two halves in a word */
/* Arithmetic in float rounds twice, and once is enough: of two numbers
 * with 11 bits, sum, product and quotient in float round to the same half.
 * A fused multiply-add goes through double. */
#define PAIR(name, FROM, TO, expr)                                      \
    static inline u32 name(u32 x, u32 y, u32 z)                         \
    {                                                                   \
        u32 d = 0;                                                      \
        (void)y, (void)z;                                               \
        for (int k = 0; k < 32; k += 16) {                              \
            f32 a = FROM((u16)(x >> k));                                \
            f32 b = FROM((u16)(y >> k));                                \
            f32 c = FROM((u16)(z >> k));                                \
            (void)b, (void)c;                                           \
            d |= (u32)TO(expr) << k;                                    \
        }                                                               \
        return d;                                                       \
    }
#define PAIRS(P, FROM, TO, TO64)                                        \
    PAIR(P##_add, FROM, TO, a + b) PAIR(P##_sub, FROM, TO, a - b)       \
    PAIR(P##_mul, FROM, TO, a * b)                                      \
    PAIR(P##_fma, FROM, TO64, (f64)a * b + c)                           \
    PAIR(P##_neg, FROM, TO, -a) PAIR(P##_abs, FROM, TO, fabsf(a))       \
    PAIR(P##_min, FROM, TO, smaller(a, b))                              \
    PAIR(P##_max, FROM, TO, larger(a, b))                               \
    PAIR(P##_ex2, FROM, TO, simt_ex2(a))                                \
    PAIR(P##_tanh, FROM, TO, simt_tanh(a))
PAIRS(half2, float_from_half, half_from_float, half_from_double)
PAIRS(bf162, float_from_bf16, bf16_from_float, bf16_from_double)

/* rows: halves */
#define HALF_ROWS_OF(R1, R2, R3, P, T)                                  \
    R2(add_##T, u32, u32, u32, P##_add(a, b, 0))                        \
    R2(sub_##T, u32, u32, u32, P##_sub(a, b, 0))                        \
    R2(mul_##T, u32, u32, u32, P##_mul(a, b, 0))                        \
    R3(fma_rn_##T, u32, u32, u32, u32, P##_fma(a, b, c))                \
    R1(neg_##T, u32, u32, P##_neg(a, 0, 0))                             \
    R1(abs_##T, u32, u32, P##_abs(a, 0, 0))                             \
    R2(min_##T, u32, u32, u32, P##_min(a, b, 0))                        \
    R2(max_##T, u32, u32, u32, P##_max(a, b, 0))                        \
    R1(ex2_approx_##T, u32, u32, P##_ex2(a, 0, 0))                      \
    R1(ex2_approx_ftz_##T, u32, u32, P##_ex2(a, 0, 0))                  \
    R1(tanh_approx_##T, u32, u32, P##_tanh(a, 0, 0))
#define HALF_TABLE(R1, R2, R3)                                          \
    HALF_ROWS_OF(R1, R2, R3, half2, f16)                                \
    HALF_ROWS_OF(R1, R2, R3, half2, f16x2)                              \
    HALF_ROWS_OF(R1, R2, R3, bf162, bf16)                               \
    HALF_ROWS_OF(R1, R2, R3, bf162, bf16x2)                             \
    R1(mov_f16, u32, u32, a) R1(mov_f16x2, u32, u32, a)                 \
    R1(mov_bf16, u32, u32, a) R1(mov_bf16x2, u32, u32, a)
HALF_TABLE(ROW1, ROW2, ROW3)
const struct Row half_rows[] = { HALF_TABLE(ENTRY1, ENTRY2, ENTRY3) { 0 } };
