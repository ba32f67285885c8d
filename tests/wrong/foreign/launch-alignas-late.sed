# program: dynamic
# row: blanks in a launch, alignas after __shared__
# file: simt_spaces.h
s/__isShared/__isShared/; $s/^/#define alignas(x)\n/
