# program: narrow
# row: a tile of four warps
# file: cooperative_groups/reduce.h
s/k < n \/ 32/k < 1/
