# program: wmma
# row: tf32, 16 by 16
# file: mma.h
s/t + 4 \* (i >> 1);/2 * t + (i >> 1);/
