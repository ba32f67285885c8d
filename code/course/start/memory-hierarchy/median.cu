/* Tangled from chapters/course/memory-hierarchy-solutions.nw, "Slow: the middle of five".  Edit it there. */

// memory-hierarchy/median: slow code
//
// y[i] is the middle one of x[i - 2] to x[i + 2] in order of size, where
// numbers before the first and behind the last count as 0.  The grid has a
// thread for each number, in blocks of 128.  The kernel is right.  Where
// do its five numbers lie?  Find out from its counts, and keep them in
// registers.

__global__ void median(float *y, const float *x, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    float v[5];
    for (int k = 0; k < 5; k++)
        v[k] = i + k >= 2 && i + k - 2 < n ? x[i + k - 2] : 0;
    for (int k = 1; k < 5; k++) {           // insert v[k] where it belongs
        float mine = v[k];
        int to = k;
        for (; to > 0 && v[to - 1] > mine; to--)
            v[to] = v[to - 1];
        v[to] = mine;
    }
    y[i] = v[2];
}
