/* Tangled from chapters/workshop/simt-runtime.nw, "Tensor cores".  Edit it there. */

#ifndef SIMT_EXECUTOR_TENSOR_H
#define SIMT_EXECUTOR_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

/* mma.sync.aligned.m16n8kK.row.col: D = A B + C, A [16][K], B [K][8].
 *   K = 16 or 8: half, bf16       K = 8 or 4: tf32 */
enum MmaType { MMA_HALF, MMA_BF16, MMA_TF32 };

struct Mma {
    enum MmaType type;          /* of A and B                            */
    int k;
    bool half_sum;              /* C and D are half, 2 in a register;    */
};                              /*   otherwise float                     */

/* How many registers a lane has of A, B, and of C or D. */
int mma_a_registers(const struct Mma *);
int mma_b_registers(const struct Mma *);
int mma_c_registers(const struct Mma *);

/* Each register is an array of 32 lanes: a[r][lane].  d may be c.  The
 * products are exact, the sum is taken in double and rounded once: real
 * tensor cores cut some bits off, and give other last digits. */
void mma_sync(const struct Mma *, uint32_t *const d[],
              const uint32_t *const a[], const uint32_t *const b[],
              const uint32_t *const c[]);

/* 2 M N K */
static inline int mma_flop(const struct Mma *m)
{
    return 2 * 16 * 8 * m->k;
}

#endif
