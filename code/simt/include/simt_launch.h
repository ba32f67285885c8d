/* Tangled from chapters/workshop/simt-runtime.nw, "A launch, and where a thread is".  Edit it there. */

#ifndef SIMT_LAUNCH_H
#define SIMT_LAUNCH_H

extern "C" unsigned __cudaPushCallConfiguration(
    dim3 grid, dim3 block, size_t shared_bytes = 0,
    cudaStream_t stream = nullptr);
extern "C" cudaError_t __cudaPopCallConfiguration(
    dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream);

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
template <class... A>
SIMT_HOST cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *to,
                                            void (*kernel)(A...))
{
    return cudaFuncGetAttributes(to, (const void *)kernel);
}
template <class... A>
SIMT_HOST cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, void (*kernel)(A...), int threads, size_t dynamic_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, (const void *)kernel, threads, dynamic_bytes);
}
/* The block size that fills a multiprocessor with the most warps, the
 * largest of those, and a grid that fills the device with such blocks. */
template <class... A>
SIMT_HOST cudaError_t cudaOccupancyMaxPotentialBlockSize(
    int *grid, int *block, void (*kernel)(A...), size_t dynamic_bytes = 0,
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
template <class... A>
SIMT_HOST cudaError_t cudaLaunchKernel(void (*kernel)(A...), dim3 grid,
                                       dim3 block, void **arguments,
                                       size_t shared_bytes = 0,
                                       cudaStream_t stream = nullptr)
{
    return cudaLaunchKernel((const void *)kernel, grid, block, arguments,
                            shared_bytes, stream);
}

/* threadIdx and its kin */
#define SIMT_INDEX(T, register, result)                                   \
    struct T {                                                            \
        SIMT_DEVICE unsigned get_x(void)                                  \
        {                                                                 \
            return __nvvm_read_ptx_sreg_##register##_x();                 \
        }                                                                 \
        SIMT_DEVICE unsigned get_y(void)                                  \
        {                                                                 \
            return __nvvm_read_ptx_sreg_##register##_y();                 \
        }                                                                 \
        SIMT_DEVICE unsigned get_z(void)                                  \
        {                                                                 \
            return __nvvm_read_ptx_sreg_##register##_z();                 \
        }                                                                 \
        __declspec(property(get = get_x)) unsigned x;                     \
        __declspec(property(get = get_y)) unsigned y;                     \
        __declspec(property(get = get_z)) unsigned z;                     \
        SIMT_MEMBER operator result() const                               \
        {                                                                 \
            return result{ get_x(), get_y(), get_z() };                   \
        }                                                                 \
    }

SIMT_INDEX(simt_thread_index, tid, uint3);
SIMT_INDEX(simt_block_index, ctaid, uint3);
SIMT_INDEX(simt_block_size, ntid, dim3);
SIMT_INDEX(simt_grid_size, nctaid, dim3);

extern const __device__ __attribute__((weak)) simt_thread_index threadIdx;
extern const __device__ __attribute__((weak)) simt_block_index blockIdx;
extern const __device__ __attribute__((weak)) simt_block_size blockDim;
extern const __device__ __attribute__((weak)) simt_grid_size gridDim;

enum { warpSize = 32 };

#endif
