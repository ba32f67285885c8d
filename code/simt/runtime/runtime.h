/* Tangled from chapters/workshop/foreign-programs.nw, "The calls themselves".  Edit it there. */

#ifndef SIMT_RUNTIME_RUNTIME_H
#define SIMT_RUNTIME_RUNTIME_H

#include "simt/include/cuda_runtime_api.h"

#include <stdbool.h>
#include <stdint.h>

#define refuse simt_refuse      /* this library is linked with strangers */

/* Remember the code, say why on standard error, return the code. */
cudaError_t refuse(cudaError_t code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What every call does first: the sticky error, or cudaSuccess. */
cudaError_t simt_enter(void);

/* One call at a time, whatever thread it comes from: a call holds the
 * lock to its end.  A thread that has it may take it again. */
int simt_hold(void);
void simt_let_go(int *);
#define HOLD() __attribute__((cleanup(simt_let_go), unused)) \
    int held = simt_hold()
#define ENTER()                                  \
    HOLD();                                      \
    cudaError_t entered = simt_enter();          \
    if (entered)                                 \
        return entered

/* memory that host and device see */
enum Visible { VISIBLE_NOT, VISIBLE_MANAGED, VISIBLE_PINNED,
               VISIBLE_REGISTERED };

/* Bytes, all zero, that host and device see at one address. */
cudaError_t visible_alloc(const char *call, void **pointer, size_t bytes,
                          enum Visible);
/* What kind of memory the address is in; *first: where it begins, and
 * *own: where the host has it (NULL: nobody asks). */
enum Visible visible_find(const void *p, void **first, void **own);
/* The pages go back; false: no such memory begins there. */
bool visible_free(void *pointer);

/* a launch that is asked for */
struct Request {
    const void *kernel;         /* the host's address of it              */
    dim3 grid, block, cluster;
    bool cooperative;           /* all blocks at once                    */
    size_t bytes;               /* of dynamic shared memory              */
    void **arguments;
    cudaStream_t stream;
};
/* Run it to its end. */
cudaError_t launch_now(const struct Request *);

#endif
