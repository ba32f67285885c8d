# program: random
# row: arrays of the device
# file: code/simt/runtime/rand.c
s/g->next += each;/(void)0;/
