# program: random
# row: MRG32k3a in kernels
# file: curand_kernel.h
s/lambda -= part;/lambda = 0;/
