# program: blas
# row: narrow types
# file: code/simt/runtime/blas.c
s/float_from_half(/float_from_bf16(/
