/* Tangled from chapters/workshop/simt-wgmma.nw, "How a tensor core adds".  Edit it there. */

#ifndef SIMT_EXECUTOR_TENSOR_SUM_H
#define SIMT_EXECUTOR_TENSOR_SUM_H

/* How the tensor cores of Hopper multiply and add, bit by bit. */
#include <stdbool.h>
#include <stdint.h>

/* types of the factors */
enum TensorType {
    TENSOR_F16, TENSOR_BF16, TENSOR_TF32, TENSOR_E4M3, TENSOR_E5M2,
    TENSOR_S8, TENSOR_U8,
};

/* what a rule of addition says */
struct TensorRule {
    int fraction;           /* F: bits kept below the largest exponent   */
    int digits;             /* of a new sum in fp32: 24 or 14            */
    int group;              /* products added at a time                  */
    bool pairs;             /* mma.sync of 8 bits, see below             */
};

struct TensorRule tensor_rule(enum TensorType, bool wgmma);

/* contracts of tensor sums */
enum { TENSOR_N = 256, TENSOR_K = 32 };

/* Factors [k][n].  What is infinite or not a number has the value 0 and
 * one of these for an exponent. */
enum { TENSOR_PLUS = 10000, TENSOR_MINUS, TENSOR_NAN };
struct Factors {
    double value[TENSOR_K][TENSOR_N];
    int exponent[TENSOR_K][TENSOR_N];
};

int tensor_bytes(enum TensorType);      /* of a number: 1, 2 or 4        */

/* Column n of f from k numbers of a type side by side. */
void tensor_unpack(struct Factors *f, int n, int k, enum TensorType,
                   const unsigned char *bytes);

/* sum[j] = a[0] b[0][j] + ... + a[k - 1] b[k - 1][j] + sum[j] for all j < n
 * by a rule; a is column `row` of its factors.  half: sums are fp16,
 * rounded to nearest. */
void tensor_add(float *sum, int n, int k, const struct Factors *a, int row,
                const struct Factors *b, struct TensorRule, bool half);

/* The same for integers of 8 bits.  saturate: a sum stops at the ends of
 * its range, else it wraps around. */
void tensor_add_integers(int32_t *sum, int n, int k,
                         const struct Factors *a, int row,
                         const struct Factors *b, bool saturate);

#endif
