# program: random
# row: arrays of the host
# file: code/simt/runtime/rand.c
s/if (g->host \&\& !device)/if (false)/
