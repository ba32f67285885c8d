# program: blas
# row: vectors with strides
# file: code/simt/runtime/blas.c
s/by < 0 ? (ptrdiff_t)(1 - n) \* by : 0/0/
