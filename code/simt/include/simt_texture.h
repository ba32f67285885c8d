/* Tangled from chapters/workshop/foreign-features.nw, "What a kernel does with them".  Edit it there. */

/* Textures and surfaces in kernels. */
#ifndef SIMT_TEXTURE_H
#define SIMT_TEXTURE_H
#include "simt_texture_words.h"

typedef const __attribute__((address_space(4))) struct simt_texture
    *simt_object;
SIMT_DEVICE simt_object simt_object_of(unsigned long long o)
{
    return (simt_object)o;
}

/* the channels of an element */
SIMT_DEVICE float simt_channel_float(simt_object t, const char *p)
{
    float most = t->bits == 8 ? 255.0f : 65535.0f;
    if (t->kind == cudaChannelFormatKindSigned)
        most = t->bits == 8 ? 127.0f : 32767.0f;
    float x;
    if (t->bits == 32)
        return *(const float *)p;
    if (t->kind == cudaChannelFormatKindFloat) {
        asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(*(const short *)p));
        return x;
    }
    if (t->kind == cudaChannelFormatKindUnsigned)
        x = t->bits == 8 ? *(const unsigned char *)p
                         : *(const unsigned short *)p;
    else
        x = t->bits == 8 ? *(const signed char *)p : *(const short *)p;
    x = x / most;
    return x < -1.0f ? -1.0f : x;
}
template <class C>
SIMT_DEVICE void simt_channel(simt_object, const char *p, C *to)
{
    *to = *(const C *)p;
}
SIMT_DEVICE void simt_channel(simt_object t, const char *p, float *to)
{
    *to = simt_channel_float(t, p);
}

/* The element at whole coordinates, which may be outside: then the border's
 * value.  A layer is the third coordinate. */
template <class T>
SIMT_DEVICE T simt_texel(simt_object t, int x, int y, int z)
{
    typedef typename simt_channels<T>::type C;
    C out[simt_channels<T>::n];
    bool inside = (unsigned)x < (unsigned)t->size[0] &&
                  (unsigned)y < (unsigned)t->size[1] &&
                  (unsigned)z < (unsigned)t->size[2];
    const char *p = (const char *)t->data + z * t->slice +
                    (size_t)y * t->pitch + (size_t)x * t->element;
    for (int i = 0; i < simt_channels<T>::n; i++)
        if (!inside)
            out[i] = (C)t->border[i];
        else if (i < t->channels)
            simt_channel(t, p + i * (t->bits / 8), &out[i]);
        else
            out[i] = (C)0;
    T result;
    __builtin_memcpy(&result, out, sizeof result);
    return result;
}

/* coordinates outside of a texture */
/* A whole coordinate after the rule of its axis; -1: outside. */
SIMT_DEVICE int simt_address(simt_object t, int axis, int i)
{
    int n = t->size[axis], mode = t->address[axis];
    if (!t->normalized && mode != cudaAddressModeBorder)
        mode = cudaAddressModeClamp;
    if (mode == cudaAddressModeBorder)
        return (unsigned)i < (unsigned)n ? i : -1;
    if (mode == cudaAddressModeClamp)
        return i < 0 ? 0 : i < n ? i : n - 1;
    int period = mode == cudaAddressModeWrap ? n : 2 * n;
    i %= period;
    i = i < 0 ? i + period : i;
    return i < n ? i : 2 * n - 1 - i;
}
SIMT_DEVICE float simt_scaled(simt_object t, int axis, float x)
{
    return t->normalized ? x * t->size[axis] : x;
}

/* interpolate */
template <class T> SIMT_DEVICE T simt_mix(T a, T b, float w)
{
    typedef typename simt_channels<T>::type C;
    C *x = (C *)&a, *y = (C *)&b;
    for (int i = 0; i < simt_channels<T>::n; i++)
        x[i] = (C)((1.0f - w) * x[i] + w * y[i]);
    return a;
}
SIMT_DEVICE float simt_weight(float x)
{
    return rintf(256.0f * (x - floorf(x))) * (1.0f / 256.0f);
}

/* Whole coordinates, left of the point, and the weights on their right;
 * the axes that are interpolated, 0 for none. */
struct simt_point { int axes, i, j, k; float wx, wy, wz; };

template <class T>
SIMT_DEVICE T simt_in_row(simt_object t, simt_point p, int j, int k)
{
    T a = simt_texel<T>(t, simt_address(t, 0, p.i), j, k);
    return p.axes < 1 ? a : simt_mix(a, simt_texel<T>(
        t, simt_address(t, 0, p.i + 1), j, k), p.wx);
}
template <class T>
SIMT_DEVICE T simt_in_plane(simt_object t, simt_point p, bool high, int k)
{
    T a = simt_in_row<T>(t, p, high ? simt_address(t, 1, p.j) : 0, k);
    return p.axes < 2 ? a : simt_mix(a, simt_in_row<T>(
        t, p, simt_address(t, 1, p.j + 1), k), p.wy);
}
/* A texture of so many axes; the third is a layer if it has two. */
template <class T>
SIMT_DEVICE T simt_sample(simt_object t, int axes, float x, float y,
                          float z)
{
    const bool linear = t->filter == cudaFilterModeLinear, deep = axes > 2;
    const float half = linear ? 0.5f : 0.0f;
    x = simt_scaled(t, 0, x) - half;
    y = simt_scaled(t, 1, y) - half;
    z = deep ? simt_scaled(t, 2, z) - half : z;
    simt_point p = { linear ? axes : 0, (int)floorf(x), (int)floorf(y),
                     (int)floorf(z), simt_weight(x), simt_weight(y),
                     simt_weight(z) };
    T a = simt_in_plane<T>(t, p, axes > 1,
                           deep ? simt_address(t, 2, p.k) : p.k);
    return p.axes < 3 ? a : simt_mix(a, simt_in_plane<T>(
        t, p, true, simt_address(t, 2, p.k + 1)), p.wz);
}

/* fetches by name */
template <class T>
SIMT_DEVICE T tex1Dfetch(cudaTextureObject_t o, int i)
{
    return simt_texel<T>(simt_object_of(o), i, 0, 0);
}
template <class T> SIMT_DEVICE T tex1D(cudaTextureObject_t o, float x)
{
    return simt_sample<T>(simt_object_of(o), 1, x, 0, 0);
}
template <class T>
SIMT_DEVICE T tex2D(cudaTextureObject_t o, float x, float y)
{
    return simt_sample<T>(simt_object_of(o), 2, x, y, 0);
}
template <class T>
SIMT_DEVICE T tex3D(cudaTextureObject_t o, float x, float y, float z)
{
    return simt_sample<T>(simt_object_of(o), 3, x, y, z);
}
template <class T>
SIMT_DEVICE T tex1DLayered(cudaTextureObject_t o, float x, int layer)
{
    return simt_sample<T>(simt_object_of(o), 1, x, 0, layer);
}
template <class T>
SIMT_DEVICE T tex2DLayered(cudaTextureObject_t o, float x, float y,
                           int layer)
{
    return simt_sample<T>(simt_object_of(o), 2, x, y, layer);
}
template <class T>
SIMT_DEVICE T tex2DLod(cudaTextureObject_t o, float x, float y, float)
{
    return tex2D<T>(o, x, y);
}
template <class T>
SIMT_DEVICE T tex1DLod(cudaTextureObject_t o, float x, float)
{
    return tex1D<T>(o, x);
}
template <class T>
SIMT_DEVICE T tex3DLod(cudaTextureObject_t o, float x, float y, float z,
                       float)
{
    return tex3D<T>(o, x, y, z);
}

template <class T>
SIMT_DEVICE T texCubemapLayered(cudaTextureObject_t o, float x, float y,
                                float z, int layer)
{
    float a = fabsf(x), b = fabsf(y), c = fabsf(z), m, s, t;
    int face;
    if (a >= b && a >= c) {
        face = x >= 0 ? 0 : 1;
        m = a, s = x >= 0 ? -z : z, t = -y;
    } else if (b >= c) {
        face = y >= 0 ? 2 : 3;
        m = b, s = x, t = y >= 0 ? z : -z;
    } else {
        face = z >= 0 ? 4 : 5;
        m = c, s = z >= 0 ? x : -x, t = -y;
    }
    simt_object d = simt_object_of(o);
    s = 0.5f * (s / m + 1.0f), t = 0.5f * (t / m + 1.0f);
    return simt_sample<T>(d, 2, d->normalized ? s : s * d->size[0],
                          d->normalized ? t : t * d->size[1],
                          6 * layer + face);
}
template <class T>
SIMT_DEVICE T texCubemap(cudaTextureObject_t o, float x, float y, float z)
{
    return texCubemapLayered<T>(o, x, y, z, 0);
}
template <class T>
SIMT_DEVICE void tex1Dfetch(T *to, cudaTextureObject_t o, int i)
{
    *to = tex1Dfetch<T>(o, i);
}
template <class T>
SIMT_DEVICE void tex2D(T *to, cudaTextureObject_t o, float x, float y)
{
    *to = tex2D<T>(o, x, y);
}

/* surfaces */
/* Where the element is; NULL: outside, and nothing is to happen. */
SIMT_DEVICE char *simt_surface_at(simt_object t, int x, int y, int z,
                                  size_t bytes, int mode)
{
    int wide = t->size[0] * (int)t->element, most = wide - (int)bytes;
    bool inside = x >= 0 && x <= most && (unsigned)y < (unsigned)t->size[1]
                  && (unsigned)z < (unsigned)t->size[2];
    if (!inside && mode == cudaBoundaryModeTrap)
        __trap();
    if (!inside && mode == cudaBoundaryModeZero)
        return nullptr;
    x = x < 0 ? 0 : x > most ? most : x;
    y = y < 0 ? 0 : y < t->size[1] ? y : t->size[1] - 1;
    z = z < 0 ? 0 : z < t->size[2] ? z : t->size[2] - 1;
    return (char *)t->data + z * t->slice + (size_t)y * t->pitch + x;
}
template <class T>
SIMT_DEVICE T simt_surface_read(unsigned long long o, int x, int y, int z,
                                int mode)
{
    char *p = simt_surface_at(simt_object_of(o), x, y, z, sizeof(T), mode);
    T value = {};
    if (p)
        value = *(T *)p;
    return value;
}
template <class T>
SIMT_DEVICE void simt_surface_write(unsigned long long o, T value, int x,
                                    int y, int z, int mode)
{
    char *p = simt_surface_at(simt_object_of(o), x, y, z, sizeof(T), mode);
    if (p)
        *(T *)p = value;
}

#define SIMT_COMMA ,
#define SIMT_SURFACE(name, parameters, x, y, z)                           \
    template <class T>                                                    \
    SIMT_DEVICE T name##read(cudaSurfaceObject_t o, parameters,           \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)              \
    {                                                                     \
        return simt_surface_read<T>(o, x, y, z, mode);                    \
    }                                                                     \
    template <class T>                                                    \
    SIMT_DEVICE void name##read(T *to, cudaSurfaceObject_t o, parameters, \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)              \
    {                                                                     \
        *to = simt_surface_read<T>(o, x, y, z, mode);                     \
    }                                                                     \
    template <class T>                                                    \
    SIMT_DEVICE void name##write(T value, cudaSurfaceObject_t o,          \
        parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)  \
    {                                                                     \
        simt_surface_write(o, value, x, y, z, mode);                      \
    }
SIMT_SURFACE(surf1D, int a, a, 0, 0)
SIMT_SURFACE(surf2D, int a SIMT_COMMA int b, a, b, 0)
SIMT_SURFACE(surf3D, int a SIMT_COMMA int b SIMT_COMMA int c, a, b, c)
SIMT_SURFACE(surf2DLayered, int a SIMT_COMMA int b SIMT_COMMA int c, a, b,
             c)

#endif
