/* Tangled from chapters/course/sparsity-solutions.nw, "Two of four".  Edit it there. */

// sparsity/two-of-four: the pattern that tensor cores know
//
// x has n floats, a multiple of 4.  Of each four that follow each other,
// keep the two of largest magnitude; of equal ones the one that comes
// first.  kept[2 g] and kept[2 g + 1] are the two of group g, in the order
// in which they stand in x.  place[g] says where: the place of the first,
// 0 to 3, plus 4 times the place of the second.  The grid has a thread for
// each group, in blocks of 128.  The start keeps the first two.  Read 16
// bytes at once, and write 8.

__global__ void two_of_four(float *kept, unsigned char *place,
                            const float *x, int n)
{
    int g = blockIdx.x * 128 + threadIdx.x;
    if (4 * g >= n)
        return;
    kept[2 * g] = x[4 * g];
    kept[2 * g + 1] = x[4 * g + 1];
    place[g] = 0 + 4 * 1;
}
