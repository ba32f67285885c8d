# program: blas
# row: a pointer of the host is refused
# file: code/simt/runtime/blas.c
s/if (host_matrices)/if (true)/
