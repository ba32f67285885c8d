/* Tangled from chapters/workshop/simt-executor.nw, "A trace".  Edit it there. */

#ifndef SIMT_COUNTERS_TRACE_H
#define SIMT_COUNTERS_TRACE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Which warp to trace: of each launch of this kernel, by its name in the
 * source, this block and this warp of it.  In the trace a lane is a digit,
 * the last one of its number; '-' if its guard is false, '.' if it is not
 * on the path that runs.  After the lanes come the waiting paths, youngest
 * first: the line at which each will go on, and its lanes. */
struct Trace {
    char kernel[200];
    uint64_t block;
    int warp;
    bool blocks;                /* only the first of each basic block    */
    FILE *to;
};

/* KERNEL[:BLOCK[:WARP]], as in SIMT_TRACE. */
bool trace_read(struct Trace *, const char *text, struct Error *);
/* From now on; one trace at a time. */
void trace_begin(struct Trace);

#endif
