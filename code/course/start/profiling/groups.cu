/* Tangled from chapters/course/profiling-solutions.nw, "Idle lanes".  Edit it there. */

// profiling/groups: idle lanes
//
// Group g is the numbers x[first[g]] to x[first[g + 1] - 1]; first has n +
// 1 elements.  y[g] is the sum of group g, and 0 if the group is empty.
// A block has 256 threads and eight groups.  So far one thread of each
// warp adds up a group, and 31 have nothing to do: each request brings one
// number.  Let the warp do it.

__global__ void groups(int *y, const int *x, const int *first, int n)
{
    int lane = threadIdx.x % 32, g = blockIdx.x * 8 + threadIdx.x / 32;
    if (g >= n || lane > 0)
        return;
    int sum = 0;
    for (int i = first[g]; i < first[g + 1]; i++)
        sum += x[i];
    y[g] = sum;
}
