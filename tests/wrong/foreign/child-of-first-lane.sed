# program: dynamic
# row: a tree of launches
# file: code/simt/executor/execute_printf.c
/^void run_child/,/^}/s/for (uint32_t m = on; m; m &= m - 1)/for (uint32_t m = on \& -on; m; m \&= m - 1)/
