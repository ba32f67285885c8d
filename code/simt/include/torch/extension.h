/* Tangled from chapters/workshop/simt-runtime.nw, "Headers that are missing".  Edit it there. */

#error "simtcc: no PyTorch: give the kernel a main function of its own"
