/* Tangled from chapters/workshop/foreign-features.nw, "Graphs".  Edit it there. */

#ifndef SIMT_GRAPH_KERNEL_H
#define SIMT_GRAPH_KERNEL_H
SIMT_DEVICE void cudaGraphSetConditional(cudaGraphConditionalHandle h,
                                         unsigned value)
{
    *(volatile unsigned *)h = value;
}
#endif
