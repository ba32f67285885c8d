/* Tangled from chapters/workshop/simt-runtime.nw, "Half and bfloat16 in a kernel".  Edit it there. */

#error "simtcc: no cuRAND: draw the numbers on the host"
