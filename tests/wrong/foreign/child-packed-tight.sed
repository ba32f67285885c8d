# program: dynamic
# row: a child begins when its parent has ended
# file: simt_child.h
s/what.shared = (unsigned)shared;/what.shared = 0;/
