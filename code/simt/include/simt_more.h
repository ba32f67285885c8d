/* Tangled from chapters/workshop/foreign-programs.nw, "More types and calls".  Edit it there. */

/* The rest of CUDA's host side, as far as the software GPU has it. */
#ifndef SIMT_MORE_H
#define SIMT_MORE_H

/* types of the device's settings */
enum cudaComputeMode {
    cudaComputeModeDefault, cudaComputeModeExclusive,
    cudaComputeModeProhibited, cudaComputeModeExclusiveProcess,
};
enum cudaLimit {
    cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize,
    cudaLimitDevRuntimeSyncDepth, cudaLimitDevRuntimePendingLaunchCount,
    cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize,
    cudaLimits,
};
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte,
    cudaSharedMemBankSizeEightByte,
};
enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxL1 = 0,
    cudaSharedmemCarveoutMaxShared = 100,
};
enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1, cudaDevP2PAttrAccessSupported,
    cudaDevP2PAttrNativeAtomicSupported,
    cudaDevP2PAttrCudaArrayAccessSupported,
};

/* advice to streams */
#define __DRIVER_TYPES_H__
#define CUDART_CB
#define CUDARTAPI
enum cudaAccessProperty {
    cudaAccessPropertyNormal, cudaAccessPropertyStreaming,
    cudaAccessPropertyPersisting,
};
typedef struct cudaAccessPolicyWindow {
    void *base_ptr;
    size_t num_bytes;
    float hitRatio;
    enum cudaAccessProperty hitProp, missProp;
} cudaAccessPolicyWindow;
typedef enum cudaStreamAttrID {
    cudaStreamAttributeAccessPolicyWindow = 1,
    cudaStreamAttributeSynchronizationPolicy = 3,
    cudaStreamAttributePriority = 8,
} cudaStreamAttrID;
typedef union cudaStreamAttrValue {
    char pad[64];
    cudaAccessPolicyWindow accessPolicyWindow;
    int syncPolicy, priority;
} cudaStreamAttrValue;

/* types of memory */
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy,
};
enum cudaMemLocationType {
    cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice,
    cudaMemLocationTypeHost, cudaMemLocationTypeHostNuma,
    cudaMemLocationTypeHostNumaCurrent,
};
struct cudaMemLocation { enum cudaMemLocationType type; int id; };

#define cudaMemAttachHost           2u
#define cudaMemAttachSingle         4u
#define cudaHostRegisterPortable    1u
#define cudaHostRegisterMapped      2u
#define cudaHostRegisterIoMemory    4u
#define cudaHostRegisterReadOnly    8u
#define cudaDeviceScheduleSpin      1u
#define cudaDeviceScheduleYield     2u
#define cudaDeviceScheduleBlockingSync 4u
#define cudaDeviceBlockingSync      4u
#define cudaDeviceMapHost           8u
#define cudaDeviceLmemResizeToMax   16u
#define cudaEventInterprocess       4u
#define cudaOccupancyDefault        0u
#define cudaCooperativeLaunchMultiDeviceNoPreSync 1u
#define cudaCpuDeviceId             (-1)
#define cudaInvalidDeviceId         (-2)

typedef struct CUmemPoolHandle_st *cudaMemPool_t;
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic,
    cudaMemPoolReuseAllowInternalDependencies,
    cudaMemPoolAttrReleaseThreshold, cudaMemPoolAttrReservedMemCurrent,
    cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrUsedMemCurrent,
    cudaMemPoolAttrUsedMemHigh,
};
enum cudaMemAllocationType {
    cudaMemAllocationTypeInvalid, cudaMemAllocationTypePinned,
};
enum cudaMemAllocationHandleType {
    cudaMemHandleTypeNone, cudaMemHandleTypePosixFileDescriptor,
};
enum cudaMemAccessFlags {
    cudaMemAccessFlagsProtNone, cudaMemAccessFlagsProtRead,
    cudaMemAccessFlagsProtReadWrite = 3,
};
struct cudaMemPoolProps {
    enum cudaMemAllocationType allocType;
    enum cudaMemAllocationHandleType handleTypes;
    struct cudaMemLocation location;
    size_t maxSize;
};
struct cudaMemAccessDesc {
    struct cudaMemLocation location;
    enum cudaMemAccessFlags flags;
};

/* calls about devices */
SIMT_API cudaError_t cudaChooseDevice(int *device,
                                      const struct cudaDeviceProp *);
SIMT_API cudaError_t cudaDeviceSetLimit(enum cudaLimit, size_t value);
SIMT_API cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit);
SIMT_API cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache);
SIMT_API cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *);
SIMT_API cudaError_t cudaDeviceSetSharedMemConfig(
    enum cudaSharedMemConfig);
SIMT_API cudaError_t cudaDeviceGetSharedMemConfig(
    enum cudaSharedMemConfig *);
SIMT_API cudaError_t cudaFuncSetSharedMemConfig(
    const void *kernel, enum cudaSharedMemConfig);
SIMT_API cudaError_t cudaDeviceCanAccessPeer(int *can, int device,
                                             int peer);
SIMT_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
SIMT_API cudaError_t cudaDeviceDisablePeerAccess(int peer);
SIMT_API cudaError_t cudaDeviceGetP2PAttribute(
    int *value, enum cudaDeviceP2PAttr, int device, int peer);
SIMT_API cudaError_t cudaDeviceGetPCIBusId(char *to, int bytes, int device);
SIMT_API cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *);
SIMT_API cudaError_t cudaThreadSynchronize(void);
SIMT_API cudaError_t cudaThreadExit(void);

/* calls about memory */
SIMT_API cudaError_t cudaHostGetDevicePointer(void **device, void *host,
                                              unsigned flags);
SIMT_API cudaError_t cudaHostGetFlags(unsigned *flags, void *host);
SIMT_API cudaError_t cudaMemcpyPeer(void *to, int to_device,
                                    const void *from, int from_device,
                                    size_t bytes);
SIMT_API cudaError_t cudaMemcpyPeerAsync(void *to, int to_device,
                                         const void *from, int from_device,
                                         size_t bytes, cudaStream_t);
SIMT_API cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch,
                                       const void *from, size_t from_pitch,
                                       size_t width, size_t height,
                                       enum cudaMemcpyKind, cudaStream_t);
SIMT_API cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int byte,
                                       size_t width, size_t height,
                                       cudaStream_t);
SIMT_API cudaError_t cudaMemcpyToSymbolAsync(
    const void *symbol, const void *from, size_t bytes, size_t offset,
    enum cudaMemcpyKind, cudaStream_t);
SIMT_API cudaError_t cudaMemcpyFromSymbolAsync(
    void *to, const void *symbol, size_t bytes, size_t offset,
    enum cudaMemcpyKind, cudaStream_t);
SIMT_API cudaError_t cudaMemAdvise(const void *, size_t bytes,
                                   enum cudaMemoryAdvise, int device);
SIMT_API cudaError_t cudaMemPrefetchAsync(const void *, size_t bytes,
                                          int device, cudaStream_t);
SIMT_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *,
                                              size_t bytes, unsigned flags);

SIMT_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *,
                                                 int device);
SIMT_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *, int device);
SIMT_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t);
SIMT_API cudaError_t cudaMemPoolCreate(cudaMemPool_t *,
                                       const struct cudaMemPoolProps *);
SIMT_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t);
SIMT_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t,
                                             enum cudaMemPoolAttr, void *);
SIMT_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t,
                                             enum cudaMemPoolAttr, void *);
SIMT_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t,
                                          const struct cudaMemAccessDesc *,
                                          size_t n);
SIMT_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t bytes);
SIMT_API cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes,
                                             cudaMemPool_t, cudaStream_t);

/* streams that call back */
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);
SIMT_API cudaError_t cudaStreamAddCallback(cudaStream_t,
                                           cudaStreamCallback_t,
                                           void *data, unsigned flags);
SIMT_API cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned *flags);
SIMT_API cudaError_t cudaStreamGetPriority(cudaStream_t, int *priority);
SIMT_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t,
                                              unsigned flags);

/* calls of cooperative launches */
SIMT_API cudaError_t cudaLaunchCooperativeKernel(
    const void *kernel, dim3 grid, dim3 block, void **arguments,
    size_t shared_bytes, cudaStream_t);

/* calls that advise streams */
SIMT_API cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID,
                                            const cudaStreamAttrValue *);
SIMT_API cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaStreamAttrID,
                                            cudaStreamAttrValue *);
SIMT_API cudaError_t cudaCtxResetPersistingL2Cache(void);

#endif
