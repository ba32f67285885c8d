# program: blas
# row: matrices and vectors are copied
# file: code/simt/runtime/blas.c
s/(size_t)lda \* b,/(size_t)m * b,/
