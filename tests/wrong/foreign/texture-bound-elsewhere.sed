# program: textures
# row: textures as variables
# file: simt_texture_reference.h
s/(size_t)((const char \*)&t.words - (const char \*)&t),/0,/
