/* Tangled from chapters/course/model-solutions.nw, "A plan by first fit".  Edit it there. */

// model/place: a plan by first fit
//
// Buffer i has size[i] units and is alive from step from[i] to step to[i],
// both included.  Buffers that are alive in the same step must not overlap
// in memory.  The n buffers are sorted from the largest to the smallest.
// Place them in this order: offset[i] is the lowest offset, from 0, at
// which buffer i overlaps no buffer placed before it that is alive in a
// step in which buffer i is alive, too.  The kernel runs in one thread.
// There is no scratch memory, and nothing need be sorted.  Units need not
// be tried one by one.

__global__ void place(int *offset, const int *size, const int *from,
                      const int *to, int n)
{
}
