# program: graphs
# row: an executable graph is a copy, with parameters of its own
# file: code/simt/runtime/graph.c
s/struct Request r = request_of(p); code = keep_launch(n, &r))/(void)p)/
