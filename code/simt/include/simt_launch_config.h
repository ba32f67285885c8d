/* Tangled from chapters/workshop/simt-hopper.nw, "A launch with attributes".  Edit it there. */

/* Launches with attributes, and functions of the driver. */
#ifndef SIMT_LAUNCH_CONFIG_H
#define SIMT_LAUNCH_CONFIG_H

/* attributes of a launch */
typedef enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeAccessPolicyWindow = 1,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeSynchronizationPolicy = 3,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributePriority = 8,
} cudaLaunchAttributeID;

typedef union cudaLaunchAttributeValue {
    char pad[64];
    struct { unsigned x, y, z; } clusterDim;
    int cooperative, priority, clusterSchedulingPolicyPreference;
    int programmaticStreamSerializationAllowed;
} cudaLaunchAttributeValue;

typedef struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    int pad;
    cudaLaunchAttributeValue val;
} cudaLaunchAttribute;

typedef struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;

/* calls with attributes */
SIMT_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *,
                                         const void *kernel,
                                         void **arguments);
SIMT_API cudaError_t cudaOccupancyMaxActiveClusters(
    int *clusters, const void *kernel, const cudaLaunchConfig_t *);

/* A function of the driver by its name; we have one, for tensor maps. */
typedef enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess = 0,
    cudaDriverEntryPointSymbolNotFound = 1,
    cudaDriverEntryPointVersionNotSufficent = 2,
} cudaDriverEntryPointQueryResult;
#define cudaEnableDefault 0ull
SIMT_API cudaError_t cudaGetDriverEntryPointByVersion(
    const char *name, void **function, unsigned version,
    unsigned long long flags, cudaDriverEntryPointQueryResult *);
#ifdef __cplusplus
extern "C" cudaError_t cudaGetDriverEntryPoint(
    const char *name, void **function, unsigned long long flags,
    cudaDriverEntryPointQueryResult * = nullptr);
#else
extern cudaError_t cudaGetDriverEntryPoint(
    const char *name, void **function, unsigned long long flags,
    cudaDriverEntryPointQueryResult *);
#endif

#endif
