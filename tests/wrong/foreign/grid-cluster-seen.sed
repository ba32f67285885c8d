# program: grid
# row: by an attribute, and no cluster is seen
# file: code/simt/executor/launch.c
s/l->workspace ? alone(kind) : kind/kind/
