# program: grid
# row: another launch has no grid barrier
# file: cooperative_groups.h
s/return workspace() != nullptr;/return true;/
