/* Tangled from chapters/workshop/simt-runtime.nw, "Headers that are missing".  Edit it there. */

#error "simtcc: no wmma fragments: write mma.sync as inline PTX"
