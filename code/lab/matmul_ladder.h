/* Chapter 17b, A matmul for two cores: 17b.3 Three loops, three orders */
/* Tangled from chapters/17b-cpu-matmul.nw by `make tangle`; edit it there. */

#ifndef LAB_MATMUL_LADDER_H
#define LAB_MATMUL_LADDER_H

/* The steps below gemm, to be measured, not used: c = a b, row-major,
 * float, one thread.  flags are ignored. */
void matmul_naive(float *c, const float *a, const float *b, int M, int N,
                  int K, int flags);
void matmul_reordered(float *c, const float *a, const float *b, int M,
                      int N, int K, int flags);
void matmul_blocked(float *c, const float *a, const float *b, int M, int N,
                    int K, int flags);

#endif
