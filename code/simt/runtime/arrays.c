/* Tangled from chapters/workshop/foreign-features.nw, "Arrays".  Edit it there. */

#include "simt/runtime/graph.h"

#include "simt/include/simt_texture_words.h"
#include "simt/simt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cudaArray {
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent;       /* in elements; 0: no such dimension */
    unsigned flags;
    size_t element, row, slice;     /* bytes                             */
    char *data;                     /* an address of the device          */
};

/* allocate an array */
static size_t element_bytes(const struct cudaChannelFormatDesc *f)
{
    return (size_t)(f->x + f->y + f->z + f->w) / 8;
}

static size_t at_least_1(size_t n) { return n ? n : 1; }

cudaError_t cudaMalloc3DArray(cudaArray_t *to,
                              const struct cudaChannelFormatDesc *f,
                              struct cudaExtent e, unsigned flags)
{
    ENTER();
    size_t element = f ? element_bytes(f) : 0, rows = at_least_1(e.height);
    if (!to || !e.width || !element || (element & (element - 1)))
        return refuse(cudaErrorInvalidValue, "cudaMalloc3DArray: an array "
                      "has a width, and elements of 1, 2, 4, 8 or 16 "
                      "bytes, not %zu", element);
    struct cudaArray *a = calloc(1, sizeof *a);
    if (!a)
        return refuse(cudaErrorMemoryAllocation, "cudaMalloc3DArray");
    *a = (struct cudaArray){ .format = *f, .extent = e, .flags = flags,
                             .element = element, .row = element * e.width,
                             .slice = element * e.width * rows };
    cudaError_t code = cudaMalloc((void **)&a->data, a->slice *
                                  at_least_1(e.depth));
    if (code)
        free(a);
    *to = code ? NULL : a;
    return code;
}

cudaError_t cudaMallocArray(cudaArray_t *to,
                            const struct cudaChannelFormatDesc *f,
                            size_t width, size_t height, unsigned flags)
{
    struct cudaExtent e = { width, height, 0 };
    return cudaMalloc3DArray(to, f, e, flags);
}

cudaError_t cudaFreeArray(cudaArray_t a)
{
    ENTER();
    cudaError_t code = a ? cudaFree(a->data) : cudaSuccess;
    free(a);
    return code;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *f,
                             struct cudaExtent *e, unsigned *flags,
                             cudaArray_t a)
{
    ENTER();
    if (!a)
        return refuse(cudaErrorInvalidResourceHandle, "cudaArrayGetInfo: "
                      "the array is NULL");
    if (f)
        *f = a->format;
    if (e)
        *e = a->extent;
    if (flags)
        *flags = a->flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *f,
                               cudaArray_const_t a)
{
    return cudaArrayGetInfo(f, NULL, NULL, (cudaArray_t)(uintptr_t)a);
}

/* copy to and from arrays */
static cudaError_t in_array(const char *call, const struct cudaArray *a,
                            size_t x, size_t y, size_t width, size_t height)
{
    if (!a)
        return refuse(cudaErrorInvalidResourceHandle, "%s: the array is "
                      "NULL", call);
    if (x + width > a->row || y + height > a->slice / a->row)
        return refuse(cudaErrorInvalidValue, "%s: %zu bytes by %zu rows "
                      "from byte %zu of row %zu; the array has %zu by %zu",
                      call, width, height, x, y, a->row,
                      a->slice / a->row);
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t a, size_t x, size_t y,
                                const void *from, size_t pitch,
                                size_t width, size_t height,
                                enum cudaMemcpyKind kind)
{
    ENTER();
    cudaError_t code = in_array(__func__, a, x, y, width, height);
    return code ? code : cudaMemcpy2D(a->data + y * a->row + x, a->row,
                                      from, pitch, width, height, kind);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t a, size_t x, size_t y,
                                     const void *from, size_t pitch,
                                     size_t width, size_t height,
                                     enum cudaMemcpyKind kind,
                                     cudaStream_t s)
{
    cudaError_t code = in_array(__func__, a, x, y, width, height);
    return code ? code : cudaMemcpy2DAsync(
        a->data + y * a->row + x, a->row, from, pitch, width, height, kind,
        s);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch,
                                  cudaArray_const_t a, size_t x, size_t y,
                                  size_t width, size_t height,
                                  enum cudaMemcpyKind kind)
{
    ENTER();
    cudaError_t code = in_array(__func__, a, x, y, width, height);
    return code ? code : cudaMemcpy2D(to, pitch, a->data + y * a->row + x,
                                      a->row, width, height, kind);
}

cudaError_t cudaMemcpyToArray(cudaArray_t a, size_t x, size_t y,
                              const void *from, size_t bytes,
                              enum cudaMemcpyKind kind)
{
    ENTER();
    cudaError_t code = in_array(__func__, a, 0, y, 0, 0);
    return code ? code
                : cudaMemcpy(a->data + y * a->row + x, from, bytes, kind);
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t a, size_t x,
                                size_t y, size_t bytes,
                                enum cudaMemcpyKind kind)
{
    ENTER();
    cudaError_t code = in_array(__func__, a, 0, y, 0, 0);
    return code ? code
                : cudaMemcpy(to, a->data + y * a->row + x, bytes, kind);
}

/* memory in three dimensions */
struct Side { char *first; size_t pitch, slice, element; };

static struct Side side_of(const struct cudaArray *a,
                           struct cudaPitchedPtr p, struct cudaPos at)
{
    struct Side s = { .element = a ? a->element : 1 };
    s.pitch = a ? a->row : p.pitch;
    s.slice = a ? a->slice : p.pitch * at_least_1(p.ysize);
    s.first = (a ? a->data : p.ptr) + at.z * s.slice + at.y * s.pitch +
              at.x * s.element;
    return s;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    ENTER();
    if (!p || (!p->srcArray && !p->srcPtr.ptr) ||
        (!p->dstArray && !p->dstPtr.ptr))
        return refuse(cudaErrorInvalidValue, "cudaMemcpy3D: each side is "
                      "an array or a pointer");
    struct Side from = side_of(p->srcArray, p->srcPtr, p->srcPos);
    struct Side to = side_of(p->dstArray, p->dstPtr, p->dstPos);
    size_t bytes = p->extent.width * (from.element > to.element
                                      ? from.element : to.element);
    cudaError_t code = cudaSuccess;
    for (size_t z = 0; z < p->extent.depth && !code; z++)
        code = cudaMemcpy2D(to.first + z * to.slice, to.pitch,
                            from.first + z * from.slice, from.pitch, bytes,
                            p->extent.height, p->kind);
    return code;
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p,
                              cudaStream_t s)
{
    return capturing(s) ? capture_copy(s, p) : cudaMemcpy3D(p);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent e)
{
    size_t rows = at_least_1(e.height) * at_least_1(e.depth);
    cudaError_t code = cudaMallocPitch(&p->ptr, &p->pitch, e.width, rows);
    p->xsize = e.width;
    p->ysize = e.height;
    return code;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int byte,
                         struct cudaExtent e)
{
    cudaError_t code = cudaSuccess;
    for (size_t z = 0; z < e.depth && !code; z++)
        code = cudaMemset2D((char *)p.ptr + z * p.pitch * p.ysize, p.pitch,
                            byte, e.width, e.height);
    return code;
}

/* objects that kernels read */
static cudaError_t describe(const char *call,
                            const struct cudaResourceDesc *r,
                            struct simt_texture *t)
{
    const struct cudaArray *a = r->res.array.array;
    struct cudaChannelFormatDesc f = r->res.linear.desc;
    size_t size[3] = { 0, 1, 1 };
    *t = (struct simt_texture){ .cube = 0 };
    if (r->resType == cudaResourceTypeArray && a) {
        f = a->format;
        size[0] = a->extent.width;
        size[1] = at_least_1(a->extent.height);
        size[2] = at_least_1(a->extent.depth);
        t->data = (uintptr_t)a->data;
        t->pitch = (unsigned)a->row;
        t->slice = a->slice;
        t->cube = (a->flags & cudaArrayCubemap) != 0;
    } else if (r->resType == cudaResourceTypeLinear) {
        t->data = (uintptr_t)r->res.linear.devPtr;
        size[0] = r->res.linear.sizeInBytes / at_least_1(element_bytes(&f));
    } else if (r->resType == cudaResourceTypePitch2D) {
        t->data = (uintptr_t)r->res.pitch2D.devPtr;
        t->pitch = (unsigned)r->res.pitch2D.pitchInBytes;
        size[0] = r->res.pitch2D.width;
        size[1] = r->res.pitch2D.height;
    } else
        return refuse(cudaErrorNotSupported, "%s: a resource of type %d; "
                      "the software GPU has arrays, linear and pitched "
                      "memory, and no mipmaps", call, (int)r->resType);
    /* describe an element */
    t->element = (unsigned)element_bytes(&f);
    t->bits = f.x;
    t->kind = f.f;
    t->channels = (f.x > 0) + (f.y > 0) + (f.z > 0) + (f.w > 0);
    for (int i = 0; i < 3; i++)
        t->size[i] = (int)size[i];
    if (!t->data || !t->element || !size[0])
        return refuse(cudaErrorInvalidValue, "%s: no memory, no size or no "
                      "format", call);
    return cudaSuccess;
}

static cudaError_t keep_object(const char *call,
                               const struct simt_texture *t,
                               unsigned long long *object)
{
    struct Error e;
    uint64_t address;
    if (!memory_alloc(&address, sizeof *t, "a texture or surface", &e))
        return refuse(cudaErrorMemoryAllocation, "%s: %s", call, e.text);
    memcpy(memory_bytes(address), t, sizeof *t);
    *object = address;
    return cudaSuccess;
}

static cudaError_t drop_object(const char *call, unsigned long long object)
{
    if (object && !memory_free(object))
        return refuse(cudaErrorInvalidValue, "%s: %llx is no object, or "
                      "was destroyed before", call, object);
    return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *to,
                                    const struct cudaResourceDesc *r)
{
    struct simt_texture t;
    ENTER();
    cudaError_t code = describe(__func__, r, &t);
    return code ? code : keep_object(__func__, &t, to);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t o)
{
    ENTER();
    return drop_object(__func__, o);
}

cudaError_t simt_describe_texture(struct simt_texture *t,
                                  const struct cudaResourceDesc *r,
                                  const struct cudaTextureDesc *d)
{
    cudaError_t code = describe("a texture", r, t);
    if (code)
        return code;
    for (int i = 0; i < 3; i++)
        t->address[i] = d->addressMode[i];
    memcpy(t->border, d->borderColor, sizeof t->border);
    t->filter = d->filterMode;
    t->read = d->readMode;
    t->normalized = d->normalizedCoords;
    if (t->filter == cudaFilterModeLinear && !t->read &&
        t->kind != cudaChannelFormatKindFloat)
        return refuse(cudaErrorInvalidValue, "a texture: integers cannot "
                      "be interpolated: set readMode to "
                      "cudaReadModeNormalizedFloat");
    return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *to,
                                    const struct cudaResourceDesc *r,
                                    const struct cudaTextureDesc *d,
                                    const struct cudaResourceViewDesc *v)
{
    struct simt_texture t;
    ENTER();
    if (v)
        return refuse(cudaErrorNotSupported, "cudaCreateTextureObject: a "
                      "view with a format of its own");
    cudaError_t code = simt_describe_texture(&t, r, d);
    return code ? code : keep_object(__func__, &t, to);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t o)
{
    ENTER();
    return drop_object(__func__, o);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *d,
                                            cudaTextureObject_t o)
{
    const struct simt_texture *t = (const void *)memory_bytes(o);
    ENTER();
    *d = (struct cudaTextureDesc){
        .filterMode = (enum cudaTextureFilterMode)t->filter,
        .readMode = (enum cudaTextureReadMode)t->read,
        .normalizedCoords = t->normalized };
    for (int i = 0; i < 3; i++)
        d->addressMode[i] = (enum cudaTextureAddressMode)t->address[i];
    return cudaSuccess;
}
