# program: graphs
# row: an update wants the same nodes
# file: code/simt/runtime/graph.c
s/    e->graph = copy_graph(g);\n//; /^    drop_graph(e->graph);$/,/^    e->graph/s/^    .*$//
