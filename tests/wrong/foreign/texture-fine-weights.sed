# program: textures
# row: coordinates outside: clamp
# file: simt_texture.h
s/rintf(256.0f \* (x - floorf(x))) \* (1.0f \/ 256.0f)/x - floorf(x)/
