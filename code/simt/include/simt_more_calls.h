/* Tangled from chapters/workshop/foreign-programs.nw, "More types and calls".  Edit it there. */

#ifndef SIMT_MORE_CALLS_H
#define SIMT_MORE_CALLS_H

template <class T>
SIMT_HOST cudaError_t cudaHostGetDevicePointer(T **device, void *host,
                                               unsigned flags = 0)
{
    return cudaHostGetDevicePointer((void **)device, host, flags);
}
template <class T>
SIMT_HOST cudaError_t cudaMallocFromPoolAsync(T **p, size_t bytes,
                                              cudaMemPool_t pool,
                                              cudaStream_t s)
{
    return cudaMallocFromPoolAsync((void **)p, bytes, pool, s);
}
template <class T>
SIMT_HOST cudaError_t cudaStreamAttachMemAsync(
    cudaStream_t s, T *p, size_t bytes = 0,
    unsigned flags = cudaMemAttachSingle)
{
    return cudaStreamAttachMemAsync(s, (void *)p, bytes, flags);
}
SIMT_HOST cudaError_t cudaMemcpy2DAsync(
    void *to, size_t to_pitch, const void *from, size_t from_pitch,
    size_t width, size_t height, cudaMemcpyKind kind)
{
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height,
                             kind, nullptr);
}
SIMT_HOST cudaError_t cudaMemcpyPeerAsync(void *to, int to_device,
                                          const void *from, int from_device,
                                          size_t bytes)
{
    return cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}

/* locations, as CUDA 13 writes them */
SIMT_HOST cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes,
                                           int device)
{
    return cudaMemPrefetchAsync(p, bytes, device, nullptr);
}
SIMT_HOST cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes,
                                           cudaMemLocation, unsigned,
                                           cudaStream_t s = nullptr)
{
    return cudaMemPrefetchAsync(p, bytes, 0, s);
}
SIMT_HOST cudaError_t cudaMemAdvise(const void *p, size_t bytes,
                                    cudaMemoryAdvise a, cudaMemLocation)
{
    return cudaMemAdvise(p, bytes, a, 0);
}

/* symbols and kernels by their names */
template <class T>
SIMT_HOST cudaError_t cudaMemcpyToSymbolAsync(
    const T &symbol, const void *from, size_t bytes, size_t offset = 0,
    cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t s = nullptr)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes,
                                   offset, kind, s);
}
template <class T>
SIMT_HOST cudaError_t cudaMemcpyFromSymbolAsync(
    void *to, const T &symbol, size_t bytes, size_t offset = 0,
    cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t s = nullptr)
{
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes,
                                     offset, kind, s);
}
template <class... A>
SIMT_HOST cudaError_t cudaFuncSetSharedMemConfig(void (*kernel)(A...),
                                                 cudaSharedMemConfig c)
{
    return cudaFuncSetSharedMemConfig((const void *)kernel, c);
}

template <class... A, class F>
SIMT_HOST cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int *grid, int *block, void (*kernel)(A...), F bytes_of, int limit = 0)
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
            &blocks, kernel, n, bytes_of(n));
        if (!e && n * blocks > best) {
            best = n * blocks;
            *block = n;
            *grid = blocks * sms;
        }
    }
    return e;
}

/* cooperative launches by name */
template <class F>
SIMT_HOST cudaError_t cudaLaunchCooperativeKernel(
    F *kernel, dim3 grid, dim3 block, void **arguments,
    size_t shared_bytes = 0, cudaStream_t stream = nullptr)
{
    return cudaLaunchCooperativeKernel((const void *)kernel, grid, block,
                                       arguments, shared_bytes, stream);
}

/* arrays and textures in C++ */
SIMT_HOST cudaError_t cudaMallocArray(cudaArray_t *a,
                                      const cudaChannelFormatDesc *f,
                                      size_t width, size_t height = 0)
{
    return cudaMallocArray(a, f, width, height, cudaArrayDefault);
}
SIMT_HOST cudaError_t cudaMalloc3DArray(cudaArray_t *a,
                                        const cudaChannelFormatDesc *f,
                                        cudaExtent e)
{
    return cudaMalloc3DArray(a, f, e, cudaArrayDefault);
}
SIMT_HOST cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p)
{
    return cudaMemcpy3D(p);
}
SIMT_HOST cudaError_t cudaMemcpy2DToArrayAsync(
    cudaArray_t a, size_t x, size_t y, const void *from, size_t pitch,
    size_t width, size_t height, cudaMemcpyKind kind)
{
    return cudaMemcpy2DToArray(a, x, y, from, pitch, width, height, kind);
}

/* graphs in C++ */
SIMT_HOST cudaError_t cudaGraphInstantiate(cudaGraphExec_t *e,
                                           cudaGraph_t g,
                                           unsigned long long flags = 0)
{
    return cudaGraphInstantiateWithFlags(e, g, flags);
}
SIMT_HOST cudaError_t cudaGraphInstantiate(cudaGraphExec_t *e,
                                           cudaGraph_t g, cudaGraphNode_t *,
                                           char *, size_t)
{
    return cudaGraphInstantiateWithFlags(e, g, 0);
}
SIMT_HOST cudaError_t cudaGraphExecUpdate(cudaGraphExec_t e, cudaGraph_t g,
                                          cudaGraphExecUpdateResultInfo *i)
{
    return simt_graph_update(e, g, i);
}
SIMT_HOST cudaError_t cudaGraphExecUpdate(cudaGraphExec_t e, cudaGraph_t g,
                                          cudaGraphNode_t *node,
                                          cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo i;
    cudaError_t code = simt_graph_update(e, g, &i);
    if (node)
        *node = i.errorNode;
    *result = i.result;
    return code;
}

SIMT_HOST cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t g,
                                       const cudaGraphNode_t *after,
                                       size_t n, cudaGraphNodeParams *p)
{
    return simt_graph_add_node(node, g, after, n, p);
}
SIMT_HOST cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t g,
                                       const cudaGraphNode_t *after,
                                       const cudaGraphEdgeData *, size_t n,
                                       cudaGraphNodeParams *p)
{
    return simt_graph_add_node(node, g, after, n ? n : after != nullptr, p);
}
SIMT_HOST cudaError_t cudaGraphConditionalHandleCreate(
    cudaGraphConditionalHandle *h, cudaGraph_t g, unsigned value = 0)
{
    return cudaGraphConditionalHandleCreate(h, g, value, 0);
}
SIMT_HOST cudaError_t cudaStreamGetCaptureInfo(
    cudaStream_t s, cudaStreamCaptureStatus *status,
    unsigned long long *id = nullptr, cudaGraph_t *g = nullptr,
    const cudaGraphNode_t **after = nullptr,
    const cudaGraphEdgeData ** = nullptr, size_t *n = nullptr)
{
    if (id)
        *id = 1;
    return simt_capture_info(s, status, g, after, n);
}
SIMT_HOST cudaError_t cudaStreamUpdateCaptureDependencies(
    cudaStream_t s, cudaGraphNode_t *after, const cudaGraphEdgeData *,
    size_t n, unsigned flags = 0)
{
    return simt_capture_follow(s, after, n, flags);
}
SIMT_HOST cudaError_t cudaStreamUpdateCaptureDependencies(
    cudaStream_t s, cudaGraphNode_t *after, size_t n, unsigned flags = 0)
{
    return simt_capture_follow(s, after, n, flags);
}
template <class T>
SIMT_HOST cudaError_t cudaGraphGetEdges(cudaGraph_t g,
                                        cudaGraphNode_t *from,
                                        cudaGraphNode_t *to, T *, size_t *n)
{
    return cudaGraphGetEdges(g, from, to, n);
}

#endif
