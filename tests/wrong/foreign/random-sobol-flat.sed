# program: random
# row: Sobol's points in kernels
# file: code/simt/runtime/rand.c
s/all\[d\]\[k\] = (T)one\[k\];/all[d][k] = (T)one[k < 4 ? k : 4];/
