/* Tangled from chapters/workshop/simt-runtime.nw, "Headers that are missing".  Edit it there. */

#error "simtcc: no NCCL: the software GPU is one device"
