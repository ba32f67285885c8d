# program: blas
# row: batches of products
# file: code/simt/runtime/blas.c
s/(const char \*)a + i \* step_a/(const char *)a + 0 * step_a/
