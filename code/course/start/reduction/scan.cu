/* Tangled from chapters/course/reduction-solutions.nw, "A scan of each block".  Edit it there. */

// reduction/scan: a scan of each block
//
// Each block of 256 threads scans its own 256 numbers: y[i] is the sum of
// x[first] to x[i], where first is the index of the block's first number.
// The last block may have fewer than 256.  The kernel is right, and reads
// each number up to 256 times.

__global__ void scan(int *y, const int *x, int n)
{
    int first = blockIdx.x * 256;
    int i = first + threadIdx.x;
    if (i >= n)
        return;
    int sum = 0;
    for (int k = first; k <= i; k++)
        sum += x[k];
    y[i] = sum;
}
