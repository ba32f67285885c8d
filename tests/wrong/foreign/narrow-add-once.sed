# program: narrow
# row: atomic sums of half
# file: simt_narrow_more.h
s/if (seen == old) /if (true)        /
