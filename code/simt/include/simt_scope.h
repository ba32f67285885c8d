/* Tangled from chapters/workshop/foreign-features.nw, "Barriers as objects".  Edit it there. */

/* Who takes part: the names of scopes. */
#ifndef SIMT_SCOPE_H
#define SIMT_SCOPE_H
#include "cuda_runtime.h"

#define SIMT_IN_SCOPE __device__ inline \
    __attribute__((always_inline, nodebug))
namespace cuda {
enum thread_scope {
    thread_scope_system, thread_scope_device, thread_scope_block,
    thread_scope_thread = 10,
};
}
#endif
