# program: wmma
# row: half, 8 by 32
# file: mma.h
s/\*row = F::flip ? c : r;/*row = r;/
