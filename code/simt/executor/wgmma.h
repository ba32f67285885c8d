/* Tangled from chapters/workshop/simt-wgmma.nw, "Where an operand lies".  Edit it there. */

#ifndef SIMT_EXECUTOR_WGMMA_H
#define SIMT_EXECUTOR_WGMMA_H

/* wgmma: operands, the instruction, and what a warp remembers of those in
 * flight. */
#include "simt/executor/execute.h"
#include "simt/executor/tensor_sum.h"

/* an operand in shared memory */
struct Operands {               /* what a descriptor says, in bytes      */
    uint32_t start, lead, stride;
    int width;                  /* of the swizzle; 16: none              */
    int base;                   /* first row of its pattern              */
    bool transposed;            /* rows run across the depth             */
};

struct Operands operands_of(uint64_t descriptor, bool transposed);

/* The offset in shared memory of the 16 bytes that hold element `at` (a
 * row of A, a column of B) from step k of the depth on; transposed: that
 * hold eight elements from `at` on at step k.  size: bytes of a number. */
uint32_t operand_chunk(const struct Operands *, int at, int k, int size);

/* Rows from..from + n - 1 of an operand, 32 bytes of each, side by side.
 * False: it reaches beyond the end of shared memory, at *outside. */
bool operand_read(unsigned char (*rows)[32], const struct Operands *,
                  int from, int n, int size, const unsigned char *shared,
                  size_t bytes, uint32_t *outside);

/* a decoded wgmma */
struct Wgmma {
    enum TensorType a, b;
    int n, k;                   /* columns of the result; depth          */
    bool half_sum, integers, saturate;
    bool a_shared;              /* by descriptor, else four registers    */
    bool a_transposed, b_transposed, minus_a, minus_b;
    bool scale_not;             /* the predicate is negated              */
    int sums;                   /* registers of the result, for a lane   */
    uint32_t *d;                /* their units                           */
};

/* Read the opcode: everything but registers and immediates.  False: it is
 * no wgmma that the hardware has. */
bool wgmma_named(struct Wgmma *, const char *op);

#endif
