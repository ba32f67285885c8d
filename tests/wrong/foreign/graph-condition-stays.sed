# program: graphs
# row: a loop whose condition a kernel sets
# file: code/simt/runtime/graph.c
s/h->flags & cudaGraphCondAssignDefault/0/
