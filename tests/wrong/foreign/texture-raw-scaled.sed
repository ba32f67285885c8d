# program: textures
# row: pitched memory of bytes
# file: code/simt/runtime/arrays.c
s/t->pitch = (unsigned)r->res.pitch2D.pitchInBytes;/t->pitch = (unsigned)r->res.pitch2D.width * 4;/
