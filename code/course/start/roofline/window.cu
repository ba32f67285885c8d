/* Tangled from chapters/course/roofline-solutions.nw, "Nine reads of each number".  Edit it there. */

// roofline/window: nine reads of each number
//
// y[i] is the sum of the nine numbers x[i - 4] to x[i + 4], where numbers
// before the first and behind the last count as 0.  A block has 256
// threads and computes 256 sums.  The kernel is right.  It asks for each
// number nine times: 8 FLOP for 40 bytes.  Let a block read its numbers
// once, and those few that belong to its neighbours.

__global__ void window(float *y, const float *x, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = i - 4; k <= i + 4; k++)
        if (k >= 0 && k < n)
            sum += x[k];
    y[i] = sum;
}
