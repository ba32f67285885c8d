/* Tangled from chapters/workshop/simt-runtime.nw, "Vectors".  Edit it there. */

/* The vectors of CUDA, for C, C++ and kernels. */
#ifndef SIMT_VECTOR_TYPES_H
#define SIMT_VECTOR_TYPES_H

/* a vector is copied by one access */
#ifdef __CUDA__
#define SIMT_IN_VECTOR \
    __attribute__((host, device, always_inline, nodebug))
#define SIMT_ONE_ACCESS(name, T, n)                                       \
    name() = default;                                                     \
    SIMT_IN_VECTOR name(const name &v) { *this = v; }                     \
    SIMT_IN_VECTOR name &operator=(const name &v)                         \
    {                                                                     \
        typedef T all                                                     \
            __attribute__((ext_vector_type(n), may_alias));               \
        *(all *)this = *(const all *)&v;                                  \
        return *this;                                                     \
    }
#define SIMT_FROM2(name, T) \
    SIMT_IN_VECTOR constexpr name(T x_, T y_ = 0) : x(x_), y(y_) {}
#define SIMT_FROM4(name, T)                                               \
    SIMT_IN_VECTOR constexpr name(T x_, T y_ = 0, T z_ = 0, T w_ = 0)     \
        : x(x_), y(y_), z(z_), w(w_) {}
#define SIMT_BY_VALUE __attribute__((trivial_abi))
#else
#define SIMT_ONE_ACCESS(name, T, n)
#define SIMT_FROM2(name, T)
#define SIMT_FROM4(name, T)
#define SIMT_BY_VALUE
#endif

/* the vectors of a type */
#define SIMT_VECTORS(T, name, two, four)                                  \
    struct name##1 { T x; };                                              \
    struct SIMT_BY_VALUE __attribute__((aligned(two))) name##2 {          \
        T x, y;                                                           \
        SIMT_ONE_ACCESS(name##2, T, 2)                                    \
        SIMT_FROM2(name##2, T)                                            \
    };                                                                    \
    struct name##3 { T x, y, z; };                                        \
    struct SIMT_BY_VALUE __attribute__((aligned(four))) name##4 {         \
        T x, y, z, w;                                                     \
        SIMT_ONE_ACCESS(name##4, T, 4)                                    \
        SIMT_FROM4(name##4, T)                                            \
    };                                                                    \
    typedef struct name##1 name##1;                                       \
    typedef struct name##2 name##2;                                       \
    typedef struct name##3 name##3;                                       \
    typedef struct name##4 name##4;

/* all vector types */
SIMT_VECTORS(signed char, char, 2, 4)
SIMT_VECTORS(unsigned char, uchar, 2, 4)
SIMT_VECTORS(short, short, 4, 8)
SIMT_VECTORS(unsigned short, ushort, 4, 8)
SIMT_VECTORS(int, int, 8, 16)
SIMT_VECTORS(unsigned, uint, 8, 16)
SIMT_VECTORS(long, long, 16, 16)
SIMT_VECTORS(unsigned long, ulong, 16, 16)
SIMT_VECTORS(long long, longlong, 16, 16)
SIMT_VECTORS(unsigned long long, ulonglong, 16, 16)
SIMT_VECTORS(float, float, 8, 16)
SIMT_VECTORS(double, double, 16, 16)

#endif
