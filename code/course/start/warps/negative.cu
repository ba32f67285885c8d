/* Tangled from chapters/course/warps-solutions.nw, "The first negative number".  Edit it there. */

// warps/negative: the first negative number of each warp
//
// y[w] is the lane of the first negative number among x[32 w] to x[32 w +
// 31], or 32 if there is none.  Numbers behind the n-th do not count.  A
// block has 128 threads, and y has ceil(n / 32) elements.  The kernel is
// right; one lane does all the work, and its warp loads the same line of
// memory 32 times.  Let all lanes look at the same time.

__global__ void negative(int *y, const float *x, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i % 32 != 0 || i >= n)
        return;
    int lane = 0;
    while (lane < 32 && (i + lane >= n || !(x[i + lane] < 0)))
        lane++;
    y[i / 32] = lane;
}
