# program: wmma
# row: half, 32 by 8
# file: mma.h
s/r += 16 \* tile;/r += 8 * tile;/
