# program: groups
# row: a pipeline with roles
# file: cuda/pipeline
s/full\[tail % stages\].wait_parity(tail \/ stages & 1);//
