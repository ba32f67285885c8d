# program: random
# row: Sobol's points in kernels
# file: simt_philox.h
s/\^ to\[i - s\] >> s/^ to[i - s]/
