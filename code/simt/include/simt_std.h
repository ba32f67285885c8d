/* Tangled from chapters/workshop/foreign-programs.nw, "Double precision".  Edit it there. */

#ifndef SIMT_STD_H
#define SIMT_STD_H

SIMT_DEVICE int abs(int x) { return x < 0 ? -x : x; }
SIMT_DEVICE long labs(long x) { return x < 0 ? -x : x; }
SIMT_DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }
SIMT_DEVICE long abs(long x) { return x < 0 ? -x : x; }
SIMT_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
SIMT_DEVICE float abs(float x) { return __builtin_fabsf(x); }
SIMT_DEVICE double abs(double x) { return __builtin_fabs(x); }
SIMT_DEVICE void *memcpy(void *to, const void *from, size_t bytes)
{
    return __builtin_memcpy(to, from, bytes);
}
SIMT_DEVICE void *memset(void *to, int byte, size_t bytes)
{
    return __builtin_memset(to, byte, bytes);
}

/* functions of floats under their general names */
#define SIMT_ALSO_FLOAT(name) \
    SIMT_DEVICE float name(float x) { return name##f(x); }
SIMT_ALSO_FLOAT(cbrt)
SIMT_ALSO_FLOAT(rint)
SIMT_ALSO_FLOAT(round)
SIMT_ALSO_FLOAT(trunc)
SIMT_ALSO_FLOAT(nearbyint)
SIMT_DEVICE float fmod(float x, float y) { return fmodf(x, y); }
SIMT_DEVICE float hypot(float x, float y) { return hypotf(x, y); }
SIMT_DEVICE float fmax(float x, float y) { return fmaxf(x, y); }
SIMT_DEVICE float fmin(float x, float y) { return fminf(x, y); }
SIMT_DEVICE float copysign(float x, float y) { return copysignf(x, y); }
SIMT_DEVICE float modf(float x, float *y) { return modff(x, y); }
SIMT_DEVICE float frexp(float x, int *e) { return frexpf(x, e); }
SIMT_DEVICE float fdividef(float x, float y) { return x / y; }

/* functions of integers */
template <class T> struct simt_number { enum { is = 0 }; };
template <class T> struct simt_integer {};
#define SIMT_IS_INTEGER(T)                                              \
    template <> struct simt_number<T> { enum { is = 1 }; };             \
    template <> struct simt_integer<T> { typedef double type; };
SIMT_IS_INTEGER(bool) SIMT_IS_INTEGER(char) SIMT_IS_INTEGER(signed char)
SIMT_IS_INTEGER(unsigned char) SIMT_IS_INTEGER(short) SIMT_IS_INTEGER(int)
SIMT_IS_INTEGER(unsigned short) SIMT_IS_INTEGER(unsigned)
SIMT_IS_INTEGER(long) SIMT_IS_INTEGER(unsigned long)
SIMT_IS_INTEGER(long long) SIMT_IS_INTEGER(unsigned long long)
template <> struct simt_number<float> { enum { is = 1 }; };
template <> struct simt_number<double> { enum { is = 1 }; };
template <class T, class U, int a = simt_number<T>::is,
          int b = simt_number<U>::is> struct simt_mixed {};
template <class T, class U>
struct simt_mixed<T, U, 1, 1> { typedef double type; };
template <class T> struct simt_mixed<T, T, 1, 1> {};
#define SIMT_OF_INTEGER(name)                                             \
    template <class T> SIMT_DEVICE                                        \
    typename simt_integer<T>::type name(T x)                              \
    {                                                                     \
        return name((double)x);                                           \
    }
#define SIMT_OF_TWO(name)                                                 \
    template <class T, class U> SIMT_DEVICE                               \
    typename simt_mixed<T, U>::type name(T x, U y)                        \
    {                                                                     \
        return name((double)x, (double)y);                                \
    }                                                                     \
    template <class T> SIMT_DEVICE                                        \
    typename simt_integer<T>::type name(T x, T y)                         \
    {                                                                     \
        return name((double)x, (double)y);                                \
    }
#define SIMT_EACH(X)                                                      \
    X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin)       \
    X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh)         \
    X(asinh) X(acosh) X(atanh) X(erf) X(erfc) X(sqrt) X(cbrt) X(floor)    \
    X(ceil) X(trunc) X(round) X(rint) X(fabs) X(tgamma) X(lgamma)
SIMT_EACH(SIMT_OF_INTEGER)
#define SIMT_EACH_PAIR(X) \
    X(pow) X(atan2) X(fmod) X(hypot) X(fmax) X(fmin) X(fdim) X(copysign)
SIMT_EACH_PAIR(SIMT_OF_TWO)

/* the same names in std */
namespace std {
#define SIMT_USING(name) using ::name;
#define SIMT_USING_FLOAT(name) using ::name##f;
SIMT_EACH(SIMT_USING)
SIMT_EACH_PAIR(SIMT_USING)
using ::abs;
using ::fma;
using ::ldexp;
using ::frexp;
using ::modf;
using ::remainder;
}

#endif
