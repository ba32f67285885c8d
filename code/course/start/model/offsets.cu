/* Tangled from chapters/course/model-solutions.nw, "A place for each tensor".  Edit it there. */

// model/offsets: a place for each tensor
//
// A model has n tensors, and tensor i has size[i] numbers of 4 bytes.
// They lie one after another in one block of memory, in this order, and
// each starts a cache line: offset[i] is the number of floats before
// tensor i, and a multiple of 16.  sums[0] is the number of parameters,
// the sum of all sizes.  sums[1] is the number of floats in the block: the
// offset at which one more tensor would begin.  The kernel runs in one
// thread.  All arrays are of int.

__global__ void offsets(int *offset, int *sums, const int *size, int n)
{
}
