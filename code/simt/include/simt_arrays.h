/* Tangled from chapters/workshop/foreign-features.nw, "Arrays".  Edit it there. */

/* Arrays, and what textures and surfaces are made of. */
#ifndef SIMT_ARRAYS_H
#define SIMT_ARRAYS_H

/* types of arrays */
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat, cudaChannelFormatKindNone,
};
struct cudaChannelFormatDesc {      /* bits of each channel              */
    int x, y, z, w;
    enum cudaChannelFormatKind f;
};
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
struct cudaPitchedPtr { void *ptr; size_t pitch, xsize, ysize; };
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
#define cudaArrayDefault            0u
#define cudaArrayLayered            1u
#define cudaArraySurfaceLoadStore   2u
#define cudaArrayCubemap            4u
#define cudaArrayTextureGather      8u
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    enum cudaMemcpyKind kind;
};

#ifdef __cplusplus
#define SIMT_PLAIN static inline
SIMT_PLAIN cudaExtent make_cudaExtent(size_t w, size_t h, size_t d)
{
    return cudaExtent{ w, h, d };
}
SIMT_PLAIN cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    return cudaPos{ x, y, z };
}
SIMT_PLAIN cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch,
                                              size_t xsize, size_t ysize)
{
    return cudaPitchedPtr{ p, pitch, xsize, ysize };
}
#endif

/* types of textures */
enum cudaTextureAddressMode {
    cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
    cudaAddressModeBorder,
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode {
    cudaReadModeElementType, cudaReadModeNormalizedFloat,
};
enum cudaResourceType {
    cudaResourceTypeArray, cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear, cudaResourceTypePitch2D,
};
enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap,
};
struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};

struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct { cudaArray_t array; } array;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
};
struct cudaResourceViewDesc { int format; size_t width, height, depth; };
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

/* calls about arrays */
SIMT_API cudaError_t cudaMallocArray(cudaArray_t *,
                                     const struct cudaChannelFormatDesc *,
                                     size_t width, size_t height,
                                     unsigned flags);
SIMT_API cudaError_t cudaMalloc3DArray(cudaArray_t *,
                                       const struct cudaChannelFormatDesc *,
                                       struct cudaExtent, unsigned flags);
SIMT_API cudaError_t cudaFreeArray(cudaArray_t);
SIMT_API cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *,
                                      struct cudaExtent *, unsigned *flags,
                                      cudaArray_t);
SIMT_API cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *,
                                        cudaArray_const_t);
SIMT_API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *,
                                  struct cudaExtent);
SIMT_API cudaError_t cudaMemset3D(struct cudaPitchedPtr, int byte,
                                  struct cudaExtent);
SIMT_API cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *);
SIMT_API cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *,
                                       cudaStream_t);

/* more calls about arrays */
SIMT_API cudaError_t cudaMemcpyToArray(cudaArray_t, size_t x, size_t y,
                                       const void *from, size_t bytes,
                                       enum cudaMemcpyKind);
SIMT_API cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t,
                                         size_t x, size_t y, size_t bytes,
                                         enum cudaMemcpyKind);
SIMT_API cudaError_t cudaMemcpy2DToArray(cudaArray_t, size_t x, size_t y,
                                         const void *from, size_t pitch,
                                         size_t width, size_t height,
                                         enum cudaMemcpyKind);
SIMT_API cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch,
                                           cudaArray_const_t, size_t x,
                                           size_t y, size_t width,
                                           size_t height,
                                           enum cudaMemcpyKind);
SIMT_API cudaError_t cudaMemcpy2DToArrayAsync(
    cudaArray_t, size_t x, size_t y, const void *from, size_t pitch,
    size_t width, size_t height, enum cudaMemcpyKind, cudaStream_t);

/* calls about textures */
SIMT_API cudaError_t cudaCreateTextureObject(
    cudaTextureObject_t *, const struct cudaResourceDesc *,
    const struct cudaTextureDesc *, const struct cudaResourceViewDesc *);
SIMT_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
/* What such an object would say. */
struct simt_texture;
SIMT_API cudaError_t simt_describe_texture(struct simt_texture *,
                                           const struct cudaResourceDesc *,
                                           const struct cudaTextureDesc *);
SIMT_API cudaError_t cudaCreateSurfaceObject(
    cudaSurfaceObject_t *, const struct cudaResourceDesc *);
SIMT_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);
SIMT_API cudaError_t cudaGetTextureObjectTextureDesc(
    struct cudaTextureDesc *, cudaTextureObject_t);

#endif
