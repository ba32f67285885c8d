/* Tangled from chapters/workshop/simt-runtime.nw, "Tensor cores".  Edit it there. */

#ifndef SIMT_EXECUTOR_TENSOR_H
#define SIMT_EXECUTOR_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

/* mma.sync.aligned.m16n8kK.row.col: D = A B + C, A [16][K], B [K][8].
 *   K = 16 or 8: half, bf16       K = 8 or 4: tf32
 *   K = 32: e4m3, e5m2            K = 32 or 16: s8, u8
 * mma.sp::ordered_metadata: of each four neighbours in a row of A two are
 * stored.      K = 32: half, bf16 */
enum MmaType { MMA_HALF, MMA_BF16, MMA_TF32, MMA_E4M3, MMA_E5M2, MMA_S8,
               MMA_U8 };

struct Mma {
    enum MmaType type;          /* of A and B                            */
    int k;
    bool half_sum;              /* C and D are half, 2 in a register;    */
                                /*   otherwise float                     */
    bool sparse;                /* A is [16][K/2] and has metadata       */
    bool mixed, saturate;       /* B is of type b; integers stop at the  */
    enum MmaType b;             /*   ends of their range                 */
};

/* How many registers a lane has of A, B, and of C or D. */
int mma_a_registers(const struct Mma *);
int mma_b_registers(const struct Mma *);
int mma_c_registers(const struct Mma *);

/* Each register is an array of 32 lanes: a[r][lane].  d may be c.  Sums
 * have the bits of an H200's, see tensor_sum.h. */
void mma_sync(const struct Mma *, uint32_t *const d[],
              const uint32_t *const a[], const uint32_t *const b[],
              const uint32_t *const c[]);

/* The same for a sparse A, but the sum is taken in double and rounded once;
 * with e, the metadata of the lanes.  Each four
 * of a row of A have four bits: the places of the first and of the second
 * that are stored.  A row's first 16 columns have theirs in lane 2 selector
 * of its four, the others in the lane after; row g in the low half of the
 * word, row g + 8 in the high one.  False, and d as it was, unless each
 * first place is below the second. */
bool mma_sp(const struct Mma *, uint32_t *const d[],
            const uint32_t *const a[], const uint32_t *const b[],
            const uint32_t *const c[], const uint32_t *e, int selector);

/* 2 M N K, of a sparse A without what is not stored */
static inline int mma_flop(const struct Mma *m)
{
    return 2 * 16 * 8 * m->k / (m->sparse ? 2 : 1);
}

#endif
