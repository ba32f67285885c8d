# program: textures
# row: the faces of a cubemap
# file: simt_texture.h
s/t = y >= 0 ? z : -z/t = z/
