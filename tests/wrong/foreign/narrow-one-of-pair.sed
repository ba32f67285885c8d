# program: narrow
# row: pairs of half
# file: simt_narrow_more.h
s/__hdiv(a.y, b.y)/__hdiv(a.x, b.x)/
