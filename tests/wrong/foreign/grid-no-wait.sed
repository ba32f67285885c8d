# program: grid
# row: blocks wait for each other
# file: cooperative_groups.h
s/while ((int)(now - all) < 0);/while (false);/
