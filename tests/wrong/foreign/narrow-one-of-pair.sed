# program: narrow
# row: pairs of half
# file: simt_narrow_more.h
s/one(a.y, b.y)/one(a.x, b.x)/
