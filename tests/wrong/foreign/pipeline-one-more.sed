# program: groups
# row: a pipeline of a thread
# file: cuda/pipeline
s/head - ++tail/head - tail++/
