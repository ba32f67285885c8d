/* Tangled from chapters/workshop/foreign-features.nw, "Textures as variables".  Edit it there. */

/* Textures as variables. */
#ifndef SIMT_TEXTURE_REFERENCE_H
#define SIMT_TEXTURE_REFERENCE_H

struct textureReference {
    int normalized;
    cudaTextureFilterMode filterMode;
    cudaTextureAddressMode addressMode[3];
    cudaChannelFormatDesc channelDesc;
    int sRGB;
};
template <class T, int axes = 1,
          cudaTextureReadMode read = cudaReadModeElementType>
struct texture : textureReference {
    simt_texture words;
};

/* bind a texture */
template <class T, int axes, cudaTextureReadMode read>
SIMT_HOST cudaError_t simt_bind(const texture<T, axes, read> &t,
                                const cudaResourceDesc &r)
{
    cudaTextureDesc d = {};
    simt_texture words;
    for (int i = 0; i < 3; i++)
        d.addressMode[i] = t.addressMode[i];
    d.filterMode = t.filterMode;
    d.readMode = read;
    d.normalizedCoords = t.normalized;
    cudaError_t code = simt_describe_texture(&words, &r, &d);
    return code ? code : cudaMemcpyToSymbol(
        (const void *)&t, &words, sizeof words,
        (size_t)((const char *)&t.words - (const char *)&t),
        cudaMemcpyHostToDevice);
}
template <class T, int axes, cudaTextureReadMode read>
SIMT_HOST cudaError_t cudaBindTexture(
    size_t *offset, const texture<T, axes, read> &t, const void *p,
    const cudaChannelFormatDesc &f, size_t bytes = 0xffffffffu)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = const_cast<void *>(p);
    r.res.linear.desc = f;
    r.res.linear.sizeInBytes = bytes;
    if (offset)
        *offset = 0;
    return simt_bind(t, r);
}
template <class T, int axes, cudaTextureReadMode read>
SIMT_HOST cudaError_t cudaBindTexture(
    size_t *offset, const texture<T, axes, read> &t, const void *p,
    size_t bytes = 0xffffffffu)
{
    return cudaBindTexture(offset, t, p, cudaCreateChannelDesc<T>(), bytes);
}

template <class T, int axes, cudaTextureReadMode read>
SIMT_HOST cudaError_t cudaBindTexture2D(
    size_t *offset, const texture<T, axes, read> &t, const void *p,
    const cudaChannelFormatDesc &f, size_t width, size_t height,
    size_t pitch)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D = { const_cast<void *>(p), f, width, height, pitch };
    if (offset)
        *offset = 0;
    return simt_bind(t, r);
}
template <class T, int axes, cudaTextureReadMode read>
SIMT_HOST cudaError_t cudaBindTextureToArray(
    const texture<T, axes, read> &t, cudaArray_t a)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return simt_bind(t, r);
}
template <class T, int axes, cudaTextureReadMode read>
SIMT_HOST cudaError_t cudaBindTextureToArray(
    const texture<T, axes, read> &t, cudaArray_t a,
    const cudaChannelFormatDesc &)
{
    return cudaBindTextureToArray(t, a);
}
template <class T, int axes, cudaTextureReadMode read>
SIMT_HOST cudaError_t cudaUnbindTexture(const texture<T, axes, read> &)
{
    return cudaSuccess;
}

/* fetches from a variable */
template <class T, cudaTextureReadMode read> struct simt_fetched {
    typedef T type;
};
template <class T> struct simt_fetched<T, cudaReadModeNormalizedFloat> {
    typedef float type;
};
#define SIMT_FETCH(name, axes, parameters, call)                         \
    template <class T, cudaTextureReadMode read>                         \
    SIMT_DEVICE typename simt_fetched<T, read>::type name(               \
        const texture<T, axes, read> &t, parameters)                     \
    {                                                                    \
        typedef typename simt_fetched<T, read>::type R;                  \
        const cudaTextureObject_t o = (cudaTextureObject_t)&t.words;     \
        return call;                                                     \
    }
SIMT_FETCH(tex1Dfetch, 1, int i, tex1Dfetch<R>(o, i))
SIMT_FETCH(tex1D, 1, float x, tex1D<R>(o, x))
SIMT_FETCH(tex2D, 2, float x SIMT_COMMA float y, tex2D<R>(o, x, y))
SIMT_FETCH(tex3D, 3, float x SIMT_COMMA float y SIMT_COMMA float z,
           tex3D<R>(o, x, y, z))

#endif
