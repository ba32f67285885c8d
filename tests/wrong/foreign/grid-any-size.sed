# program: grid
# row: too many blocks are refused
# file: code/simt/runtime/runtime.c
s/if (blocks > fit)/if (blocks > 1000 * fit)/
