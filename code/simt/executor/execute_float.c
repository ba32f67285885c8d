/* Tangled from chapters/workshop/ptx.nw, "Thirty-two lanes at a time".  Edit it there. */

#include "simt/executor/rows.h"
#include "simt/executor/device_math.h"

#include <math.h>

/* floats that are too small */
static inline f32 flushed(f32 x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

/* the smaller and the larger of two doubles */
static inline f64 smaller_double(f64 a, f64 b)
{
    return a < b || b != b || (a == b && signbit(a)) ? a : b;
}

static inline f64 larger_double(f64 a, f64 b)
{
    return a > b || b != b || (a == b && signbit(b)) ? a : b;
}

/* rows: floats */
/* T: n32, or z32 for the .ftz form; Z what the name has there. */
#define FLOAT_ROWS_OF(R1, R2, R3, T, Z)                                 \
    R2(add##Z##f32, T, T, T, a + b)                                     \
    R2(sub##Z##f32, T, T, T, a - b)                                     \
    R2(mul##Z##f32, T, T, T, a * b)                                     \
    R3(fma_rn##Z##f32, T, T, T, T, fmaf(a, b, c))                       \
    R3(mad_rn##Z##f32, T, T, T, T, fmaf(a, b, c))                       \
    R2(div_rn##Z##f32, T, T, T, a / b)                                  \
    R2(div_full##Z##f32, T, T, T, a / b)                                \
    R2(div_approx##Z##f32, T, T, T, a / b)                              \
    R1(rcp_rn##Z##f32, T, T, 1.0f / a)                                  \
    R1(rcp_approx##Z##f32, T, T, 1.0f / a)                              \
    R1(sqrt_rn##Z##f32, T, T, sqrtf(a))                                 \
    R1(sqrt_approx##Z##f32, T, T, sqrtf(a))                             \
    R1(rsqrt_approx##Z##f32, T, T, simt_rsqrt(a))                       \
    R1(ex2_approx##Z##f32, T, T, simt_ex2(a))                           \
    R1(lg2_approx##Z##f32, T, T, simt_lg2(a))                           \
    R1(sin_approx##Z##f32, T, T, simt_sin(a))                           \
    R1(cos_approx##Z##f32, T, T, simt_cos(a))                           \
    R1(neg##Z##f32, T, T, -a)                                           \
    R1(abs##Z##f32, T, T, fabsf(a))                                     \
    R2(min##Z##f32, T, T, T, smaller(a, b))                             \
    R2(max##Z##f32, T, T, T, larger(a, b))                              \
    R2(min##Z##NaN_f32, T, T, T, a != a ? a : b != b ? b : smaller(a, b)) \
    R2(max##Z##NaN_f32, T, T, T, a != a ? a : b != b ? b : larger(a, b))
#define OTHER_FLOAT_ROWS(R1, R2, R3)                                    \
    R1(mov_f32, f32, f32, a)                                            \
    R1(tanh_approx_f32, n32, f32, simt_tanh(a))                         \
    R2(add_sat_f32, f32, f32, f32, clamped(a + b))                      \
    R2(mul_sat_f32, f32, f32, f32, clamped(a * b))                      \
    R3(fma_rn_sat_f32, f32, f32, f32, f32, clamped(fmaf(a, b, c)))      \
    R2(copysign_f32, f32, f32, f32, copysignf(b, a))                    \
    R1(cvt_sat_f32_f32, f32, f32, clamped(a))                           \
    R1(cvt_f32_f32, f32, f32, a)
static inline f32 clamped(f32 x)
{
    return x > 1 ? 1 : x > 0 ? x : 0;
}

/* rows: doubles */
#define DOUBLE_ROWS(R1, R2, R3)                                         \
    R1(mov_f64, f64, f64, a)                                            \
    R2(add_f64, f64, f64, f64, a + b)                                   \
    R2(sub_f64, f64, f64, f64, a - b)                                   \
    R2(mul_f64, f64, f64, f64, a * b)                                   \
    R3(fma_rn_f64, f64, f64, f64, f64, fma(a, b, c))                    \
    R3(mad_rn_f64, f64, f64, f64, f64, fma(a, b, c))                    \
    R2(div_rn_f64, f64, f64, f64, a / b)                                \
    R1(rcp_rn_f64, f64, f64, 1.0 / a)                                   \
    R1(rcp_approx_ftz_f64, f64, f64, 1.0 / a)                           \
    R1(sqrt_rn_f64, f64, f64, sqrt(a))                                  \
    R1(rsqrt_approx_f64, f64, f64, 1.0 / sqrt(a))                       \
    R1(neg_f64, f64, f64, -a)                                           \
    R1(abs_f64, f64, f64, fabs(a))                                      \
    R2(min_f64, f64, f64, f64, smaller_double(a, b))                    \
    R2(max_f64, f64, f64, f64, larger_double(a, b))                     \
    R2(copysign_f64, f64, f64, f64, copysign(b, a))
#define FLOAT_TABLE(R1, R2, R3)                                         \
    FLOAT_ROWS_OF(R1, R2, R3, n32, _)                                   \
    FLOAT_ROWS_OF(R1, R2, R3, z32, _ftz_)                               \
    OTHER_FLOAT_ROWS(R1, R2, R3) DOUBLE_ROWS(R1, R2, R3)
FLOAT_TABLE(ROW1, ROW2, ROW3)
const struct Row float_rows[] = {
    FLOAT_TABLE(ENTRY1, ENTRY2, ENTRY3) { 0 }
};

/* comparisons of floats */
#define ORDERED_OF(C, T, Z)                                             \
    C(eq##Z, T, a == b) C(ne##Z, T, a != b && a == a && b == b)         \
    C(lt##Z, T, a < b) C(le##Z, T, a <= b)                              \
    C(gt##Z, T, a > b) C(ge##Z, T, a >= b)
#define UNORDERED_OF(C, T, Z)                                           \
    C(equ##Z, T, a == b || a != a || b != b) C(neu##Z, T, a != b)       \
    C(ltu##Z, T, !(a >= b)) C(leu##Z, T, !(a > b))                      \
    C(gtu##Z, T, !(a <= b)) C(geu##Z, T, !(a < b))                      \
    C(num##Z, T, a == a && b == b) C(nan##Z, T, a != a || b != b)
#define FLOAT_COMPARES(C)                                               \
    ORDERED_OF(C, f32, _f32) UNORDERED_OF(C, f32, _f32)                 \
    ORDERED_OF(C, z32, _ftz_f32) UNORDERED_OF(C, z32, _ftz_f32)         \
    ORDERED_OF(C, f64, _f64) UNORDERED_OF(C, f64, _f64)                 \
    ORDERED_OF(C, h16, _f16) UNORDERED_OF(C, h16, _f16)                 \
    ORDERED_OF(C, q16, _bf16) UNORDERED_OF(C, q16, _bf16)
FLOAT_COMPARES(COMPARE)
const struct CompareRow float_compares[] = {
    FLOAT_COMPARES(ENTRYC) { 0 }
};
