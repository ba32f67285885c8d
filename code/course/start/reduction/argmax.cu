/* Tangled from chapters/course/reduction-solutions.nw, "The largest number, and where it is".  Edit it there. */

// reduction/argmax: the largest number, and where it is
//
// y[0] is the largest of x[0] to x[n - 1], and y[1] is its index: the
// smallest one, if the number occurs more than once.  n is at least 1.
// There is one block of 256 threads.  The kernel is right; 255 of its
// threads have nothing to do.

__global__ void argmax(int *y, const int *x, int n)
{
    if (threadIdx.x > 0)
        return;
    int at = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[at])
            at = i;
    y[0] = x[at];
    y[1] = at;
}
