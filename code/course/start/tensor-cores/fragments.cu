/* Tangled from chapters/course/tensor-cores-solutions.nw, "One instruction, 2,048 products".  Edit it there. */

// tensor-cores/fragments: one instruction, 2,048 products
//
// There are n pairs of small matrices of bf16: A has 16 rows of 16
// numbers, B has 8 columns of 16.  a has the matrices A one after the
// other, each row after row; b has the matrices B, each column after
// column.  Two neighbours of a row of A or of a column of B are one
// unsigned, the first in the lower half.  d is for the n products A B in
// fp32, 16 rows of 8 each.  A warp makes one product, with one mma; a
// block has 128 threads.
//
// Of lane 4 g + t, a[0] to a[3] are the pairs (row g, columns 2 t and 2 t
// + 1), (row g + 8, the same columns), (row g, columns 2 t + 8 and 2 t +
// 9) and (row g + 8, those columns).  b[0] and b[1] are column g, rows 2 t
// and 2 t + 1, then 2 t + 8 and 2 t + 9.  d[0] and d[1] are row g, columns
// 2 t and 2 t + 1; d[2] and d[3] the same of row g + 8.  Load and store
// them.

__device__ void mma(float d[4], const unsigned a[4], const unsigned b[2])
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
          "r"(b[1]));
}

__global__ void products(float *d, const unsigned *a, const unsigned *b,
                         int n)
{
}
