/* Tangled from chapters/workshop/foreign-features.nw, "The rest of half and bfloat16".  Edit it there. */

/* For a type T of 16 bits, pairs T2: what simt_narrow.h leaves out. */
#ifndef SIMT_NARROW_MORE_H
#define SIMT_NARROW_MORE_H

/* pairs of narrow numbers */
#define SIMT_NARROW_UNARY(where, T2, name, one)                           \
    where T2 name(T2 a) { return T2(one(a.x), one(a.y)); }
#define SIMT_NARROW_BINARY(T2, name, one)                                 \
    SIMT_BOTH T2 name(T2 a, T2 b)                                         \
    {                                                                     \
        return T2(one(a.x, b.x), one(a.y, b.y));                          \
    }
#define SIMT_NARROW_PAIRS(T, T2)                                          \
    SIMT_NARROW_BINARY(T2, __hsub2, __hsub)                               \
    SIMT_NARROW_BINARY(T2, __h2div, __hdiv)                               \
    SIMT_NARROW_UNARY(SIMT_BOTH, T2, __hneg2, __hneg)                     \
    SIMT_NARROW_UNARY(SIMT_BOTH, T2, __habs2, __habs)                     \
    SIMT_NARROW_BINARY(T2, __hmin2, __hmin)                               \
    SIMT_NARROW_BINARY(T2, __hmax2, __hmax)                               \
    SIMT_BOTH T2 operator+(T2 a, T2 b) { return __hadd2(a, b); }          \
    SIMT_BOTH T2 operator-(T2 a, T2 b) { return __hsub2(a, b); }          \
    SIMT_BOTH T2 operator*(T2 a, T2 b) { return __hmul2(a, b); }          \
    SIMT_BOTH T2 operator/(T2 a, T2 b) { return __h2div(a, b); }          \
    SIMT_BOTH T2 operator-(T2 a) { return __hneg2(a); }                   \
    SIMT_BOTH T2 &operator+=(T2 &a, T2 b) { return a = a + b; }           \
    SIMT_BOTH T2 &operator-=(T2 &a, T2 b) { return a = a - b; }           \
    SIMT_BOTH T2 &operator*=(T2 &a, T2 b) { return a = a * b; }           \
    SIMT_BOTH T2 &operator/=(T2 &a, T2 b) { return a = a / b; }           \
    SIMT_BOTH T &operator/=(T &a, T b) { return a = a / b; }              \
    SIMT_BOTH T2 __lowhigh2highlow(T2 a) { return T2(a.y, a.x); }

/* comparisons of pairs */
#define SIMT_NARROW_COMPARE_PAIRS1(T, T2, name)                           \
    SIMT_BOTH T2 __h##name##2(T2 a, T2 b)                                 \
    {                                                                     \
        return T2(T(__h##name(a.x, b.x) ? 1.0f : 0.0f),                   \
                  T(__h##name(a.y, b.y) ? 1.0f : 0.0f));                  \
    }                                                                     \
    SIMT_BOTH bool __hb##name##2(T2 a, T2 b)                              \
    {                                                                     \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                \
    }
#define SIMT_NARROW_COMPARE_PAIRS(T, T2)                                  \
    SIMT_NARROW_COMPARE_PAIRS1(T, T2, eq)                                 \
    SIMT_NARROW_COMPARE_PAIRS1(T, T2, ne)                                 \
    SIMT_NARROW_COMPARE_PAIRS1(T, T2, lt)                                 \
    SIMT_NARROW_COMPARE_PAIRS1(T, T2, le)                                 \
    SIMT_NARROW_COMPARE_PAIRS1(T, T2, gt)                                 \
    SIMT_NARROW_COMPARE_PAIRS1(T, T2, ge)                                 \
    SIMT_BOTH bool operator==(T2 a, T2 b) { return __hbeq2(a, b); }       \
    SIMT_BOTH bool operator!=(T2 a, T2 b) { return !__hbeq2(a, b); }      \
    SIMT_BOTH int __hisinf(T a)                                           \
    {                                                                     \
        float x = float(a);                                               \
        return x == __builtin_inff() ? 1 : x == -__builtin_inff() ? -1    \
                                                                  : 0;    \
    }

/* functions of narrow numbers */
#define SIMT_NARROW_FUNCTION(T, T2, name, f)                              \
    SIMT_DEVICE T h##name(T x) { return T(f(float(x))); }                 \
    SIMT_NARROW_UNARY(SIMT_DEVICE, T2, h2##name, h##name)
#define SIMT_NARROW_FUNCTIONS(T, T2)                                      \
    SIMT_NARROW_FUNCTION(T, T2, exp, expf)                                \
    SIMT_NARROW_FUNCTION(T, T2, exp2, exp2f)                              \
    SIMT_NARROW_FUNCTION(T, T2, exp10, exp10f)                            \
    SIMT_NARROW_FUNCTION(T, T2, log, logf)                                \
    SIMT_NARROW_FUNCTION(T, T2, log2, log2f)                              \
    SIMT_NARROW_FUNCTION(T, T2, log10, log10f)                            \
    SIMT_NARROW_FUNCTION(T, T2, sqrt, sqrtf)                              \
    SIMT_NARROW_FUNCTION(T, T2, rsqrt, rsqrtf)                            \
    SIMT_NARROW_FUNCTION(T, T2, rcp, 1.0f /)                              \
    SIMT_NARROW_FUNCTION(T, T2, sin, sinf)                                \
    SIMT_NARROW_FUNCTION(T, T2, cos, cosf)                                \
    SIMT_NARROW_FUNCTION(T, T2, tanh, tanhf)                              \
    SIMT_NARROW_FUNCTION(T, T2, floor, floorf)                            \
    SIMT_NARROW_FUNCTION(T, T2, ceil, ceilf)                              \
    SIMT_NARROW_FUNCTION(T, T2, trunc, truncf)                            \
    SIMT_NARROW_FUNCTION(T, T2, rint, rintf)

#define SIMT_NARROW_INTEGER(T, name, type, I)                             \
    SIMT_BOTH I __##name##2##type##_rz(T x) { return (I)float(x); }       \
    SIMT_BOTH I __##name##2##type##_rn(T x)                               \
    {                                                                     \
        return (I)__builtin_nearbyintf(float(x));                         \
    }                                                                     \
    SIMT_BOTH I __##name##2##type##_rd(T x)                               \
    {                                                                     \
        return (I)__builtin_floorf(float(x));                             \
    }                                                                     \
    SIMT_BOTH I __##name##2##type##_ru(T x)                               \
    {                                                                     \
        return (I)__builtin_ceilf(float(x));                              \
    }                                                                     \
    SIMT_BOTH T __##type##2##name##_rn(I x) { return T((float)x); }
#define SIMT_NARROW_INTEGERS(T, name)                                     \
    SIMT_NARROW_INTEGER(T, name, int, int)                                \
    SIMT_NARROW_INTEGER(T, name, uint, unsigned)                          \
    SIMT_NARROW_INTEGER(T, name, short, short)                            \
    SIMT_NARROW_INTEGER(T, name, ushort, unsigned short)                  \
    SIMT_NARROW_INTEGER(T, name, ll, long long)

/* atomics and shuffles of narrow numbers */
#define SIMT_NARROW_SHUFFLE(T, T2, name, L)                               \
    SIMT_DEVICE T name(unsigned mask, T x, L lane, int width = 32)        \
    {                                                                     \
        return simt_narrow_##T((unsigned short)name(                      \
            mask, (unsigned)x.__x, lane, width));                         \
    }                                                                     \
    SIMT_DEVICE T2 name(unsigned mask, T2 x, L lane, int width = 32)      \
    {                                                                     \
        return simt_pair_##T(name(mask, simt_pair(x), lane, width));      \
    }
#define SIMT_NARROW_ATOMICS(T, T2)                                        \
    SIMT_DEVICE T atomicAdd(T *p, T x)                                    \
    {                                                                     \
        unsigned short *q = (unsigned short *)p, old = *q, seen;          \
        for (;; old = seen) {                                             \
            T sum = __hadd(simt_narrow_##T(old), x);                      \
            seen = atomicCAS(q, old, sum.__x);                            \
            if (seen == old)                                              \
                return simt_narrow_##T(old);                              \
        }                                                                 \
    }                                                                     \
    SIMT_DEVICE T2 atomicAdd(T2 *p, T2 x)                                 \
    {                                                                     \
        unsigned *q = (unsigned *)p, old = *q, seen;                      \
        for (;; old = seen) {                                             \
            seen = atomicCAS(q, old, simt_pair(__hadd2(                   \
                simt_pair_##T(old), x)));                                 \
            if (seen == old)                                              \
                return simt_pair_##T(old);                                \
        }                                                                 \
    }                                                                     \
    SIMT_NARROW_SHUFFLE(T, T2, __shfl_sync, int)                          \
    SIMT_NARROW_SHUFFLE(T, T2, __shfl_up_sync, unsigned)                  \
    SIMT_NARROW_SHUFFLE(T, T2, __shfl_down_sync, unsigned)                \
    SIMT_NARROW_SHUFFLE(T, T2, __shfl_xor_sync, int)
#define SIMT_NARROW_ALL(T, T2, name)                                      \
    SIMT_NARROW_PAIRS(T, T2)                                              \
    SIMT_NARROW_COMPARE_PAIRS(T, T2)                                      \
    SIMT_NARROW_FUNCTIONS(T, T2)                                          \
    SIMT_NARROW_INTEGERS(T, name)                                         \
    SIMT_NARROW_ATOMICS(T, T2)

#endif
