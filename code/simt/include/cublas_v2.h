/* Appendix M, The runtime of the software GPU: M.3.6 Half and bfloat16 in a kernel */
/* Tangled from chapters/m-simt-runtime.nw by `make tangle`; edit it there. */

#error "simtcc: no cuBLAS: write the kernel, as code/ops/matmul.cu does"
