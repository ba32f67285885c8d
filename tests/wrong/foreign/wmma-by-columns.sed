# program: wmma
# row: half, 16 by 16
# file: mma.h
s/simt_load(f, p, ld, true);/simt_load(f, p, ld, false);/
