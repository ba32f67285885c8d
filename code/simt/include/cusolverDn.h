/* Tangled from chapters/workshop/simt-runtime.nw, "Headers that are missing".  Edit it there. */

#error "simtcc: no cuSOLVER: solve on the host, or with cublasStrsm"
