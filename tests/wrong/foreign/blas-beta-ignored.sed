# program: blas
# row: products of doubles
# file: code/simt/runtime/blas.c
s/old ? beta \* old/false ? beta * old/
