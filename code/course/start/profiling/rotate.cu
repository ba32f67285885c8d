/* Tangled from chapters/course/profiling-solutions.nw, "Slow: why?".  Edit it there. */

// profiling/rotate: slow code
//
// x and y hold n groups of four numbers.  Group g is rotated by by[g],
// which is 0, 1, 2 or 3: y[4 g + (j + by[g]) % 4] = x[4 g + j].  A thread
// has one group.  The kernel is right, and keeps its four numbers in an
// array of its own.  Find out from the counts where that array is, and
// how many requests a group costs.

__global__ void rotate(float *y, const float *x, const int *by, int n)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= n)
        return;
    float v[4];
    for (int j = 0; j < 4; j++)
        v[(j + by[g]) % 4] = x[4 * g + j];
    for (int j = 0; j < 4; j++)
        y[4 * g + j] = v[j];
}
