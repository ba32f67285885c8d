# program: blas
# row: matrices and vectors
# file: code/simt/runtime/blas.c
s/int rows = op ? n : m, columns = op ? m : n;/int rows = m, columns = n;/
