/* Tangled from chapters/workshop/ptx.nw, "Thirty-two lanes at a time".  Edit it there. */

#include "simt/executor/rows.h"
#include "simt/executor/device_math.h"

#include <math.h>

/* numbers to integers */
/* What does not fit becomes the nearest that does.  NaN becomes 0, but of
 * a double, or in 64 bits, the highest bit alone. */
#define TO_INTEGER(T, low, high)                                        \
    static inline T to_##T(f64 x, bool is_double)                       \
    {                                                                   \
        if (x != x)                                                     \
            return (T)((u64)is_double << (8 * sizeof(T) - 1));          \
        return (T)(x > (high) ? (high) : x < (low) ? (low) : x);        \
    }
TO_INTEGER(s8, -0x1p7, 0x7f)      TO_INTEGER(u8, 0, 0xff)
TO_INTEGER(s16, -0x1p15, 0x7fff)  TO_INTEGER(u16, 0, 0xffff)
TO_INTEGER(s32, -0x1p31, 0x7fffffff)
TO_INTEGER(u32, 0, 0xffffffffu)

static inline s64 to_s64(f64 x, bool is_double)
{
    (void)is_double;
    return x != x || x < -0x1p63 ? INT64_MIN : x >= 0x1p63 ? INT64_MAX
         : (s64)x;
}

static inline u64 to_u64(f64 x, bool is_double)
{
    (void)is_double;
    return x != x ? (u64)1 << 63 : x <= 0 ? 0 : x >= 0x1p64 ? UINT64_MAX
         : (u64)x;
}

/* Rounded once more to bfloat16, this is the integer rounded once: of the
 * places that a double has no room for, one bit says whether they are 0. */
static inline f64 from_u64(u64 a)
{
    return (f64)(a >> 53 ? (a & ~(u64)4095) | (u64)!!(a & 4095) << 12 : a);
}

static inline f64 from_s64(s64 a)
{
    return a < 0 ? -from_u64(0 - (u64)a) : from_u64((u64)a);
}

/* Towards zero, in the least significant place kept. */
static inline f32 towards_zero(f64 x)
{
    f32 y = (f32)x;
    return fabs((f64)y) > fabs(x) ? nextafterf(y, 0) : y;
}

/* rows: conversions */
#define TO_INTEGERS(R, D)                                               \
    R(cvt_##D##_u8, D, u8, a) R(cvt_##D##_s8, D, s8, a)                 \
    R(cvt_##D##_u16, D, u16, a) R(cvt_##D##_s16, D, s16, a)             \
    R(cvt_##D##_u32, D, u32, a) R(cvt_##D##_s32, D, s32, a)             \
    R(cvt_##D##_u64, D, u64, a) R(cvt_##D##_s64, D, s64, a)
/* cvt.s64.s32 of a 64-bit register: its lower half. */
#define IN_REGISTER(R, D)                                               \
    R(cvt_##D##_u8_x, D, u64, (u8)a) R(cvt_##D##_s8_x, D, u64, (s8)a)   \
    R(cvt_##D##_u16_x, D, u64, (u16)a)                                  \
    R(cvt_##D##_s16_x, D, u64, (s16)a)                                  \
    R(cvt_##D##_u32_x, D, u64, (u32)a)                                  \
    R(cvt_##D##_s32_x, D, u64, (s32)a)
#define ROUND_TO_INTEGER(R, D, N, S)                                    \
    R(cvt_rni_##D##_##N, D, S, to_##D(rint((f64)a), sizeof a == 8))     \
    R(cvt_rzi_##D##_##N, D, S, to_##D(trunc((f64)a), sizeof a == 8))    \
    R(cvt_rmi_##D##_##N, D, S, to_##D(floor((f64)a), sizeof a == 8))    \
    R(cvt_rpi_##D##_##N, D, S, to_##D(ceil((f64)a), sizeof a == 8))
#define ROUND_TO_INTEGERS(R, N, S)                                      \
    ROUND_TO_INTEGER(R, u8, N, S) ROUND_TO_INTEGER(R, s8, N, S)         \
    ROUND_TO_INTEGER(R, u16, N, S) ROUND_TO_INTEGER(R, s16, N, S)       \
    ROUND_TO_INTEGER(R, u32, N, S) ROUND_TO_INTEGER(R, s32, N, S)       \
    ROUND_TO_INTEGER(R, u64, N, S) ROUND_TO_INTEGER(R, s64, N, S)
#define FROM_INTEGERS(R, N, D)                                          \
    R(cvt_rn_##N##_u8, D, u8, (D)a) R(cvt_rn_##N##_s8, D, s8, (D)a)     \
    R(cvt_rn_##N##_u16, D, u16, (D)a) R(cvt_rn_##N##_s16, D, s16, (D)a) \
    R(cvt_rn_##N##_u32, D, u32, (D)a) R(cvt_rn_##N##_s32, D, s32, (D)a) \
    R(cvt_rn_##N##_u64, D, u64, (D)a) R(cvt_rn_##N##_s64, D, s64, (D)a)
#define HALF_FROM_INTEGERS(R, N, TO)                                    \
    R(cvt_rn_##N##_u16, u16, u16, TO(a))                                \
    R(cvt_rn_##N##_s16, u16, s16, TO(a))                                \
    R(cvt_rn_##N##_u32, u16, u32, TO(a))                                \
    R(cvt_rn_##N##_s32, u16, s32, TO(a))                                \
    R(cvt_rn_##N##_u64, u16, u64, TO(from_u64(a)))                      \
    R(cvt_rn_##N##_s64, u16, s64, TO(from_s64(a)))
#define FLOAT_CONVERSIONS(R)                                            \
    R(cvt_rni_f32_f32, n32, f32, rintf(a))                              \
    R(cvt_rzi_f32_f32, n32, f32, truncf(a))                             \
    R(cvt_rmi_f32_f32, n32, f32, floorf(a))                             \
    R(cvt_rpi_f32_f32, n32, f32, ceilf(a))                              \
    R(cvt_rni_f64_f64, f64, f64, rint(a))                               \
    R(cvt_rzi_f64_f64, f64, f64, trunc(a))                              \
    R(cvt_rmi_f64_f64, f64, f64, floor(a))                              \
    R(cvt_rpi_f64_f64, f64, f64, ceil(a))                               \
    R(cvt_f64_f32, f64, f32, (f64)a)                                    \
    R(cvt_rn_f32_f64, n32, f64, (f32)a)                                 \
    R(cvt_rz_f32_f64, n32, f64, towards_zero(a))                        \
    R(cvt_rna_tf32_f32, f32, f32, tf32_round(a))                        \
    R(cvt_f32_f16, n32, h16, a) R(cvt_f64_f16, f64, h16, (f64)a)        \
    R(cvt_rn_f16_f32, h16, f32, a)                                      \
    R(cvt_rn_f16_f64, u16, f64, half_from_double(a))                    \
    R(cvt_f32_bf16, f32, q16, a) R(cvt_rn_bf16_f32, q16, f32, a)        \
    R(cvt_rni_f16_f16, h16, h16, rintf(a))                              \
    R(cvt_rzi_f16_f16, h16, h16, truncf(a))                             \
    R(cvt_rmi_f16_f16, h16, h16, floorf(a))                             \
    R(cvt_rpi_f16_f16, h16, h16, ceilf(a))
#define PAIR_CONVERSIONS(R2)                                            \
    R2(cvt_rn_f16x2_f32, u32, f32, f32,                                 \
       (u32)half_from_float(a) << 16 | half_from_float(b))              \
    R2(cvt_rn_bf16x2_f32, u32, f32, f32,                                \
       (u32)bf16_from_float(a) << 16 | bf16_from_float(b))

/* rows: conversions from and to 8 bits */
/* The nearest number of `bits` bits of fraction whose exponents begin at
 * 2^least, as its code; at most `most`. */
static inline u32 eight_bits(f32 x, int bits, int least, u32 most)
{
    if (x != x)
        return 0x7f;
    f32 size = fabsf(x);
    int e = size > 0 ? ilogbf(size < 1e30f ? size : 1e30f) : least;
    e = e > least ? e : least;
    f32 unit = ldexpf(1, e - bits);
    u32 code = (u32)(e - least) << bits;       /* below 2^e, and above */
    f32 n = rintf((size < 1e30f ? size : 1e30f) / unit);
    code += (u32)n;
    return (code < most ? code : most) | (signbit(x) ? 0x80 : 0);
}

static inline u32 e4m3(f32 x) { return eight_bits(x, 3, -6, 0x7e); }
static inline u32 e5m2(f32 x) { return eight_bits(x, 2, -14, 0x7b); }

static inline u32 half_of_e5m2(u32 x)
{
    return (x & 0x7f) > 0x7c ? 0x7fff : x << 8;
}

static inline u32 half_of_e4m3(u32 x)
{
    f32 size = ldexpf((f32)(x & 7) + (x & 0x78 ? 8 : 0),
                      (int)(x & 0x78 ? x >> 3 & 15 : 1) - 10);
    u32 h = (x & 0x7f) == 0x7f ? 0x7fff : half_from_float(size);
    return h == 0x7fff ? h : h | (x & 0x80) << 8;
}

static inline f32 low_half(u32 x) { return float_from_half((u16)x); }
static inline f32 high_half(u32 x) { return low_half(x >> 16); }
static inline f32 relu(f32 x) { return x > 0 || x != x ? x : 0; }
static inline u32 relu_half(u32 h)
{
    return h & 0x8000 && h != 0xffff ? 0 : h;
}

#define EIGHT_BITS(R, R2, T)                                            \
    R2(cvt_rn_satfinite_##T##x2_f32, u16, f32, f32,                     \
       T(a) << 8 | T(b))                                                \
    R2(cvt_rn_satfinite_relu_##T##x2_f32, u16, f32, f32,                \
       T(relu(a)) << 8 | T(relu(b)))                                    \
    R(cvt_rn_satfinite_##T##x2_f16x2, u16, u32,                         \
      T(high_half(a)) << 8 | T(low_half(a)))                            \
    R(cvt_rn_satfinite_relu_##T##x2_f16x2, u16, u32,                    \
      T(relu(high_half(a))) << 8 | T(relu(low_half(a))))                \
    R(cvt_rn_f16x2_##T##x2, u32, u16,                                   \
      half_of_##T(a >> 8) << 16 | half_of_##T(a & 0xff))                \
    R(cvt_rn_relu_f16x2_##T##x2, u32, u16,                              \
      relu_half(half_of_##T(a >> 8)) << 16                              \
      | relu_half(half_of_##T(a & 0xff)))
#define EIGHT_BIT_CONVERSIONS(R, R2)                                    \
    EIGHT_BITS(R, R2, e4m3) EIGHT_BITS(R, R2, e5m2)                     \
    R2(cvt_rn_relu_f16x2_f32, u32, f32, f32,                            \
       (u32)half_from_float(relu(a)) << 16 | half_from_float(relu(b)))  \
    R2(cvt_rn_relu_bf16x2_f32, u32, f32, f32,                           \
       (u32)bf16_from_float(relu(a)) << 16 | bf16_from_float(relu(b)))
#define CONVERT_TABLE(R, R2)                                            \
    TO_INTEGERS(R, u8) TO_INTEGERS(R, s8) TO_INTEGERS(R, u16)           \
    TO_INTEGERS(R, s16) TO_INTEGERS(R, u32) TO_INTEGERS(R, s32)         \
    TO_INTEGERS(R, u64) TO_INTEGERS(R, s64)                             \
    IN_REGISTER(R, s64) IN_REGISTER(R, u64)                             \
    ROUND_TO_INTEGERS(R, f32, f32) ROUND_TO_INTEGERS(R, f64, f64)       \
    ROUND_TO_INTEGERS(R, f16, h16)                                      \
    FROM_INTEGERS(R, f32, f32) FROM_INTEGERS(R, f64, f64)               \
    HALF_FROM_INTEGERS(R, f16, half_from_double)                        \
    HALF_FROM_INTEGERS(R, bf16, bf16_from_double)                       \
    FLOAT_CONVERSIONS(R) PAIR_CONVERSIONS(R2)                           \
    EIGHT_BIT_CONVERSIONS(R, R2)
CONVERT_TABLE(ROW1, ROW2)
const struct Row convert_rows[] = {
    CONVERT_TABLE(ENTRY1, ENTRY2) { 0 }
};
