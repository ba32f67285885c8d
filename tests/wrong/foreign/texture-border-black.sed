# program: textures
# row: coordinates outside: border
# file: simt_texture.h
s/(C)t->border\[i\]/(C)0/
