/* Tangled from chapters/workshop/simt-runtime.nw, "Half and bfloat16 in a kernel".  Edit it there. */

#ifndef SIMT_NARROW_H
#define SIMT_NARROW_H

#include <cuda_runtime.h>

/* the float with these bits, and back */
SIMT_BOTH unsigned simt_bits(float x)
{
    return __builtin_bit_cast(unsigned, x);
}
SIMT_BOTH float simt_float(unsigned b)
{
    return __builtin_bit_cast(float, b);
}

/* one narrow type */
/* T from_float(float), float to_float(T) are declared before. */
#define SIMT_NARROW_TYPE(T, T2)                                           \
    struct alignas(2) T {                                                 \
        unsigned short __x;                                               \
        T() = default;                                                    \
        SIMT_MEMBER T(float x);                                           \
        SIMT_MEMBER operator float() const;                               \
        SIMT_MEMBER T &operator+=(T b);                                   \
        SIMT_MEMBER T &operator-=(T b);                                   \
        SIMT_MEMBER T &operator*=(T b);                                   \
    };                                                                    \
    struct alignas(4) T2 {                                                \
        T x, y;                                                           \
        T2() = default;                                                   \
        SIMT_MEMBER T2(T a, T b) : x(a), y(b) {}                          \
    };                                                                    \
    SIMT_BOTH T simt_narrow_##T(unsigned short bits)                      \
    {                                                                     \
        T v;                                                              \
        v.__x = bits;                                                     \
        return v;                                                         \
    }                                                                     \
    SIMT_BOTH unsigned simt_pair(T2 v)                                    \
    {                                                                     \
        return v.x.__x | (unsigned)v.y.__x << 16;                         \
    }                                                                     \
    SIMT_BOTH T2 simt_pair_##T(unsigned bits)                             \
    {                                                                     \
        return T2(simt_narrow_##T((unsigned short)bits),                  \
                  simt_narrow_##T((unsigned short)(bits >> 16)));         \
    }

#define SIMT_NARROW_REST(T, T2, narrow, wide, one)                        \
    SIMT_MEMBER T::T(float x) : T(narrow(x)) {}                           \
    SIMT_MEMBER T::operator float() const { return wide(*this); }         \
    SIMT_BOTH float __low2float(T2 v) { return wide(v.x); }               \
    SIMT_BOTH float __high2float(T2 v) { return wide(v.y); }              \
    SIMT_BOTH T simt_one_##T(void) { return simt_narrow_##T(one); }       \
    SIMT_BOTH T simt_minus_one_##T(void)                                  \
    {                                                                     \
        return simt_narrow_##T(0x8000 | one);                             \
    }                                                                     \
    SIMT_BOTH T simt_minus_zero_##T(void)                                 \
    {                                                                     \
        return simt_narrow_##T(0x8000);                                   \
    }

/* arithmetic on narrow numbers */
#ifdef __CUDA_ARCH__
#define SIMT_NARROW3(T, text, a, b, c, otherwise)                         \
    T r;                                                                  \
    asm(text : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));         \
    return r
#define SIMT_NARROW3_PAIR(T, text, a, b, c, otherwise)                    \
    unsigned r;                                                           \
    asm(text : "=r"(r)                                                    \
        : "r"(simt_pair(a)), "r"(simt_pair(b)), "r"(simt_pair(c)));       \
    return simt_pair_##T(r)
#else
#define SIMT_NARROW3(T, text, a, b, c, otherwise) return T(otherwise)
#define SIMT_NARROW3_PAIR(T, text, a, b, c, otherwise) return otherwise
#endif

/* add, sub, mul, fma: PTX for %0 = f(%1, %2, %3) */
#define SIMT_NARROW(T, T2, add, sub, mul, fma_)                           \
    SIMT_BOTH T __hadd(T a, T b)                                          \
    {                                                                     \
        SIMT_NARROW3(T, add(""), a, b, simt_one_##T(),                    \
                     float(a) + float(b));                                \
    }                                                                     \
    SIMT_BOTH T __hsub(T a, T b)                                          \
    {                                                                     \
        SIMT_NARROW3(T, sub(""), a, b, simt_minus_one_##T(),              \
                     float(a) - float(b));                                \
    }                                                                     \
    SIMT_BOTH T __hmul(T a, T b)                                          \
    {                                                                     \
        SIMT_NARROW3(T, mul(""), a, b, simt_minus_zero_##T(),             \
                     float(a) * float(b));                                \
    }                                                                     \
    SIMT_BOTH T __hfma(T a, T b, T c)                                     \
    {                                                                     \
        SIMT_NARROW3(T, fma_(""), a, b, c,                                \
                     simt_fma_##T(float(a), float(b), float(c)));         \
    }                                                                     \
    SIMT_BOTH T2 __hadd2(T2 a, T2 b)                                      \
    {                                                                     \
        T2 one(simt_one_##T(), simt_one_##T());                           \
        SIMT_NARROW3_PAIR(T, add("x2"), a, b, one,                        \
                          (T2(__hadd(a.x, b.x), __hadd(a.y, b.y))));      \
    }                                                                     \
    SIMT_BOTH T2 __hmul2(T2 a, T2 b)                                      \
    {                                                                     \
        T2 zero(simt_minus_zero_##T(), simt_minus_zero_##T());            \
        SIMT_NARROW3_PAIR(T, mul("x2"), a, b, zero,                       \
                          (T2(__hmul(a.x, b.x), __hmul(a.y, b.y))));      \
    }                                                                     \
    SIMT_BOTH T2 __hfma2(T2 a, T2 b, T2 c)                                \
    {                                                                     \
        SIMT_NARROW3_PAIR(T, fma_("x2"), a, b, c,                         \
                          (T2(__hfma(a.x, b.x, c.x),                      \
                              __hfma(a.y, b.y, c.y))));                   \
    }                                                                     \
    SIMT_BOTH T __hdiv(T a, T b) { return T(float(a) / float(b)); }       \
    SIMT_BOTH T __hneg(T a)                                               \
    {                                                                     \
        return simt_narrow_##T((unsigned short)(a.__x ^ 0x8000));         \
    }                                                                     \
    SIMT_BOTH T __habs(T a)                                               \
    {                                                                     \
        return simt_narrow_##T((unsigned short)(a.__x & 0x7fff));         \
    }                                                                     \
    SIMT_BOTH T operator+(T a, T b) { return __hadd(a, b); }              \
    SIMT_BOTH T operator-(T a, T b) { return __hsub(a, b); }              \
    SIMT_BOTH T operator*(T a, T b) { return __hmul(a, b); }              \
    SIMT_BOTH T operator/(T a, T b) { return __hdiv(a, b); }              \
    SIMT_BOTH T operator-(T a) { return __hneg(a); }                      \
    SIMT_MEMBER T &T::operator+=(T b)                                     \
    {                                                                     \
        return *this = __hadd(*this, b);                                  \
    }                                                                     \
    SIMT_MEMBER T &T::operator-=(T b)                                     \
    {                                                                     \
        return *this = __hsub(*this, b);                                  \
    }                                                                     \
    SIMT_MEMBER T &T::operator*=(T b)                                     \
    {                                                                     \
        return *this = __hmul(*this, b);                                  \
    }                                                                     \
    SIMT_NARROW_COMPARE(T)

/* comparing narrow numbers */
#define SIMT_NARROW_COMPARE1(T, name, op)                                 \
    SIMT_BOTH bool name(T a, T b) { return float(a) op float(b); }        \
    SIMT_BOTH bool operator op(T a, T b) { return float(a) op float(b); }
#define SIMT_NARROW_COMPARE(T)                                            \
    SIMT_NARROW_COMPARE1(T, __heq, ==)                                    \
    SIMT_NARROW_COMPARE1(T, __hne, !=)                                    \
    SIMT_NARROW_COMPARE1(T, __hlt, <)                                     \
    SIMT_NARROW_COMPARE1(T, __hle, <=)                                    \
    SIMT_NARROW_COMPARE1(T, __hgt, >)                                     \
    SIMT_NARROW_COMPARE1(T, __hge, >=)                                    \
    SIMT_BOTH bool __hisnan(T a) { return float(a) != float(a); }         \
    SIMT_BOTH T __hmax(T a, T b)                                          \
    {                                                                     \
        return __hisnan(a) ? b : float(a) < float(b) ? b : a;             \
    }                                                                     \
    SIMT_BOTH T __hmin(T a, T b)                                          \
    {                                                                     \
        return __hisnan(a) ? b : float(b) < float(a) ? b : a;             \
    }

#endif
