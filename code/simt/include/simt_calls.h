/* Tangled from chapters/workshop/simt-runtime.nw, "A launch, and where a thread is".  Edit it there. */

#ifndef SIMT_CALLS_H
#define SIMT_CALLS_H

/* host calls that take any type */
#define SIMT_HOST static inline __host__ \
    __attribute__((always_inline, nodebug, unused))

template <class T> SIMT_HOST cudaError_t cudaMalloc(T **p, size_t bytes)
{
    return cudaMalloc((void **)p, bytes);
}
template <class T>
SIMT_HOST cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t s)
{
    return cudaMallocAsync((void **)p, bytes, s);
}
template <class T>
SIMT_HOST cudaError_t cudaMallocManaged(
    T **p, size_t bytes, unsigned flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)p, bytes, flags);
}
template <class T>
SIMT_HOST cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width,
                                      size_t height)
{
    return cudaMallocPitch((void **)p, pitch, width, height);
}
template <class T> SIMT_HOST cudaError_t cudaMallocHost(T **p, size_t bytes)
{
    return cudaMallocHost((void **)p, bytes);
}
template <class T>
SIMT_HOST cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned flags)
{
    return cudaHostAlloc((void **)p, bytes, flags);
}

SIMT_HOST cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes)
{
    return cudaMemsetAsync(to, byte, bytes, nullptr);
}
SIMT_HOST cudaError_t cudaMemcpyAsync(void *to, const void *from,
                                      size_t bytes, cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
SIMT_HOST cudaError_t cudaEventRecord(cudaEvent_t e)
{
    return cudaEventRecord(e, nullptr);
}
SIMT_HOST cudaError_t cudaEventCreate(cudaEvent_t *e, unsigned flags)
{
    return cudaEventCreateWithFlags(e, flags);
}
SIMT_HOST cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e)
{
    return cudaStreamWaitEvent(s, e, 0);
}

template <class T>
SIMT_HOST cudaError_t cudaMemcpyToSymbol(
    const T &symbol, const void *from, size_t bytes, size_t offset = 0,
    cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset,
                              kind);
}
template <class T>
SIMT_HOST cudaError_t cudaMemcpyFromSymbol(
    void *to, const T &symbol, size_t bytes, size_t offset = 0,
    cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset,
                                kind);
}
template <class T>
SIMT_HOST cudaError_t cudaGetSymbolAddress(void **p, const T &symbol)
{
    return cudaGetSymbolAddress(p, (const void *)&symbol);
}
template <class T>
SIMT_HOST cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return cudaGetSymbolSize(bytes, (const void *)&symbol);
}

template <class... A>
SIMT_HOST cudaError_t cudaFuncSetAttribute(void (*kernel)(A...),
                                           cudaFuncAttribute a, int value)
{
    return cudaFuncSetAttribute((const void *)kernel, a, value);
}
template <class... A>
SIMT_HOST cudaError_t cudaFuncSetCacheConfig(void (*kernel)(A...),
                                             cudaFuncCache c)
{
    return cudaFuncSetCacheConfig((const void *)kernel, c);
}
template <class F>
SIMT_HOST cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *to,
                                            F *kernel)
{
    return cudaFuncGetAttributes(to, (const void *)kernel);
}
template <class F>
SIMT_HOST cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, F *kernel, int threads, size_t dynamic_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, (const void *)kernel, threads, dynamic_bytes);
}
/* The block size that fills a multiprocessor with the most warps, the
 * largest of those, and a grid that fills the device with such blocks. */
template <class F>
SIMT_HOST cudaError_t cudaOccupancyMaxPotentialBlockSize(
    int *grid, int *block, F *kernel, size_t dynamic_bytes = 0,
    int limit = 0)
{
    cudaFuncAttributes a;
    int sms, best = 0, blocks;
    cudaError_t e = cudaFuncGetAttributes(&a, kernel);
    if (!e)
        e = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    if (limit <= 0 || limit > a.maxThreadsPerBlock)
        limit = a.maxThreadsPerBlock;
    for (int n = limit / 32 * 32; n > 0 && !e; n -= 32) {
        e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, kernel, n, dynamic_bytes);
        if (!e && n * blocks > best) {
            best = n * blocks;
            *block = n;
            *grid = blocks * sms;
        }
    }
    return e;
}
template <class F>
SIMT_HOST cudaError_t cudaLaunchKernel(F *kernel, dim3 grid, dim3 block,
                                       void **arguments,
                                       size_t shared_bytes = 0,
                                       cudaStream_t stream = nullptr)
{
    return cudaLaunchKernel((const void *)kernel, grid, block, arguments,
                            shared_bytes, stream);
}
#include "simt_more_calls.h"

/* launch with attributes: any kernel */
template <class... P, class... A>
SIMT_HOST cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *c,
                                         void (*kernel)(P...), A &&...a)
{
    return [&](P... p) {
        void *arguments[] = { (void *)&p..., nullptr };
        return cudaLaunchKernelExC(c, (const void *)kernel, arguments);
    }(static_cast<A &&>(a)...);
}
template <class... P>
SIMT_HOST cudaError_t cudaOccupancyMaxActiveClusters(
    int *clusters, void (*kernel)(P...), const cudaLaunchConfig_t *c)
{
    return cudaOccupancyMaxActiveClusters(clusters, (const void *)kernel,
                                          c);
}

#endif
