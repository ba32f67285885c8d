/* Tangled from chapters/course/profiling-solutions.nw, "Broken: a kernel that counts".  Edit it there. */

// profiling/clip: broken code
//
// y[i] is x[i], limited to the range from -1 to 1.  So that a program can
// see how often the limits matter, count[b] says how many numbers block b
// has changed.  The grid has a thread for each number, in blocks of 256;
// count is 0 at the beginning.  The counts are wrong.  Repair them.  One
// store for each block is enough, and no atomic operation at all.

__global__ void clip(float *y, int *count, const float *x, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float v = fminf(fmaxf(x[i], -1), 1);
    if (v != x[i])
        count[blockIdx.x]++;
    y[i] = v;
}
