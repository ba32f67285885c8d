/* Tangled from chapters/course/fused-operators-solutions.nw, "One launch for all tensors".  Edit it there. */

// fused-operators/tensors: one launch for all tensors
//
// x holds `tensors` tensors, one after the other: tensor t is x[begin[t]]
// to x[begin[t + 1] - 1], and may be empty.  Each of its numbers is to be
// multiplied by scale[t], in place.  Blocks first[t] to first[t + 1] - 1
// belong to tensor t.  Each has 256 threads and takes 256 numbers of it;
// the last of them may have fewer.  begin and first have tensors + 1
// numbers, and the grid has first[tensors] blocks.  The kernel is right.
// Let a block find its tensor with fewer loads, and without a barrier.

__global__ void scale_all(float *x, const float *scale, const int *begin,
                          const int *first, int tensors)
{
    int b = blockIdx.x, t = 0;
    while (first[t + 1] <= b)
        t++;
    int i = begin[t] + (b - first[t]) * 256 + threadIdx.x;
    if (i < begin[t + 1])
        x[i] *= scale[t];
}
