/* Tangled from chapters/workshop/simt-runtime.nw, "Headers that are missing".  Edit it there. */

#error "simtcc: no NVRTC: write the kernel in the .cu file"
