# program: blas
# row: products of floats, transposed or not
# file: code/simt/runtime/blas.c
s/{ a, t, op ? ld : 1, op ? 1 : ld, rows,/{ a, t, 1, ld, rows,/
