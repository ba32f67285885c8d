# program: graphs
# row: explicit nodes run after those that they name
# file: code/simt/runtime/graph.c
s/ready &= n->after\[k\]->run == now;/(void)0;/
