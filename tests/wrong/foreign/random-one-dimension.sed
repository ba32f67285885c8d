# program: random
# row: quasirandom arrays
# file: code/simt/runtime/rand.c
s/g->direction\[dimension\]\[k\]/g->direction[0][k]/
