# program: groups
# row: cooperative memcpy_async
# file: cooperative_groups/memcpy_async.h
s/simt_wait_copies(0);//
