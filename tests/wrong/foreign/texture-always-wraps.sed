# program: textures
# row: coordinates outside: wrap
# file: simt_texture.h
s/if (!t->normalized \&\& mode/if (false \&\& mode/
