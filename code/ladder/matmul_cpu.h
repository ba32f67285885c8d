/* Tangled from chapters/workshop/measuring-a-cpu.nw, "The rest of the matmul".  Edit it there. */

#ifndef LADDER_MATMUL_CPU_H
#define LADDER_MATMUL_CPU_H

/* The steps below gemm, to be measured, not used: c = a b, row-major,
 * float, one thread.  flags are ignored. */
void matmul_naive(float *c, const float *a, const float *b, int M, int N,
                  int K, int flags);
void matmul_reordered(float *c, const float *a, const float *b, int M,
                      int N, int K, int flags);
void matmul_blocked(float *c, const float *a, const float *b, int M, int N,
                    int K, int flags);

#endif
