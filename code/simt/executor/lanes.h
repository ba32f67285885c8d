/* Tangled from chapters/workshop/ptx.nw, "Thirty-two lanes at a time".  Edit it there. */

/* How an instruction that only computes becomes a function: a row of a
 * table gives its name, the types of its operands and an expression in a,
 * b, c and e; the macros make loops over the lanes of it. */
#ifndef SIMT_EXECUTOR_LANES_H
#define SIMT_EXECUTOR_LANES_H

#include "simt/simt.h"

#include <math.h>

/* what a lane holds, by type */
typedef uint8_t u8;   typedef int8_t s8;
typedef uint16_t u16; typedef int16_t s16;
typedef uint32_t u32; typedef int32_t s32;
typedef uint64_t u64; typedef int64_t s64;
typedef float f32;    typedef double f64;

/* A register holds 32 slots of 4 or of 8 bytes. */
typedef uint32_t slot4 __attribute__((may_alias));
typedef uint64_t slot8 __attribute__((may_alias));
typedef float slotf __attribute__((may_alias));
typedef double slotd __attribute__((may_alias));

#define SLOT_u8 slot4
#define SLOT_s8 slot4
#define SLOT_u16 slot4
#define SLOT_s16 slot4
#define SLOT_u32 slot4
#define SLOT_s32 slot4
#define SLOT_u64 slot8
#define SLOT_s64 slot8
#define SLOT_f32 slotf
#define SLOT_f64 slotd
#define SLOT_n32 slotf      /* float, computed: NaN is the hardware's    */
#define SLOT_z32 slotf      /* likewise, subnormals read, written as 0   */
#define SLOT_h16 slot4      /* half: computed with as float              */
#define SLOT_q16 slot4      /* bfloat16: likewise                        */

#define READ_u8(x) (u8)(x)
#define READ_s8(x) (s8)(x)
#define READ_u16(x) (u16)(x)
#define READ_s16(x) (s16)(x)
#define READ_u32(x) (u32)(x)
#define READ_s32(x) (s32)(x)
#define READ_u64(x) (u64)(x)
#define READ_s64(x) (s64)(x)
#define READ_f32(x) (x)
#define READ_f64(x) (x)
#define READ_n32(x) (x)
#define READ_z32(x) flushed(x)
#define READ_h16(x) float_from_half((u16)(x))
#define READ_q16(x) float_from_bf16((u16)(x))

#define WRITE_u8(x) (u32)(u8)(x)
#define WRITE_s8(x) (u32)(s8)(x)
#define WRITE_u16(x) (u32)(u16)(x)
#define WRITE_s16(x) (u32)(s16)(x)
#define WRITE_u32(x) (u32)(x)
#define WRITE_s32(x) (u32)(x)
#define WRITE_u64(x) (u64)(x)
#define WRITE_s64(x) (u64)(x)
#define WRITE_f32(x) (f32)(x)
#define WRITE_f64(x) (f64)(x)
#define WRITE_n32(x) one_nan((f32)(x))
#define WRITE_z32(x) flushed(one_nan(x))
#define WRITE_h16(x) half_from_float(x)
#define WRITE_q16(x) bf16_from_float(x)

/* Processors give NaN different bits; the hardware has one. */
static inline f32 one_nan(f32 x)
{
    return x == x ? x : __builtin_nanf("0x3fffff");
}

/* Letters of a signature: how a number among the operands is to be read. */
#define LETTER_u8 "w"
#define LETTER_s8 "w"
#define LETTER_u16 "w"
#define LETTER_s16 "w"
#define LETTER_u32 "w"
#define LETTER_s32 "w"
#define LETTER_u64 "l"
#define LETTER_s64 "l"
#define LETTER_f32 "f"
#define LETTER_f64 "d"
#define LETTER_n32 "f"
#define LETTER_z32 "f"
#define LETTER_h16 "w"
#define LETTER_q16 "w"

/* the smaller and the larger of two */
/* Of a number and NaN, the number; -0 is smaller than +0. */
static inline f32 smaller(f32 a, f32 b)
{
    f32 equal = signbit(a) ? a : b;
    f32 other = a != a ? b : a;
    return a < b ? a : b < a ? b : a == b ? equal : other;
}

static inline f32 larger(f32 a, f32 b)
{
    f32 equal = signbit(a) ? b : a;
    f32 other = a != a ? b : a;
    return a > b ? a : b > a ? b : a == b ? equal : other;
}

/* a loop over the lanes */
/* Registers are either the same or apart, so lanes do not depend on each
 * other; the compiler cannot know that, and is told. */
#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
/* It allows; a loop that is none for vectors is no mistake. */
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

#define REGISTER(w, at, slot)                                           \
    ((slot *)__builtin_assume_aligned((w)->file + (at), 64))

extern const uint32_t lane_bit[LANES];          /* 1, 2, 4, ...          */

#define EACH_LANE(on, d, value)                                         \
    if ((on) == ALL_LANES) {                                            \
        INDEPENDENT                                                     \
        for (int l = 0; l < LANES; l++)                                 \
            (d)[l] = (value);                                           \
    } else {                                                            \
        for (int l = 0; l < LANES; l++)                                 \
            if ((on) >> l & 1)                                          \
                (d)[l] = (value);                                       \
    }

/* one row, twice compiled */
/* Once for any processor, once for those with 256-bit vectors and fused
 * multiply-add; the reader of PTX picks. */
#ifdef __x86_64__
#define WIDE __attribute__((target("avx2,fma,bmi,bmi2,popcnt,lzcnt,f16c")))
#define TWICE(name, body)                                               \
    static void name##_plain(struct Warp *w, const struct Instruction *i,\
                             uint32_t on) body                          \
    WIDE static void name##_wide(struct Warp *w,                        \
                      const struct Instruction *i, uint32_t on) body
#define BOTH(name) { name##_plain, name##_wide }
#else
#define WIDE
#define TWICE(name, body)                                               \
    static void name##_plain(struct Warp *w, const struct Instruction *i,\
                             uint32_t on) body
#define BOTH(name) { name##_plain, name##_plain }
#endif
int wide_lanes(void);           /* 1: this processor runs the wide ones  */

/* rows of a table */
struct Row {
    const char *name;           /* dots written as underscores           */
    const char *operands;       /* a letter for each, destination first  */
    Handler *run[2];            /* plain, wide                           */
};

#define IN(x, at, T)                                                    \
    const SLOT_##T *x##_ = REGISTER(w, i->at, const SLOT_##T)
#define GET(x, T) READ_##T(x##_[l])

#define ROW1(name, D, A, expr, ...)                                     \
    TWICE(name, {                                                       \
        SLOT_##D *d = REGISTER(w, i->d[0], SLOT_##D);                   \
        IN(a, a[0], A);                                                 \
        EACH_LANE(on, d, ({ __auto_type a = GET(a, A);                  \
                            WRITE_##D(expr); }))                        \
    })
#define ROW2(name, D, A, B, expr, ...)                                  \
    TWICE(name, {                                                       \
        SLOT_##D *d = REGISTER(w, i->d[0], SLOT_##D);                   \
        IN(a, a[0], A); IN(b, b[0], B);                                 \
        EACH_LANE(on, d, ({ __auto_type a = GET(a, A);                  \
                            __auto_type b = GET(b, B);                  \
                            WRITE_##D(expr); }))                        \
    })
#define ROW3(name, D, A, B, C, expr, ...)                               \
    TWICE(name, {                                                       \
        SLOT_##D *d = REGISTER(w, i->d[0], SLOT_##D);                   \
        IN(a, a[0], A); IN(b, b[0], B); IN(c, c[0], C);                 \
        EACH_LANE(on, d, ({ __auto_type a = GET(a, A);                  \
                            __auto_type b = GET(b, B);                  \
                            __auto_type c = GET(c, C);                  \
                            WRITE_##D(expr); }))                        \
    })
#define ROW4(name, D, A, B, C, E, expr, ...)                            \
    TWICE(name, {                                                       \
        SLOT_##D *d = REGISTER(w, i->d[0], SLOT_##D);                   \
        IN(a, a[0], A); IN(b, b[0], B); IN(c, c[0], C); IN(e, c[1], E); \
        EACH_LANE(on, d, ({ __auto_type a = GET(a, A);                  \
                            __auto_type b = GET(b, B);                  \
                            __auto_type c = GET(c, C);                  \
                            __auto_type e = GET(e, E);                  \
                            WRITE_##D(expr); }))                        \
    })
#define ENTRY1(name, D, A, expr)                                        \
    { #name, LETTER_##D LETTER_##A, BOTH(name) },
#define ENTRY2(name, D, A, B, expr)                                     \
    { #name, LETTER_##D LETTER_##A LETTER_##B, BOTH(name) },
#define ENTRY3(name, D, A, B, C, expr)                                  \
    { #name, LETTER_##D LETTER_##A LETTER_##B LETTER_##C, BOTH(name) },
#define ENTRY4(name, D, A, B, C, E, expr)                               \
    { #name, LETTER_##D LETTER_##A LETTER_##B LETTER_##C LETTER_##E,    \
      BOTH(name) },

/* COMPARE: a bit for each lane for which expr is true. */
typedef uint32_t Compare(const struct Warp *, const struct Instruction *);
struct CompareRow {
    const char *name, *operands;
    Compare *run[2];
};
#define COMPARE_BODY(T, expr) {                                         \
    IN(a, a[0], T); IN(b, b[0], T);                                     \
    uint32_t bits = 0;                                                  \
    for (int l = 0; l < LANES; l++) {                                   \
        __auto_type a = GET(a, T);                                      \
        __auto_type b = GET(b, T);                                      \
        bits |= (expr) ? lane_bit[l] : 0;                               \
    }                                                                   \
    return bits; }
#ifdef __x86_64__
#define COMPARE(name, T, expr)                                          \
    static uint32_t name##_plain(const struct Warp *w,                  \
               const struct Instruction *i) COMPARE_BODY(T, expr)       \
    WIDE static uint32_t name##_wide(const struct Warp *w,              \
               const struct Instruction *i) COMPARE_BODY(T, expr)
#else
#define COMPARE(name, T, expr)                                          \
    static uint32_t name##_plain(const struct Warp *w,                  \
               const struct Instruction *i) COMPARE_BODY(T, expr)
#endif
#define ENTRYC(name, T, expr) { #name, LETTER_##T LETTER_##T, BOTH(name) },

/* NULL: no such row. */
const struct Row *row_named(const char *name);
const struct CompareRow *compare_named(const char *name);

#endif
