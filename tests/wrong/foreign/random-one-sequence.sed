# program: random
# row: xorwow in kernels
# file: curand_kernel.h
s/const unsigned low = (unsigned)sequence;/const unsigned low = 0;/
