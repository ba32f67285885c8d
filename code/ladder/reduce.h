/* Tangled from chapters/workshop/measuring-reductions.nw, "Launches".  Edit it there. */

#ifndef LADDER_REDUCE_H
#define LADDER_REDUCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* time a branch, and the sum of a warp */
/* blocks x 256 threads each make `rounds` x 16 multiply-adds, of one of two
 * kinds: the kind of a thread is bit `bit` of its number in the block, or,
 * with bit = 8, the same for all.  y[256 blocks]; not waited for. */
void branch_by(float *y, int blocks, int bit, int rounds);

/* Each of 256 threads in `blocks` blocks takes part in `rounds` sums of
 * its warp, by shuffles or by redux.sync; y[256 blocks]; not waited for. */
void warp_sums(uint32_t *y, int blocks, int rounds, bool redux);

/* what every sum does */
/* *sum = x[0] + ... + x[n-1], float32, all in device memory.
 *
 *   sizes      1 <= n < 2^39
 *   part       room for sum_workspace(n) numbers
 *   alignment  x and part 16 bytes
 *   launch     in the default stream; not waited for
 *   moves      4 n bytes: each number in once
 *   ceiling    memory: a kernel that reads x
 *   numerics   the error grows with the numbers that a thread adds up, and
 *              with the logarithm of the rest.  Equal bits in every run
 *              on one GPU, except with atomic additions in fp32 */
typedef void sum_fn(float *sum, const float *x, size_t n, float *part);

/* the table of sums */
struct Sum {
    const char *name;
    sum_fn *run;
    bool varies;                /* with the order in which blocks end */
};

/* The ladder, in the chapter's order; a row without a name ends it. */
const struct Sum *sums(void);
size_t sum_workspace(size_t n);

C_FUNCTIONS_END

#endif
