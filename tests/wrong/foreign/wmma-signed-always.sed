# program: wmma
# row: unsigned bytes, 8 by 32
# file: mma.h
s/s32.u8.u8.s32/s32.s8.s8.s32/
