# program: groups
# row: a thread_group
# file: cooperative_groups.h
s/lanes ? few().thread_rank()/false ? 0/
