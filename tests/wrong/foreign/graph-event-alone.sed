# program: graphs
# row: nothing runs while a stream is recorded
# file: code/simt/runtime/graph.c
s/follow(s, false, r->graph, r->last, r->n, true);/(void)r;/
