# program: dynamic
# row: a child that cannot run does not stop the program
# file: code/simt/runtime/runtime.c
s/if (fault != FAULT_CONFIGURATION)/if (true)/
