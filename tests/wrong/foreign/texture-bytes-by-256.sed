# program: textures
# row: bytes as floats from 0 to 1
# file: simt_texture.h
s/255.0f/256.0f/
