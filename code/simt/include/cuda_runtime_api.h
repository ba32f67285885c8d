/* Tangled from chapters/workshop/simt-runtime.nw, "The calls a host program makes".  Edit it there. */

/* The host side of CUDA as far as the software GPU has it: the names,
 * codes and argument orders of NVIDIA's documentation.  C and C++. */
#ifndef SIMT_CUDA_RUNTIME_API_H
#define SIMT_CUDA_RUNTIME_API_H

#include <stddef.h>

#define CUDART_VERSION 13000

#ifdef __cplusplus
#define SIMT_API extern "C"
#else
#define SIMT_API extern
#endif
#ifndef __CUDA__                /* plain C or C++: no passes, no marks */
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __forceinline__ inline
#define __align__(n) __attribute__((aligned(n)))
#endif

/* the error codes of CUDA */
/* error codes that the library never returns, or seldom */
#define SIMT_MORE_ERRORS(X)                                               \
    X(4, cudaErrorCudartUnloading, "driver shutting down")                \
    X(18, cudaErrorInvalidTexture, "invalid texture reference")           \
    X(20, cudaErrorInvalidChannelDescriptor,                              \
      "invalid channel descriptor")                                       \
    X(46, cudaErrorDevicesUnavailable,                                    \
      "CUDA-capable device(s) is/are busy or unavailable")                \
    X(52, cudaErrorMissingConfiguration,                                  \
      "__global__ function call is not configured")                       \
    X(214, cudaErrorECCUncorrectable, "uncorrectable ECC error")          \
    X(217, cudaErrorPeerAccessUnsupported,                                \
      "peer access is not supported between these two devices")           \
    X(304, cudaErrorOperatingSystem,                                      \
      "OS call failed or operation not supported on this OS")             \
    X(500, cudaErrorSymbolNotFound, "named symbol not found")             \
    X(704, cudaErrorPeerAccessAlreadyEnabled,                             \
      "peer access is already enabled")                                   \
    X(705, cudaErrorPeerAccessNotEnabled,                                 \
      "peer access has not been enabled")                                 \
    X(708, cudaErrorSetOnActiveProcess,                                   \
      "cannot set while device is active in this process")                \
    X(712, cudaErrorHostMemoryAlreadyRegistered,                          \
      "part or all of the requested memory range is already mapped")      \
    X(713, cudaErrorHostMemoryNotRegistered,                              \
      "pointer does not correspond to a registered memory region")        \
    X(720, cudaErrorCooperativeLaunchTooLarge,                            \
      "too many blocks in cooperative launch")                            \
    X(800, cudaErrorNotPermitted, "operation not permitted")              \
    X(910, cudaErrorGraphExecUpdateFailure, "the graph update was not "   \
      "performed because it included changes which violated constraints")

/* X(number, name, sentence) */
#define SIMT_ERRORS(X)                                                    \
    X(0, cudaSuccess, "no error")                                         \
    X(1, cudaErrorInvalidValue, "invalid argument")                       \
    X(2, cudaErrorMemoryAllocation, "out of memory")                      \
    X(3, cudaErrorInitializationError, "initialization error")            \
    X(9, cudaErrorInvalidConfiguration, "invalid configuration argument") \
    X(12, cudaErrorInvalidPitchValue, "invalid pitch argument")           \
    X(13, cudaErrorInvalidSymbol, "invalid device symbol")                \
    X(16, cudaErrorInvalidHostPointer, "invalid host pointer")            \
    X(17, cudaErrorInvalidDevicePointer, "invalid device pointer")        \
    X(21, cudaErrorInvalidMemcpyDirection,                                \
      "invalid copy direction for memcpy")                                \
    X(35, cudaErrorInsufficientDriver,                                    \
      "CUDA driver version is insufficient for CUDA runtime version")     \
    X(98, cudaErrorInvalidDeviceFunction, "invalid device function")      \
    X(100, cudaErrorNoDevice, "no CUDA-capable device is detected")       \
    X(101, cudaErrorInvalidDevice, "invalid device ordinal")              \
    X(200, cudaErrorInvalidKernelImage,                                   \
      "device kernel image is invalid")                                   \
    X(209, cudaErrorNoKernelImageForDevice,                               \
      "no kernel image is available for execution on the device")         \
    X(218, cudaErrorInvalidPtx, "a PTX JIT compilation failed")           \
    X(400, cudaErrorInvalidResourceHandle, "invalid resource handle")     \
    X(401, cudaErrorIllegalState,                                         \
      "the operation cannot be performed in the present state")           \
    X(600, cudaErrorNotReady, "device not ready")                         \
    X(700, cudaErrorIllegalAddress,                                       \
      "an illegal memory access was encountered")                         \
    X(701, cudaErrorLaunchOutOfResources,                                 \
      "too many resources requested for launch")                          \
    X(702, cudaErrorLaunchTimeout,                                        \
      "the launch timed out and was terminated")                          \
    X(710, cudaErrorAssert, "device-side assert triggered")               \
    X(714, cudaErrorHardwareStackError, "hardware stack error")           \
    X(715, cudaErrorIllegalInstruction,                                   \
      "an illegal instruction was encountered")                           \
    X(716, cudaErrorMisalignedAddress, "misaligned address")              \
    X(717, cudaErrorInvalidAddressSpace,                                  \
      "operation not supported on global/shared address space")           \
    X(718, cudaErrorInvalidPc, "invalid program counter")                 \
    X(719, cudaErrorLaunchFailure, "unspecified launch failure")          \
    X(801, cudaErrorNotSupported, "operation not supported")              \
    X(999, cudaErrorUnknown, "unknown error")

typedef enum cudaError {
#define SIMT_ERROR(number, name, sentence) name = number,
    SIMT_ERRORS(SIMT_ERROR)
    SIMT_MORE_ERRORS(SIMT_ERROR)
#undef SIMT_ERROR
} cudaError_t;

/* dim3, streams, events and flags */
#include "vector_types.h"

struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned x_ = 1, unsigned y_ = 1,
                                       unsigned z_ = 1)
        : x(x_), y(y_), z(z_) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const
    {
        return uint3{ x, y, z };
    }
#endif
};
typedef struct dim3 dim3;

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef void (*cudaHostFn_t)(void *);

#define cudaStreamDefault       0u
#define cudaStreamNonBlocking   1u
#define cudaStreamLegacy        ((cudaStream_t)0x1)
#define cudaStreamPerThread     ((cudaStream_t)0x2)
#define cudaEventDefault        0u
#define cudaEventBlockingSync   1u
#define cudaEventDisableTiming  2u
#define cudaHostAllocDefault    0u
#define cudaHostAllocPortable   1u
#define cudaHostAllocMapped     2u
#define cudaHostAllocWriteCombined 4u
#define cudaHostRegisterDefault 0u
#define cudaMemAttachGlobal     1u
#define cudaDeviceScheduleAuto  0u

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault,
};

enum cudaMemoryType {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged,
};

struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
};

enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual,
};

#ifndef __cplusplus
typedef enum cudaMemcpyKind cudaMemcpyKind;
typedef enum cudaFuncAttribute cudaFuncAttribute;
typedef enum cudaFuncCache cudaFuncCache;
#endif

/* what a device says of itself */
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    int clockRate;                      /* kHz */
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled;
    int integrated, canMapHostMemory, computeMode;
    /* the sizes of textures and surfaces */
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear;
    int maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3];
    int maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3];
    int maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2];
    int maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3];
    int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled;
    int pciBusID, pciDeviceID, pciDomainID, tccDriver;
    int asyncEngineCount, unifiedAddressing;
    int memoryClockRate;                /* kHz */
    int memoryBusWidth;                 /* bits */
    int l2CacheSize, persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor, streamPrioritiesSupported;
    int globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory;
    int isMultiGpuBoard, multiGpuBoardGroupID;
    int hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio;
    int pageableMemoryAccess, concurrentManagedAccess;
    int computePreemptionSupported, canUseHostPointerForRegisteredMem;
    int cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, memoryPoolsSupported, clusterLaunch;
};

/* the attributes of a device */
/* X(name after cudaDevAttr, number, field of cudaDeviceProp) */
#define SIMT_ATTRIBUTES(X) \
    X(MaxThreadsPerBlock, 1, maxThreadsPerBlock) \
    X(MaxBlockDimX, 2, maxThreadsDim[0]) \
    X(MaxBlockDimY, 3, maxThreadsDim[1]) \
    X(MaxBlockDimZ, 4, maxThreadsDim[2]) \
    X(MaxGridDimX, 5, maxGridSize[0]) \
    X(MaxGridDimY, 6, maxGridSize[1]) \
    X(MaxGridDimZ, 7, maxGridSize[2]) \
    X(MaxSharedMemoryPerBlock, 8, sharedMemPerBlock) \
    X(TotalConstantMemory, 9, totalConstMem) \
    X(WarpSize, 10, warpSize) \
    X(MaxPitch, 11, memPitch) \
    X(MaxRegistersPerBlock, 12, regsPerBlock) \
    X(ClockRate, 13, clockRate) \
    X(TextureAlignment, 14, textureAlignment) \
    X(GpuOverlap, 15, deviceOverlap) \
    X(MultiProcessorCount, 16, multiProcessorCount) \
    X(KernelExecTimeout, 17, kernelExecTimeoutEnabled) \
    X(Integrated, 18, integrated) \
    X(CanMapHostMemory, 19, canMapHostMemory) \
    X(ComputeMode, 20, computeMode) \
    X(MaxTexture1DWidth, 21, maxTexture1D) \
    X(MaxTexture2DWidth, 22, maxTexture2D[0]) \
    X(MaxTexture2DHeight, 23, maxTexture2D[1]) \
    X(MaxTexture3DWidth, 24, maxTexture3D[0]) \
    X(MaxTexture3DHeight, 25, maxTexture3D[1]) \
    X(MaxTexture3DDepth, 26, maxTexture3D[2]) \
    X(SurfaceAlignment, 30, surfaceAlignment) \
    X(ConcurrentKernels, 31, concurrentKernels) \
    X(EccEnabled, 32, ECCEnabled) \
    X(PciBusId, 33, pciBusID) \
    X(PciDeviceId, 34, pciDeviceID) \
    X(TccDriver, 35, tccDriver)

#define SIMT_MORE_ATTRIBUTES(X) \
    X(MemoryClockRate, 36, memoryClockRate) \
    X(GlobalMemoryBusWidth, 37, memoryBusWidth) \
    X(L2CacheSize, 38, l2CacheSize) \
    X(MaxThreadsPerMultiProcessor, 39, maxThreadsPerMultiProcessor) \
    X(AsyncEngineCount, 40, asyncEngineCount) \
    X(UnifiedAddressing, 41, unifiedAddressing) \
    X(PciDomainId, 50, pciDomainID) \
    X(TexturePitchAlignment, 51, texturePitchAlignment) \
    X(ComputeCapabilityMajor, 75, major) \
    X(ComputeCapabilityMinor, 76, minor) \
    X(StreamPrioritiesSupported, 78, streamPrioritiesSupported) \
    X(GlobalL1CacheSupported, 79, globalL1CacheSupported) \
    X(LocalL1CacheSupported, 80, localL1CacheSupported) \
    X(MaxSharedMemoryPerMultiprocessor, 81, sharedMemPerMultiprocessor) \
    X(MaxRegistersPerMultiprocessor, 82, regsPerMultiprocessor) \
    X(ManagedMemory, 83, managedMemory) \
    X(IsMultiGpuBoard, 84, isMultiGpuBoard) \
    X(MultiGpuBoardGroupID, 85, multiGpuBoardGroupID) \
    X(HostNativeAtomicSupported, 86, hostNativeAtomicSupported) \
    X(SingleToDoublePrecisionPerfRatio, 87, \
      singleToDoublePrecisionPerfRatio) \
    X(PageableMemoryAccess, 88, pageableMemoryAccess) \
    X(ConcurrentManagedAccess, 89, concurrentManagedAccess) \
    X(ComputePreemptionSupported, 90, computePreemptionSupported) \
    X(CanUseHostPointerForRegisteredMem, 91, \
      canUseHostPointerForRegisteredMem) \
    X(CooperativeLaunch, 95, cooperativeLaunch) \
    X(CooperativeMultiDeviceLaunch, 96, cooperativeMultiDeviceLaunch) \
    X(MaxSharedMemoryPerBlockOptin, 97, sharedMemPerBlockOptin) \
    X(HostRegisterSupported, 99, hostRegisterSupported) \
    X(PageableMemoryAccessUsesHostPageTables, 100, \
      pageableMemoryAccessUsesHostPageTables) \
    X(DirectManagedMemAccessFromHost, 101, \
      directManagedMemAccessFromHost) \
    X(MaxBlocksPerMultiprocessor, 106, maxBlocksPerMultiProcessor) \
    X(MaxPersistingL2CacheSize, 108, persistingL2CacheMaxSize) \
    X(MaxAccessPolicyWindowSize, 109, accessPolicyMaxWindowSize) \
    X(ReservedSharedMemoryPerBlock, 111, reservedSharedMemPerBlock) \
    X(MemoryPoolsSupported, 115, memoryPoolsSupported) \
    X(ClusterLaunch, 120, clusterLaunch)

enum cudaDeviceAttr {
#define SIMT_ATTRIBUTE(name, number, field) cudaDevAttr##name = number,
    SIMT_ATTRIBUTES(SIMT_ATTRIBUTE)
    SIMT_MORE_ATTRIBUTES(SIMT_ATTRIBUTE)
#undef SIMT_ATTRIBUTE
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock;
    int numRegs;                /* what SIMT_REGISTERS states, else 0 */
    int ptxVersion, binaryVersion, cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
};

/* the host calls */
SIMT_API cudaError_t cudaGetLastError(void);
SIMT_API cudaError_t cudaPeekAtLastError(void);
SIMT_API const char *cudaGetErrorName(cudaError_t);
SIMT_API const char *cudaGetErrorString(cudaError_t);

SIMT_API cudaError_t cudaGetDeviceCount(int *count);
SIMT_API cudaError_t cudaSetDevice(int device);
SIMT_API cudaError_t cudaGetDevice(int *device);
SIMT_API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *,
                                             int device);
SIMT_API cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr,
                                            int device);
SIMT_API cudaError_t cudaDeviceSynchronize(void);
SIMT_API cudaError_t cudaDeviceReset(void);
SIMT_API cudaError_t cudaSetDeviceFlags(unsigned flags);
SIMT_API cudaError_t cudaRuntimeGetVersion(int *version);
SIMT_API cudaError_t cudaDriverGetVersion(int *version);

SIMT_API cudaError_t cudaMalloc(void **pointer, size_t bytes);
SIMT_API cudaError_t cudaMallocAsync(void **pointer, size_t bytes,
                                     cudaStream_t);
SIMT_API cudaError_t cudaMallocManaged(void **pointer, size_t bytes,
                                       unsigned flags);
SIMT_API cudaError_t cudaFree(void *pointer);
SIMT_API cudaError_t cudaFreeAsync(void *pointer, cudaStream_t);
SIMT_API cudaError_t cudaMallocHost(void **pointer, size_t bytes);
SIMT_API cudaError_t cudaHostAlloc(void **pointer, size_t bytes,
                                   unsigned flags);
SIMT_API cudaError_t cudaFreeHost(void *pointer);
SIMT_API cudaError_t cudaHostRegister(void *pointer, size_t bytes,
                                      unsigned flags);
SIMT_API cudaError_t cudaHostUnregister(void *pointer);
SIMT_API cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total);

SIMT_API cudaError_t cudaMemset(void *to, int byte, size_t bytes);
SIMT_API cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes,
                                     cudaStream_t);
SIMT_API cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                                enum cudaMemcpyKind);
SIMT_API cudaError_t cudaMemcpyAsync(void *to, const void *from,
                                     size_t bytes, enum cudaMemcpyKind,
                                     cudaStream_t);
SIMT_API cudaError_t cudaMemcpy2D(void *to, size_t to_pitch,
                                  const void *from, size_t from_pitch,
                                  size_t width, size_t height,
                                  enum cudaMemcpyKind);
SIMT_API cudaError_t cudaMallocPitch(void **pointer, size_t *pitch,
                                     size_t width, size_t height);
SIMT_API cudaError_t cudaMemset2D(void *to, size_t pitch, int byte,
                                  size_t width, size_t height);
SIMT_API cudaError_t cudaMemcpyToSymbol(const void *symbol,
                                        const void *from, size_t bytes,
                                        size_t offset, enum cudaMemcpyKind);
SIMT_API cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol,
                                          size_t bytes, size_t offset,
                                          enum cudaMemcpyKind);
SIMT_API cudaError_t cudaGetSymbolAddress(void **pointer,
                                          const void *symbol);
SIMT_API cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol);

SIMT_API cudaError_t cudaStreamCreate(cudaStream_t *);
SIMT_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
SIMT_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *, unsigned,
                                                  int priority);
SIMT_API cudaError_t cudaStreamDestroy(cudaStream_t);
SIMT_API cudaError_t cudaStreamSynchronize(cudaStream_t);
SIMT_API cudaError_t cudaStreamQuery(cudaStream_t);
SIMT_API cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t,
                                         unsigned flags);
SIMT_API cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t,
                                        void *data);
SIMT_API cudaError_t cudaEventCreate(cudaEvent_t *);
SIMT_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
SIMT_API cudaError_t cudaEventDestroy(cudaEvent_t);
SIMT_API cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
SIMT_API cudaError_t cudaEventSynchronize(cudaEvent_t);
SIMT_API cudaError_t cudaEventQuery(cudaEvent_t);
SIMT_API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from,
                                          cudaEvent_t to);

SIMT_API cudaError_t cudaDeviceGetStreamPriorityRange(int *least,
                                                      int *greatest);
SIMT_API cudaError_t cudaPointerGetAttributes(
    struct cudaPointerAttributes *, const void *pointer);

SIMT_API cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid,
                                      dim3 block, void **arguments,
                                      size_t shared_bytes, cudaStream_t);
SIMT_API cudaError_t cudaFuncSetAttribute(const void *kernel,
                                          enum cudaFuncAttribute,
                                          int value);
SIMT_API cudaError_t cudaFuncSetCacheConfig(const void *kernel,
                                            enum cudaFuncCache);
SIMT_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *,
                                           const void *kernel);
SIMT_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, const void *kernel, int threads, size_t dynamic_bytes);
SIMT_API cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *kernel, int threads, size_t dynamic_bytes,
    unsigned flags);
SIMT_API cudaError_t cudaProfilerStart(void);
SIMT_API cudaError_t cudaProfilerStop(void);

#include "simt_more.h"
#include "simt_arrays.h"
#include "simt_graphs.h"
#include "simt_launch_config.h"

/* what is refused by name */
#if defined(__clang__) && defined(__cplusplus)
#define SIMT_REFUSED(name, why) \
    SIMT_API cudaError_t name(...) \
        __attribute__((unavailable("simtcc: " why)))
#define SIMT_REFUSED_TYPE(name, why) \
    typedef long long name __attribute__((unavailable("simtcc: " why)))
#define SIMT_ONE_PROCESS "the software GPU belongs to one process"
SIMT_REFUSED(cudaIpcGetMemHandle, SIMT_ONE_PROCESS);
#endif

#endif
