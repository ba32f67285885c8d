/* Tangled from chapters/workshop/foreign-features.nw, "Recording a stream".  Edit it there. */

#ifndef SIMT_RUNTIME_GRAPH_H
#define SIMT_RUNTIME_GRAPH_H

#include "simt/runtime/runtime.h"

/* Is the stream being recorded? */
bool capturing(cudaStream_t);
/* Then these do not do what they say, but make nodes of it. */
cudaError_t capture(cudaStream_t, enum cudaGraphNodeType,
                    cudaGraphNode_t *node);
cudaError_t capture_launch(const struct Request *);
cudaError_t capture_copy(cudaStream_t, const struct cudaMemcpy3DParms *);
cudaError_t capture_set(cudaStream_t, const cudaMemsetParams *);
cudaError_t capture_host(cudaStream_t, cudaHostFn_t, void *data);
cudaError_t capture_alloc(cudaStream_t, void **pointer, size_t bytes);
cudaError_t capture_free(cudaStream_t, void *pointer);
void capture_record(cudaEvent_t, cudaStream_t);
/* False: the event was recorded by no stream that is being recorded. */
bool capture_wait(cudaStream_t, cudaEvent_t);
/* A copy of so many bytes in so many rows. */
cudaError_t capture_rows(cudaStream_t, void *to, size_t to_pitch,
                         const void *from, size_t from_pitch, size_t width,
                         size_t height, enum cudaMemcpyKind);

/* The bytes of each argument of a kernel; the list is the caller's. */
cudaError_t launch_sizes(const void *kernel, size_t **sizes, size_t *n);

#endif
