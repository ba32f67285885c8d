/* Tangled from chapters/workshop/simt-runtime.nw, "Vectors".  Edit it there. */

#ifndef SIMT_VECTOR_FUNCTIONS_H
#define SIMT_VECTOR_FUNCTIONS_H
#include "vector_types.h"

#ifdef __CUDA__
#define SIMT_MAKE static inline __attribute__(( \
    host, device, always_inline, nodebug, unused))
#else
#define SIMT_MAKE static inline __attribute__((unused))
#endif

/* make the vectors of a type */
#define SIMT_MAKE_VECTORS(T, name)                                        \
    SIMT_MAKE name##1 make_##name##1(T x)                                 \
    {                                                                     \
        name##1 v = { x };                                                \
        return v;                                                         \
    }                                                                     \
    SIMT_MAKE name##2 make_##name##2(T x, T y)                            \
    {                                                                     \
        name##2 v = { x, y };                                             \
        return v;                                                         \
    }                                                                     \
    SIMT_MAKE name##3 make_##name##3(T x, T y, T z)                       \
    {                                                                     \
        name##3 v = { x, y, z };                                          \
        return v;                                                         \
    }                                                                     \
    SIMT_MAKE name##4 make_##name##4(T x, T y, T z, T w)                  \
    {                                                                     \
        name##4 v = { x, y, z, w };                                       \
        return v;                                                         \
    }

/* make all vector types */
SIMT_MAKE_VECTORS(signed char, char)
SIMT_MAKE_VECTORS(unsigned char, uchar)
SIMT_MAKE_VECTORS(short, short)
SIMT_MAKE_VECTORS(unsigned short, ushort)
SIMT_MAKE_VECTORS(int, int)
SIMT_MAKE_VECTORS(unsigned, uint)
SIMT_MAKE_VECTORS(long, long)
SIMT_MAKE_VECTORS(unsigned long, ulong)
SIMT_MAKE_VECTORS(long long, longlong)
SIMT_MAKE_VECTORS(unsigned long long, ulonglong)
SIMT_MAKE_VECTORS(float, float)
SIMT_MAKE_VECTORS(double, double)

#endif
