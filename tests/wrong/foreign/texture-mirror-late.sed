# program: textures
# row: coordinates outside: mirror
# file: simt_texture.h
s/2 \* n - 1 - i/2 * n - 2 - i/
