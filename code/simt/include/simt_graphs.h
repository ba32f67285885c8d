/* Tangled from chapters/workshop/foreign-features.nw, "Graphs".  Edit it there. */

/* Graphs of operations, and streams that are recorded. */
#ifndef SIMT_GRAPHS_H
#define SIMT_GRAPHS_H

/* types of graphs */
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef unsigned long long cudaGraphConditionalHandle;
enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy,
    cudaGraphNodeTypeMemset, cudaGraphNodeTypeHost, cudaGraphNodeTypeGraph,
    cudaGraphNodeTypeEmpty, cudaGraphNodeTypeWaitEvent,
    cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeMemAlloc = 10,
    cudaGraphNodeTypeMemFree, cudaGraphNodeTypeConditional = 13,
};
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed,
};
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated,
};
enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError,
    cudaGraphExecUpdateErrorTopologyChanged,
    cudaGraphExecUpdateErrorNodeTypeChanged,
};
typedef struct cudaGraphExecUpdateResultInfo {
    enum cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;
typedef struct cudaGraphEdgeData { unsigned char data[8]; }
    cudaGraphEdgeData;
enum cudaGraphConditionalNodeType {
    cudaGraphCondTypeIf, cudaGraphCondTypeWhile, cudaGraphCondTypeSwitch,
};
#define cudaGraphCondAssignDefault 1u
#define cudaGraphInstantiateFlagAutoFreeOnLaunch 1ull
#define cudaGraphInstantiateFlagUpload 2ull
enum cudaGraphMemAttributeType {
    cudaGraphMemAttrUsedMemCurrent, cudaGraphMemAttrUsedMemHigh,
    cudaGraphMemAttrReservedMemCurrent, cudaGraphMemAttrReservedMemHigh,
};

/* parameters of nodes */
typedef struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
} cudaKernelNodeParams;
typedef struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;           /* the width in elements             */
} cudaMemsetParams;
typedef struct cudaHostNodeParams { cudaHostFn_t fn; void *userData; }
    cudaHostNodeParams;
typedef struct cudaMemAllocNodeParams {
    struct cudaMemPoolProps poolProps;
    const struct cudaMemAccessDesc *accessDescs;
    size_t accessDescCount, bytesize;
    void *dptr;                     /* the result                        */
} cudaMemAllocNodeParams;
typedef struct cudaConditionalNodeParams {
    cudaGraphConditionalHandle handle;
    enum cudaGraphConditionalNodeType type;
    unsigned size;
    cudaGraph_t *phGraph_out;       /* the result: size graphs           */
    void *ctx;
} cudaConditionalNodeParams;

typedef struct cudaGraphNodeParams {
    enum cudaGraphNodeType type;
    int reserved[3];
    union {
        struct {
            void *func;
            struct { unsigned x, y, z; } gridDim, blockDim;
            unsigned sharedMemBytes;
            void **kernelParams, **extra;
        } kernel;
        struct {
            int flags, reserved[3];
            struct cudaMemcpy3DParms copyParams;
        } memcpy;
        cudaMemsetParams memset;
        cudaHostNodeParams host;
        struct { cudaGraph_t graph; } graph;
        cudaConditionalNodeParams conditional;
    };
} cudaGraphNodeParams;

/* calls that make graphs */
#define SIMT_ADD_NODE(name) SIMT_API cudaError_t cudaGraphAdd##name(      \
    cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *after, size_t n
SIMT_API cudaError_t cudaGraphCreate(cudaGraph_t *, unsigned flags);
SIMT_API cudaError_t cudaGraphDestroy(cudaGraph_t);
SIMT_API cudaError_t cudaGraphClone(cudaGraph_t *, cudaGraph_t);
SIMT_ADD_NODE(KernelNode), const cudaKernelNodeParams *);
SIMT_ADD_NODE(MemcpyNode), const struct cudaMemcpy3DParms *);
SIMT_ADD_NODE(MemcpyNode1D), void *to, const void *from, size_t bytes,
              enum cudaMemcpyKind);
SIMT_ADD_NODE(MemsetNode), const cudaMemsetParams *);
SIMT_ADD_NODE(HostNode), const cudaHostNodeParams *);
SIMT_ADD_NODE(ChildGraphNode), cudaGraph_t);
SIMT_ADD_NODE(EmptyNode));
SIMT_ADD_NODE(EventRecordNode), cudaEvent_t);
SIMT_ADD_NODE(EventWaitNode), cudaEvent_t);
SIMT_ADD_NODE(MemAllocNode), cudaMemAllocNodeParams *);
SIMT_ADD_NODE(MemFreeNode), void *);
SIMT_API cudaError_t cudaGraphConditionalHandleCreate(
    cudaGraphConditionalHandle *, cudaGraph_t, unsigned value,
    unsigned flags);
SIMT_API cudaError_t simt_graph_add_node(cudaGraphNode_t *, cudaGraph_t,
                                         const cudaGraphNode_t *after,
                                         size_t n, cudaGraphNodeParams *);
SIMT_API cudaError_t cudaGraphAddDependencies(cudaGraph_t,
                                              const cudaGraphNode_t *from,
                                              const cudaGraphNode_t *to,
                                              size_t n);
SIMT_API cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t *,
                                       size_t *n);
SIMT_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t, cudaGraphNode_t *,
                                           size_t *n);
SIMT_API cudaError_t cudaGraphGetEdges(cudaGraph_t, cudaGraphNode_t *from,
                                       cudaGraphNode_t *to, size_t *n);
SIMT_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t,
                                          enum cudaGraphNodeType *);
SIMT_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t,
                                                  cudaKernelNodeParams *);
SIMT_API cudaError_t cudaGraphKernelNodeSetParams(
    cudaGraphNode_t, const cudaKernelNodeParams *);

/* calls that run graphs */
SIMT_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *,
                                                   cudaGraph_t,
                                                   unsigned long long);
SIMT_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
SIMT_API cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
SIMT_API cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t);
SIMT_API cudaError_t simt_graph_update(cudaGraphExec_t, cudaGraph_t,
                                       cudaGraphExecUpdateResultInfo *);
SIMT_API cudaError_t cudaGraphExecKernelNodeSetParams(
    cudaGraphExec_t, cudaGraphNode_t, const cudaKernelNodeParams *);
SIMT_API cudaError_t cudaGraphExecMemcpyNodeSetParams(
    cudaGraphExec_t, cudaGraphNode_t, const struct cudaMemcpy3DParms *);
SIMT_API cudaError_t cudaGraphExecMemsetNodeSetParams(
    cudaGraphExec_t, cudaGraphNode_t, const cudaMemsetParams *);
SIMT_API cudaError_t cudaGraphExecHostNodeSetParams(
    cudaGraphExec_t, cudaGraphNode_t, const cudaHostNodeParams *);
SIMT_API cudaError_t cudaDeviceGetGraphMemAttribute(
    int device, enum cudaGraphMemAttributeType, void *value);
SIMT_API cudaError_t cudaDeviceGraphMemTrim(int device);

/* calls that record streams */
SIMT_API cudaError_t cudaStreamBeginCapture(cudaStream_t,
                                            enum cudaStreamCaptureMode);
SIMT_API cudaError_t cudaStreamBeginCaptureToGraph(
    cudaStream_t, cudaGraph_t, const cudaGraphNode_t *after,
    const cudaGraphEdgeData *, size_t n, enum cudaStreamCaptureMode);
SIMT_API cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
SIMT_API cudaError_t cudaStreamIsCapturing(cudaStream_t,
                                           enum cudaStreamCaptureStatus *);
SIMT_API cudaError_t simt_capture_info(cudaStream_t,
                                       enum cudaStreamCaptureStatus *,
                                       cudaGraph_t *,
                                       const cudaGraphNode_t **after,
                                       size_t *n);
#define cudaStreamSetCaptureDependencies 1u
#define cudaStreamAddCaptureDependencies 0u
SIMT_API cudaError_t simt_capture_follow(cudaStream_t, cudaGraphNode_t *,
                                         size_t n, unsigned flags);

#endif
