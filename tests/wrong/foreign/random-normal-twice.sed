# program: random
# row: Philox in kernels
# file: curand_kernel.h
s/s->extra = pair.y;/s->extra = pair.x;/
