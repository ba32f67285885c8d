/* Tangled from chapters/workshop/simt-runtime.nw, "Half and bfloat16 in a kernel".  Edit it there. */

#error "simtcc: no cuBLAS: write a kernel, as ops/matmul/cuda_tiles.cu does"
