# program: wmma
# row: doubles
# file: mma.h
s/(2 \* (lane % 4) + e) \* 4 + k/(lane % 4 + 4 * e) * 4 + k/
