# program: textures
# row: outside of a surface
# file: simt_texture.h
s/x > most ? most : x/x > most ? 0 : x/
