# program: narrow
# row: integers from half
# file: cuda_fp16.h
s/over ? __ushort_as_half/false ? __ushort_as_half/
