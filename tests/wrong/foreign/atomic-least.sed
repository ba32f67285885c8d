# program: groups
# row: cuda::atomic
# file: cuda/atomic
s/atomicMax(p, x)/atomicMin(p, x)/
