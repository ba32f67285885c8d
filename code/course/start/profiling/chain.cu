/* Tangled from chapters/course/profiling-solutions.nw, "One launch instead of three".  Edit it there. */

// profiling/chain: three kernels in one
//
// A program launches three kernels for one result: y = x + b[column], then
// y = max(y, 0), then y = y + r.  x, r and y have rows of d numbers, n in
// all, and b has d.  Here the three are in one launch, and still each
// number goes to memory and back between the steps.  Make one pass of
// it.  The grid has a thread for each number, in blocks of 256.

__global__ void chain(float *y, const float *x, const float *b,
                      const float *r, int n, int d)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    volatile float *at = y + i;
    *at = x[i] + b[i % d];
    *at = fmaxf(*at, 0);
    *at = *at + r[i];
}
