/* Fragments of matrices, against sums on the host. */
#include "foreign_rows.h"
#include <math.h>
#include <mma.h>
#include <stdint.h>

using namespace nvcuda;
enum { LD = 40 };

template <int m, int n, int k, class T, class Acc, class La, class Lb, class E>
__global__ void multiply(const E *a, const E *b, const Acc *c, Acc *d, wmma::layout_t layout, int scaled)
{
    wmma::fragment<wmma::matrix_a, m, n, k, T, La> x;
    wmma::fragment<wmma::matrix_b, m, n, k, T, Lb> y;
    wmma::fragment<wmma::accumulator, m, n, k, Acc> z, sum;
    wmma::load_matrix_sync(x, a, LD);
    wmma::load_matrix_sync(y, b, LD);
    wmma::load_matrix_sync(z, c, LD, layout);
    wmma::fill_fragment(sum, (Acc)0);
    wmma::mma_sync(sum, x, y, sum);
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] = scaled ? (Acc)((Acc)2 * sum.x[i] + z.x[i]) : sum.x[i];
    wmma::store_matrix_sync(d, sum, LD, layout);
}
template <class T> static T number(int i) { return (T)((i * 37 % 17) - 8); }
template <> uint8_t number<uint8_t>(int i) { return i * 37 % 19 * 13; }
template <class T> static double value(T x) { return (double)x; }
static double value(__half x) { return __half2float(x); }
static double value(__nv_bfloat16 x) { return __bfloat162float(x); }

template <int m, int n, int k, class T, class Acc, class La, class Lb, class E>
static int right(int a_rows, int b_rows)
{
    static E a[LD * LD], b[LD * LD];
    static Acc c[LD * LD], d[LD * LD];
    E *pa, *pb;
    Acc *pc, *pd;
    int good = 1;
    for (int i = 0; i < LD * LD; i++)
        a[i] = number<E>(i), b[i] = number<E>(i + 5), c[i] = number<Acc>(i + 9);
    cudaMalloc(&pa, sizeof a), cudaMalloc(&pb, sizeof b), cudaMalloc(&pc, sizeof c), cudaMalloc(&pd, sizeof d);
    cudaMemcpy(pa, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(pb, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemcpy(pc, c, sizeof c, cudaMemcpyHostToDevice);
    for (int rows = 0; rows < 2; rows++) {
        cudaMemcpy(pd, c, sizeof c, cudaMemcpyHostToDevice);
        multiply<m, n, k, T, Acc, La, Lb><<<1, 32>>>(pa, pb, pc, pd, rows ? wmma::mem_row_major : wmma::mem_col_major, 1);
        cudaMemcpy(d, pd, sizeof d, cudaMemcpyDeviceToHost);
        for (int i = 0; i < LD; i++)
            for (int j = 0; j < LD; j++) {
                double sum = 0, at = value(c[rows ? i * LD + j : i + j * LD]);
                for (int p = 0; p < k; p++)
                    sum += value(a[a_rows ? i * LD + p : i + p * LD]) * value(b[b_rows ? p * LD + j : p + j * LD]);
                if (i < m && j < n)
                    at += 2 * sum;
                good &= value(d[rows ? i * LD + j : i + j * LD]) == at;
            }
    }
    cudaFree(pa), cudaFree(pb), cudaFree(pc), cudaFree(pd);
    return good;
}
#define ALL_LAYOUTS(m, n, k, T, Acc, E)                                                                   \
    (right<m, n, k, T, Acc, wmma::row_major, wmma::row_major, E>(1, 1) &                                  \
     right<m, n, k, T, Acc, wmma::row_major, wmma::col_major, E>(1, 0) &                                  \
     right<m, n, k, T, Acc, wmma::col_major, wmma::row_major, E>(0, 1))
int main()
{
    row("half, 16 by 16", ALL_LAYOUTS(16, 16, 16, __half, float, __half));
    row("half, 32 by 8", ALL_LAYOUTS(32, 8, 16, __half, float, __half));
    row("half, 8 by 32", ALL_LAYOUTS(8, 32, 16, __half, float, __half));
    row("half, sums in half", (right<16, 16, 16, __half, __half, wmma::row_major, wmma::col_major, __half>(1, 0)));
    row("bf16, 16 by 16", (right<16, 16, 16, __nv_bfloat16, float, wmma::row_major, wmma::col_major, __nv_bfloat16>(1, 0)));
    row("tf32, 16 by 16", ALL_LAYOUTS(16, 16, 8, wmma::precision::tf32, float, float));
    row("signed bytes", ALL_LAYOUTS(16, 16, 16, int8_t, int, int8_t));
    row("unsigned bytes, 8 by 32", ALL_LAYOUTS(8, 32, 16, uint8_t, int, uint8_t));
    row("doubles", ALL_LAYOUTS(8, 8, 4, double, double, double));
    return rows_end();
}
