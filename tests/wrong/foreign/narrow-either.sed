# program: narrow
# row: pairs of bfloat16
# file: simt_narrow_more.h
s/__h##name(a.x, b.x) && __h##name(a.y, b.y)/__h##name(a.x, b.x)/
