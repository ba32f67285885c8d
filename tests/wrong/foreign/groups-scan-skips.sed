# program: groups
# row: reductions and scans
# file: cooperative_groups/scan.h
s/thread_rank() >= by/thread_rank() > by/
