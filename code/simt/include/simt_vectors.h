/* Tangled from chapters/workshop/simt-runtime.nw, "Vectors".  Edit it there. */

#ifndef SIMT_VECTORS_H
#define SIMT_VECTORS_H

#define SIMT_VECTOR(type, T, n) \
    typedef type T __attribute__((ext_vector_type(n)))

#define SIMT_VECTORS(type, T)                                           \
    SIMT_VECTOR(type, T##2, 2);                                         \
    SIMT_VECTOR(type, T##4, 4);                                         \
    SIMT_BOTH T##2 make_##T##2(type x, type y)                          \
    {                                                                   \
        return (T##2){ x, y };                                          \
    }                                                                   \
    SIMT_BOTH T##4 make_##T##4(type x, type y, type z, type w)          \
    {                                                                   \
        return (T##4){ x, y, z, w };                                    \
    }

SIMT_VECTORS(char, char)
SIMT_VECTORS(unsigned char, uchar)
SIMT_VECTORS(short, short)
SIMT_VECTORS(unsigned short, ushort)
SIMT_VECTORS(int, int)
SIMT_VECTORS(unsigned, uint)
SIMT_VECTORS(float, float)

SIMT_VECTOR(long long, longlong2, 2);
SIMT_VECTOR(unsigned long long, ulonglong2, 2);
SIMT_VECTOR(double, double2, 2);
SIMT_BOTH double2 make_double2(double x, double y)
{
    return (double2){ x, y };
}
SIMT_BOTH longlong2 make_longlong2(long long x, long long y)
{
    return (longlong2){ x, y };
}
SIMT_BOTH ulonglong2 make_ulonglong2(unsigned long long x,
                                     unsigned long long y)
{
    return (ulonglong2){ x, y };
}

struct float3 { float x, y, z; };
struct int3 { int x, y, z; };
SIMT_BOTH float3 make_float3(float x, float y, float z)
{
    return float3{ x, y, z };
}
SIMT_BOTH int3 make_int3(int x, int y, int z) { return int3{ x, y, z }; }
SIMT_BOTH uint3 make_uint3(unsigned x, unsigned y, unsigned z)
{
    return uint3{ x, y, z };
}

#endif
