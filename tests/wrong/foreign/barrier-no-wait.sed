# program: groups
# row: cuda::barrier
# file: cuda/barrier
s/while (!over);/while (false);/
