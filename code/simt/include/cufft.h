/* Tangled from chapters/workshop/simt-runtime.nw, "Headers that are missing".  Edit it there. */

#error "simtcc: no cuFFT: transform on the host, or write the kernel"
