/* Tangled from chapters/workshop/foreign-programs.nw, "The calls themselves".  Edit it there. */

#include "simt/runtime/graph.h"

#include "simt/simt.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* one call at a time */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int holds;

int simt_hold(void)
{
    if (holds++ == 0)
        pthread_mutex_lock(&lock);
    return 0;
}

void simt_let_go(int *held)
{
    (void)held;
    if (--holds == 0)
        pthread_mutex_unlock(&lock);
}

/* settings that change nothing */
static size_t limit[cudaLimits] = {
    [cudaLimitStackSize] = 1024, [cudaLimitPrintfFifoSize] = 1 << 20,
    [cudaLimitMallocHeapSize] = 8 << 20,
    [cudaLimitDevRuntimeSyncDepth] = 2,
    [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 64,
};
static enum cudaFuncCache cache;
static enum cudaSharedMemConfig banks = cudaSharedMemBankSizeFourByte;

cudaError_t cudaDeviceSetLimit(enum cudaLimit which, size_t value)
{
    ENTER();
    if ((unsigned)which >= cudaLimits)
        return refuse(cudaErrorInvalidValue, "cudaDeviceSetLimit: there is "
                      "no limit %d", (int)which);
    limit[which] = value;
    if (which == cudaLimitMallocHeapSize)
        simt_options.heap_bytes = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit which)
{
    ENTER();
    if ((unsigned)which >= cudaLimits)
        return refuse(cudaErrorInvalidValue, "cudaDeviceGetLimit: there is "
                      "no limit %d", (int)which);
    *value = limit[which];
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache c)
{
    ENTER();
    cache = c;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *c)
{
    ENTER();
    *c = cache;
    return cudaSuccess;
}

/* Banks have been 4 bytes wide since Maxwell, whatever is asked for. */
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig c)
{
    (void)c;
    ENTER();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *c)
{
    ENTER();
    *c = banks;
    return cudaSuccess;
}

cudaError_t cudaFuncSetSharedMemConfig(const void *kernel,
                                       enum cudaSharedMemConfig c)
{
    (void)kernel, (void)c;
    ENTER();
    return cudaSuccess;
}

cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

/* what streams are advised */
static cudaStreamAttrValue stream_attribute[16];

cudaError_t cudaStreamSetAttribute(cudaStream_t s, cudaStreamAttrID which,
                                   const cudaStreamAttrValue *value)
{
    (void)s;
    ENTER();
    if ((unsigned)which >= 16)
        return refuse(cudaErrorInvalidValue, "cudaStreamSetAttribute: "
                      "there is no attribute %d", (int)which);
    stream_attribute[which] = *value;
    return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t s, cudaStreamAttrID which,
                                   cudaStreamAttrValue *value)
{
    (void)s;
    ENTER();
    if ((unsigned)which >= 16)
        return refuse(cudaErrorInvalidValue, "cudaStreamGetAttribute: "
                      "there is no attribute %d", (int)which);
    *value = stream_attribute[which];
    return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    ENTER();
    return cudaSuccess;
}

/* devices that see each other */
static cudaError_t pair(const char *call, int device, int peer)
{
    if (device < 0 || device >= devices || peer < 0 || peer >= devices)
        return refuse(cudaErrorInvalidDevice, "%s: devices %d and %d, but "
                      "there are %d, numbered from 0; SIMT_DEVICES=N makes "
                      "N of them", call, device, peer, devices);
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    ENTER();
    *can = device != peer;
    return pair(__func__, device, peer);
}

static uint32_t enabled[MOST_DEVICES];      /* a bit for each peer */

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)flags;
    ENTER();
    cudaError_t code = pair(__func__, device_current, peer);
    if (code)
        return code;
    if (peer == device_current)
        return refuse(cudaErrorInvalidDevice, "cudaDeviceEnablePeerAccess: "
                      "device %d is the current one", peer);
    if (enabled[device_current] >> peer & 1)
        return refuse(cudaErrorPeerAccessAlreadyEnabled,
                      "cudaDeviceEnablePeerAccess(%d): it is enabled",
                      peer);
    enabled[device_current] |= 1u << peer;
    return cudaSuccess;
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    ENTER();
    cudaError_t code = pair(__func__, device_current, peer);
    if (code)
        return code;
    if (!(enabled[device_current] >> peer & 1))
        return refuse(cudaErrorPeerAccessNotEnabled,
                      "cudaDeviceDisablePeerAccess(%d): it was not enabled",
                      peer);
    enabled[device_current] &= ~(1u << peer);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr a,
                                      int device, int peer)
{
    ENTER();
    *value = device != peer && a != cudaDevP2PAttrPerformanceRank;
    return pair(__func__, device, peer);
}

cudaError_t cudaDeviceGetPCIBusId(char *to, int bytes, int device)
{
    ENTER();
    snprintf(to, (size_t)bytes, "0000:%02x:00.0", device & 0xff);
    return pair(__func__, device, device);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *name)
{
    unsigned domain, bus = 0;
    ENTER();
    if (sscanf(name, "%x:%x", &domain, &bus) != 2)
        return refuse(cudaErrorInvalidValue, "cudaDeviceGetByPCIBusId: "
                      "'%s' is no bus, such as 0000:00:00.0", name);
    *device = (int)bus;
    return pair(__func__, *device, *device);
}

/* The first device is as good as any. */
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *p)
{
    (void)p;
    ENTER();
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from,
                           int from_device, size_t bytes)
{
    ENTER();
    cudaError_t code = pair(__func__, to_device, from_device);
    return code ? code : cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
                                int from_device, size_t bytes,
                                cudaStream_t s)
{
    (void)s;
    return cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}

/* memory pools */
struct CUmemPoolHandle_st { uint64_t value[16]; };
static struct CUmemPoolHandle_st pool;

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *p, int device)
{
    ENTER();
    *p = &pool;
    return pair(__func__, device, device);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *p, int device)
{
    return cudaDeviceGetDefaultMemPool(p, device);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t p)
{
    (void)p;
    ENTER();
    return pair(__func__, device, device);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *p,
                              const struct cudaMemPoolProps *props)
{
    (void)props;
    return cudaDeviceGetDefaultMemPool(p, 0);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t p)
{
    (void)p;
    ENTER();
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t p, enum cudaMemPoolAttr a,
                                    void *value)
{
    ENTER();
    bool number = a <= cudaMemPoolReuseAllowInternalDependencies;
    memcpy(&p->value[a], value, number ? sizeof(int) : sizeof(uint64_t));
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t p, enum cudaMemPoolAttr a,
                                    void *value)
{
    ENTER();
    bool number = a <= cudaMemPoolReuseAllowInternalDependencies;
    memcpy(value, &p->value[a], number ? sizeof(int) : sizeof(uint64_t));
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t p,
                                 const struct cudaMemAccessDesc *d,
                                 size_t n)
{
    (void)p, (void)d, (void)n;
    ENTER();
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t p, size_t bytes)
{
    (void)p, (void)bytes;
    ENTER();
    return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes,
                                    cudaMemPool_t p, cudaStream_t s)
{
    (void)p;
    return cudaMallocAsync(pointer, bytes, s);
}

/* copies that are asynchronous in name */
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                              size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t s)
{
    if (capturing(s))
        return capture_rows(s, to, to_pitch, from, from_pitch, width,
                            height, kind);
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height,
                        kind);
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int byte,
                              size_t width, size_t height, cudaStream_t s)
{
    if (capturing(s))
        return capture_set(s, &(cudaMemsetParams){
            to, pitch, (unsigned)byte, 1, width, height });
    return cudaMemset2D(to, pitch, byte, width, height);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                    size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind,
                                    cudaStream_t s)
{
    void *to = NULL;
    if (!capturing(s))
        return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
    cudaError_t code = cudaGetSymbolAddress(&to, symbol);
    return code ? code : cudaMemcpyAsync((char *)to + offset, from, bytes,
                                         kind, s);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol,
                                      size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind,
                                      cudaStream_t s)
{
    void *from = NULL;
    if (!capturing(s))
        return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
    cudaError_t code = cudaGetSymbolAddress(&from, symbol);
    return code ? code : cudaMemcpyAsync(to, (char *)from + offset, bytes,
                                         kind, s);
}

cudaError_t cudaMemAdvise(const void *p, size_t bytes,
                          enum cudaMemoryAdvise a, int device)
{
    (void)p, (void)bytes, (void)a, (void)device;
    ENTER();
    return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, int device,
                                 cudaStream_t s)
{
    (void)p, (void)bytes, (void)device, (void)s;
    ENTER();
    return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, void *p, size_t bytes,
                                     unsigned flags)
{
    (void)s, (void)p, (void)bytes, (void)flags;
    ENTER();
    return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f,
                                  void *data, unsigned flags)
{
    (void)flags;
    ENTER();
    f(s, cudaSuccess, data);
    return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s,
                                     unsigned flags)
{
    (void)flags;
    return cudaEventRecord(e, s);
}
