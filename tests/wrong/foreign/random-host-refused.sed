# program: random
# row: arrays of the host
# file: code/simt/runtime/rand.c
s/(g->host || visible_find(p, NULL, NULL))/visible_find(p, NULL, NULL)/
