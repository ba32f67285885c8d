# program: blas
# row: triangular systems
# file: code/simt/runtime/blas.c
s/bool over = right != (op != CUBLAS_OP_N);/bool over = right;/
