/* Tangled from chapters/workshop/measuring-ceilings.nw, "Sparse matrices of six kinds".  Edit it there. */

#ifndef LADDER_SPMV_H
#define LADDER_SPMV_H

#include <stdbool.h>

#include "base/error.h"

C_FUNCTIONS_BEGIN

/* a sparse matrix */
/* Compressed sparse rows: the nonzeros of row r are
 * value[start[r]] .. value[start[r + 1] - 1], each in its column. */
struct Csr {
    int rows, columns;
    int *start;                 /* [rows + 1], rising   */
    int *column;                /* [start[rows]]        */
    float *value;               /* [start[rows]]        */
};

/* Coordinates: each nonzero with its row, in the order of the rows. */
struct Coo { int rows, columns, n, *row, *column; float *value; };

/* The k-th nonzero of row r is value[k * pitch + r]; a column of -1 says
 * that the row has no more. */
struct Ell { int rows, columns, width, pitch, *column; float *value; };

/* sparse test matrices */
enum SparseKind { SPARSE_RANDOM, SPARSE_BAND, SPARSE_POWER,
                  SPARSE_BLOCKS, SPARSE_ARROW, SPARSE_PRUNED,
                  SPARSE_SKEWED };

/* A matrix of a kind on the host, always the same; csr_free frees it.
 * per_row: nonzeros of a row, in the mean (power, pruned: nearly); arrow:
 * the number of its full rows.  0 <= rows, 1 <= columns, per_row. */
bool csr_make(struct Csr *a, enum SparseKind kind, int rows, int columns,
              int per_row, struct Error *e);
void csr_free(struct Csr *a);

/* formats from CSR */
/* On the host, made from CSR.  COO without the first `skip` nonzeros of
 * each row; ELL with the first `width`. */
bool coo_make(struct Coo *a, const struct Csr *from, int skip,
              struct Error *e);
bool ell_make(struct Ell *a, const struct Csr *from, int width,
              struct Error *e);
void coo_free(struct Coo *a);
void ell_free(struct Ell *a);

/* The most nonzeros of a row; how wide the ELL of a hybrid should be. */
int ell_width(const struct Csr *a);
int hybrid_width(const struct Csr *a);

/* products of a sparse matrix and a vector */
/* A matrix on the device in every format; ell.value or dense is NULL where
 * it would be too large. */
struct Sparse {
    struct Csr csr;
    struct Coo coo;
    struct Ell ell;
    struct Ell head;            /* of the hybrid, and what its rows have  */
    struct Coo tail;            /*   beyond                               */
    float *dense;               /* [rows][columns]                        */
};

bool sparse_to_device(struct Sparse *a, const struct Csr *h,
                      struct Error *e);
void sparse_free(struct Sparse *a);

/* y[r] = sum over the nonzeros of row r of value * x[column].
 *
 *   memory     all arrays on the device; y [rows], x [columns]
 *   sizes      0 <= rows <= 2^27, as 32 lanes of each are numbered by 32
 *              bits; fewer than 2^31 - 32 nonzeros; a row may be empty
 *   launch     in the default stream; not waited for
 *   moves      spmv_bytes: the matrix in its format, x and y once
 *   numerics   one sum a lane, in order, then a tree of them; shares, coo
 *              and hybrid add them to y by atomics, in any order */
struct Spmv {
    const char *name;
    void (*run)(float *y, const struct Sparse *a, const float *x);
    double (*matrix_bytes)(const struct Sparse *a);
};

const struct Spmv *spmvs(void);         /* ends with a NULL name */
bool spmv_can(const struct Spmv *v, const struct Sparse *a);
double spmv_bytes(const struct Spmv *v, const struct Sparse *a);

C_FUNCTIONS_END

#endif
