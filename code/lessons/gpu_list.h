/* Tangled from chapters/workshop/first-programs.nw, "lower-bound: reading a list of GPUs".  Edit it there. */

#ifndef LESSONS_GPU_LIST_H
#define LESSONS_GPU_LIST_H

#include "base/error.h"

/* struct of a GPU on paper */
/* What a data sheet says of a GPU, dense arithmetic, decimal units. */
struct PaperGpu {
    char name[40];
    double fp32_flops, matmul_flops;        /* FLOP/s               */
    double memory_bytes;                    /* bytes/s, own memory  */
};

/* read a list of GPUs */
/* Read at most max rows of a file like figures/data/gpus.csv.  Returns
 * their number, or -1 with a message. */
int paper_gpus_read(struct PaperGpu *gpu, int max, const char *path,
                    struct Error *e);

/* the least time on one of them */
/* Seconds that flop operations and bytes of traffic take at least.
 * matmul: the operations are matrix products in the narrow format, and
 * run on the matrix units; otherwise float32.  *by_memory, if not NULL,
 * says whether the bytes set the time. */
double lower_bound_s(const struct PaperGpu *gpu, double flop, double bytes,
                     bool matmul, bool *by_memory);

#endif
