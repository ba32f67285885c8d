# program: blas
# row: factors with pivots
# file: code/simt/runtime/blas.c
s/for (int i = k + 1; pivots \&\& i < n; i++)/for (int i = n; i < n; i++)/
