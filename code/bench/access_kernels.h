/* Tangled from chapters/workshop/measuring-a-gpu.nw, "access: sectors and banks against the clock".  Edit it there. */

#ifndef BENCH_ACCESS_KERNELS_H
#define BENCH_ACCESS_KERNELS_H

#include <stddef.h>

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* Launchers of the kernels that show how addresses cost; all pointers are
 * device memory, and none waits for the kernel to end. */

/* y[i] = x[i * stride + offset], i < n. */
void gather(float *y, const float *x, int n, int stride, int offset);

/* Copy, width = 1, 2, 4, 8 or 16 bytes a thread; bytes % 16 == 0. */
void copy_by(void *y, const void *x, size_t bytes, int width);

/* Each thread of `blocks` blocks of 1024 reads 4 or 16 bytes (width) of
 * shared memory, float number stride * (its lane), `times` times, a
 * multiple of 8; y[blocks * 1024]. */
void read_banks(float *y, int blocks, int stride, int width, int times);

C_FUNCTIONS_END

#endif
