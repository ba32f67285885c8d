# program: groups
# row: parts of a warp by label and mask
# file: cooperative_groups.h
s/__match_any_sync(all, label) & all/all/
