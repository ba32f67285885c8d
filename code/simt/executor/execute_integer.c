/* Tangled from chapters/workshop/ptx.nw, "Thirty-two lanes at a time".  Edit it there. */

#include "simt/executor/lanes.h"
#include "simt/executor/rows.h"

/* integer arithmetic that C leaves open */
/* The hardware has no division and no trap: what C leaves undefined is
 * given the value the usual expansion gives. */
#define DIVIDE(T)                                                       \
    static inline T divide_##T(T a, T b)                                \
    {                                                                   \
        return b == 0 ? (T)~(T)0 : (T)(a / (b ? b : 1));                \
    }                                                                   \
    static inline T remainder_##T(T a, T b)                             \
    {                                                                   \
        return b == 0 ? a : (T)(a % (b ? b : 1));                       \
    }
#define DIVIDE_SIGNED(T, U)                                             \
    static inline T divide_##T(T a, T b)                                \
    {                                                                   \
        return b == 0 ? -1 : b == -1 ? (T)(0 - (U)a) : (T)(a / b);      \
    }                                                                   \
    static inline T remainder_##T(T a, T b)                             \
    {                                                                   \
        return b == 0 ? a : b == -1 ? 0 : (T)(a % b);                   \
    }
DIVIDE(u16) DIVIDE(u32) DIVIDE(u64)
DIVIDE_SIGNED(s16, u16) DIVIDE_SIGNED(s32, u32) DIVIDE_SIGNED(s64, u64)

/* The lower 24 bits as a signed number. */
static inline s32 low24(s32 a)
{
    return (s32)((u32)a << 8) >> 8;
}

static inline u64 high_u64(u64 a, u64 b)
{
    u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
    u64 mid = ah * bl + (al * bl >> 32), other = al * bh + (u32)mid;
    return ah * bh + (mid >> 32) + (other >> 32);
}

static inline s64 high_s64(s64 a, s64 b)
{
    u64 h = high_u64((u64)a, (u64)b);
    return (s64)(h - (a < 0 ? (u64)b : 0) - (b < 0 ? (u64)a : 0));
}

/* pieces of a word */
static inline u32 reversed(u32 x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

static inline u64 extract(u64 a, u32 at, u32 n, int width, bool is_signed)
{
    at &= 255;
    n &= 255;
    int sign_at = (int)(at + n) - 1;
    sign_at = sign_at > width - 1 ? width - 1 : sign_at;
    u64 sign = is_signed && n && (a >> sign_at & 1) ? ~(u64)0 : 0;
    u64 value = at < (u32)width ? a >> at : 0;
    int left = (int)at < width ? width - (int)at : 0;
    int keep = (int)n < left ? (int)n : left;
    u64 mask = keep >= 64 ? ~(u64)0 : ((u64)1 << keep) - 1;
    return n == 0 ? 0 : (value & mask) | (sign & ~mask);
}

static inline u64 insert(u64 a, u64 b, u32 at, u32 n, int width)
{
    at &= 255;
    n &= 255;
    if (at >= (u32)width)
        return b;
    u64 ones = n >= 64 ? ~(u64)0 : ((u64)1 << n) - 1;
    return (b & ~(ones << at)) | (a & ones) << at;
}

static inline u32 permuted(u32 a, u32 b, u32 how)
{
    u64 bytes = (u64)b << 32 | a;
    u32 d = 0;
    for (int k = 0; k < 4; k++) {
        u32 which = how >> 4 * k & 15;
        u32 byte = (u32)(bytes >> 8 * (which & 7)) & 255;
        if (which & 8)
            byte = byte & 128 ? 255 : 0;
        d |= byte << 8 * k;
    }
    return d;
}

static inline u32 three_way(u32 a, u32 b, u32 c, u32 table)
{
    u32 d = 0;
    for (int k = 0; k < 8; k++)
        if (table >> k & 1)
            d |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return d;
}

static inline u32 find_u32(u32 a)
{
    return a ? 31 - (u32)__builtin_clz(a) : ALL_LANES;
}

static inline u32 find_u64(u64 a)
{
    return a ? 63 - (u32)__builtin_clzll(a) : ALL_LANES;
}

static inline u32 funnel(u32 a, u32 b, u32 n, bool left)
{
    u64 both = (u64)b << 32 | a;
    return left ? (u32)(both << n >> 32) : (u32)(both >> n);
}

/* rows: integers */
/* T the type, U the same without sign: it wraps around in C, too. */
#define INTEGER_ROWS_OF(R1, R2, R3, T, U)                               \
    R2(add_##T, T, T, T, (U)a + (U)b)                                   \
    R2(sub_##T, T, T, T, (U)a - (U)b)                                   \
    R2(mul_lo_##T, T, T, T, (U)((u64)(U)a * (U)b))                      \
    R3(mad_lo_##T, T, T, T, T, (U)((u64)(U)a * (U)b + (U)c))            \
    R2(div_##T, T, T, T, divide_##T(a, b))                              \
    R2(rem_##T, T, T, T, remainder_##T(a, b))                           \
    R2(min_##T, T, T, T, a < b ? a : b)                                 \
    R2(max_##T, T, T, T, a > b ? a : b)
#define SIGNED_ROWS_OF(R1, T, U)                                        \
    R1(abs_##T, T, T, a < 0 ? 0 - (U)a : (U)a)                          \
    R1(neg_##T, T, T, 0 - (U)a)
#define WIDENING_ROWS_OF(R2, R3, T, TT, UU, bits)                       \
    R2(mul_wide_##T, TT, T, T, (TT)a * (TT)b)                           \
    R3(mad_wide_##T, TT, T, T, TT, (UU)((TT)a * (TT)b) + (UU)c)         \
    R2(mul_hi_##T, T, T, T, (TT)a * (TT)b >> bits)                      \
    R3(mad_hi_##T, T, T, T, T, (u32)((TT)a * (TT)b >> bits) + (u32)c)
#define INTEGER_ROWS(R1, R2, R3)                                        \
    INTEGER_ROWS_OF(R1, R2, R3, u16, u16)                               \
    INTEGER_ROWS_OF(R1, R2, R3, s16, u16)                               \
    INTEGER_ROWS_OF(R1, R2, R3, u32, u32)                               \
    INTEGER_ROWS_OF(R1, R2, R3, s32, u32)                               \
    INTEGER_ROWS_OF(R1, R2, R3, u64, u64)                               \
    INTEGER_ROWS_OF(R1, R2, R3, s64, u64)                               \
    SIGNED_ROWS_OF(R1, s16, u16)                                        \
    SIGNED_ROWS_OF(R1, s32, u32)                                        \
    SIGNED_ROWS_OF(R1, s64, u64)                                        \
    WIDENING_ROWS_OF(R2, R3, u16, u32, u32, 16)                         \
    WIDENING_ROWS_OF(R2, R3, s16, s32, u32, 16)                         \
    WIDENING_ROWS_OF(R2, R3, u32, u64, u64, 32)                         \
    WIDENING_ROWS_OF(R2, R3, s32, s64, u64, 32)                         \
    R2(mul_hi_u64, u64, u64, u64, high_u64(a, b))                       \
    R2(mul_hi_s64, s64, s64, s64, high_s64(a, b))                       \
    R3(mad_hi_u64, u64, u64, u64, u64, high_u64(a, b) + c)              \
    R3(mad_hi_s64, s64, s64, s64, s64,                                  \
       (u64)high_s64(a, b) + (u64)c)                                    \
    R2(add_sat_s32, s32, s32, s32, ((s64)a + b > INT32_MAX ? INT32_MAX  \
       : (s64)a + b < INT32_MIN ? INT32_MIN : (s64)a + b))              \
    R2(sub_sat_s32, s32, s32, s32, ((s64)a - b > INT32_MAX ? INT32_MAX  \
       : (s64)a - b < INT32_MIN ? INT32_MIN : (s64)a - b))              \
    R2(mul24_lo_s32, s32, s32, s32, (s64)low24(a) * low24(b))           \
    R2(mul24_lo_u32, u32, u32, u32, (a & 0xffffff) * (b & 0xffffff))    \
    R3(sad_u32, u32, u32, u32, u32, c + (a < b ? b - a : a - b))        \
    R3(sad_s32, s32, s32, s32, u32,                                     \
       c + (a < b ? (u32)b - (u32)a : (u32)a - (u32)b))

/* rows: bits */
#define SHIFT_ROWS_OF(R2, n)                                            \
    R2(shl_b##n, u##n, u##n, u32, b > n - 1 ? 0 : (u64)a << (b & 63))   \
    R2(shr_b##n, u##n, u##n, u32, b > n - 1 ? 0 : a >> (b & (n - 1)))   \
    R2(shr_u##n, u##n, u##n, u32, b > n - 1 ? 0 : a >> (b & (n - 1)))   \
    R2(shr_s##n, s##n, s##n, u32, a >> (b > n - 1 ? n - 1 : b))
#define LOGIC_ROWS_OF(R1, R2, n)                                        \
    R2(and_b##n, u##n, u##n, u##n, a & b)                               \
    R2(or_b##n, u##n, u##n, u##n, a | b)                                \
    R2(xor_b##n, u##n, u##n, u##n, a ^ b)                               \
    R1(not_b##n, u##n, u##n, ~a)                                        \
    R1(cnot_b##n, u##n, u##n, a == 0)                                   \
    R1(mov_b##n, u##n, u##n, a)                                         \
    R1(mov_u##n, u##n, u##n, a)                                         \
    R1(mov_s##n, u##n, u##n, a)
#define BIT_ROWS(R1, R2, R3, R4)                                        \
    SHIFT_ROWS_OF(R2, 16) SHIFT_ROWS_OF(R2, 32) SHIFT_ROWS_OF(R2, 64)   \
    LOGIC_ROWS_OF(R1, R2, 16) LOGIC_ROWS_OF(R1, R2, 32)                 \
    LOGIC_ROWS_OF(R1, R2, 64)                                           \
    R1(popc_b32, u32, u32, __builtin_popcount(a))                       \
    R1(popc_b64, u32, u64, __builtin_popcountll(a))                     \
    R1(clz_b32, u32, u32, a ? __builtin_clz(a) : 32)                    \
    R1(clz_b64, u32, u64, a ? __builtin_clzll(a) : 64)                  \
    R1(brev_b32, u32, u32, reversed(a))                                 \
    R1(brev_b64, u64, u64,                                              \
       (u64)reversed((u32)a) << 32 | reversed((u32)(a >> 32)))          \
    R1(bfind_u32, u32, u32, find_u32(a))                                \
    R1(bfind_s32, u32, u32, find_u32(a >> 31 ? ~a : a))                 \
    R1(bfind_u64, u32, u64, find_u64(a))                                \
    R1(bfind_s64, u32, u64, find_u64(a >> 63 ? ~a : a))                 \
    R1(bfind_shiftamt_u32, u32, u32, a ? __builtin_clz(a) : ALL_LANES)  \
    R3(bfe_u32, u32, u32, u32, u32, extract(a, b, c, 32, false))        \
    R3(bfe_s32, u32, u32, u32, u32, extract(a, b, c, 32, true))         \
    R3(bfe_u64, u64, u64, u32, u32, extract(a, b, c, 64, false))        \
    R3(bfe_s64, u64, u64, u32, u32, extract(a, b, c, 64, true))         \
    R4(bfi_b32, u32, u32, u32, u32, u32, insert(a, b, c, e, 32))        \
    R4(bfi_b64, u64, u64, u64, u32, u32, insert(a, b, c, e, 64))        \
    R3(prmt_b32, u32, u32, u32, u32, permuted(a, b, c))                 \
    R4(lop3_b32, u32, u32, u32, u32, u32, three_way(a, b, c, e))        \
    R3(shf_l_wrap_b32, u32, u32, u32, u32, funnel(a, b, c & 31, true))  \
    R3(shf_r_wrap_b32, u32, u32, u32, u32, funnel(a, b, c & 31, false)) \
    R3(shf_l_clamp_b32, u32, u32, u32, u32,                             \
       funnel(a, b, c > 32 ? 32 : c, true))                             \
    R3(shf_r_clamp_b32, u32, u32, u32, u32,                             \
       funnel(a, b, c > 32 ? 32 : c, false))                            \
    R3(slct_b32_s32, u32, u32, u32, s32, c >= 0 ? a : b)                \
    R3(slct_u32_s32, u32, u32, u32, s32, c >= 0 ? a : b)                \
    R3(slct_s32_s32, u32, u32, u32, s32, c >= 0 ? a : b)                \
    R3(slct_f32_s32, f32, f32, f32, s32, c >= 0 ? a : b)                \
    R3(slct_b64_s32, u64, u64, u64, s32, c >= 0 ? a : b)                \
    R3(slct_f32_f32, f32, f32, f32, f32, c >= 0 ? a : b)                \
    R3(slct_b32_f32, u32, u32, u32, f32, c >= 0 ? a : b)                \
    R3(dp4a_s32_s32, s32, u32, u32, u32, c +                            \
       (u32)((s8)a * (s8)b) + (u32)((s8)(a >> 8) * (s8)(b >> 8)) +      \
       (u32)((s8)(a >> 16) * (s8)(b >> 16)) +                           \
       (u32)((s8)(a >> 24) * (s8)(b >> 24)))                            \
    R3(dp4a_u32_u32, u32, u32, u32, u32, c +                            \
       (u32)((u8)a * (u8)b) + (u32)((u8)(a >> 8) * (u8)(b >> 8)) +      \
       (u32)((u8)(a >> 16) * (u8)(b >> 16)) +                           \
       (u32)((u8)(a >> 24) * (u8)(b >> 24)))

#define TABLES(R1, R2, R3, R4) INTEGER_ROWS(R1, R2, R3) \
    BIT_ROWS(R1, R2, R3, R4)
TABLES(ROW1, ROW2, ROW3, ROW4)
const struct Row integer_rows[] = {
    TABLES(ENTRY1, ENTRY2, ENTRY3, ENTRY4) { 0 }
};

/* comparisons of integers */
#define EQUAL_OF(C, T, n)                                               \
    C(eq_##n, T, a == b) C(ne_##n, T, a != b)
#define ORDER_OF(C, T)                                                  \
    C(lt_##T, T, a < b) C(le_##T, T, a <= b)                            \
    C(gt_##T, T, a > b) C(ge_##T, T, a >= b)
#define SAME_OF(C, T)                                                   \
    C(lo_##T, T, a < b) C(ls_##T, T, a <= b)                            \
    C(hi_##T, T, a > b) C(hs_##T, T, a >= b)
#define INTEGER_COMPARES(C)                                             \
    EQUAL_OF(C, u16, u16) EQUAL_OF(C, s16, s16) EQUAL_OF(C, u16, b16)   \
    EQUAL_OF(C, u32, u32) EQUAL_OF(C, s32, s32) EQUAL_OF(C, u32, b32)   \
    EQUAL_OF(C, u64, u64) EQUAL_OF(C, s64, s64) EQUAL_OF(C, u64, b64)   \
    ORDER_OF(C, u16) ORDER_OF(C, s16) ORDER_OF(C, u32) ORDER_OF(C, s32) \
    ORDER_OF(C, u64) ORDER_OF(C, s64)                                   \
    SAME_OF(C, u16) SAME_OF(C, u32) SAME_OF(C, u64)
INTEGER_COMPARES(COMPARE)
const struct CompareRow integer_compares[] = {
    INTEGER_COMPARES(ENTRYC) { 0 }
};
