/* Tangled from chapters/course/attention-backward-solutions.nw, "Slow: D by a thread for each row".  Edit it there. */

// attention-backward/dots: slow code
//
// d[r] is the dot product of row r of dy and row r of y, which have 64
// floats each.  The grid has a thread for each row, in blocks of 128.  The
// kernel is right.  Find out from its counts how many sectors one of its
// loads takes, and let the lanes of a warp go through their 32 rows
// together.

__global__ void dots(float *d, const float *dy, const float *y, int rows)
{
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0;
    for (int c = 0; c < 64; c++)
        sum += dy[r * 64 + c] * y[r * 64 + c];
    d[r] = sum;
}
