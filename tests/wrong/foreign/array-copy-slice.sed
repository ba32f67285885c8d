# program: textures
# row: a copy in three dimensions, from layer 1
# file: code/simt/runtime/arrays.c
s/at.z \* s.slice + //
