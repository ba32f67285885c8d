# program: dynamic
# row: templates and structures
# file: code/simt/executor/execute_printf.c
s/if (names(at + 4, m->kernels\[k\].name))/if (strstr(m->kernels[k].name, "add_to"))/
