# program: groups
# row: reductions and scans
# file: cooperative_groups/reduce.h
s/g.thread_rank() < n \/ 2/g.thread_rank() < (n + 1) \/ 2/
