/* Tangled from chapters/course/project-solutions.nw, "Part I: statistics in one read".  Edit it there. */

// project/reduction: four numbers in one read
//
// Write the mean, the variance (the mean square of x[i] less the mean), the
// smallest and the largest of n numbers into y[0] to y[3].  x is aligned to
// 16 bytes and holds no NaN.  The numbers are near each other, and may be
// far from 0: 4000 and a bit, say.  The variance is wanted to 0.01 %.
//
// `partial` runs first, with 16 blocks of 256 threads, then `combine` with
// one block of 32.  parts has room for 16 x 4 floats, in which the blocks
// leave what you like.  The budget: 5 % more sectors than x has.  No atomic
// operations: the same numbers must give the same bits.
//
// The start is right.  One thread does all of it, and reads x twice.

__global__ void partial(float *parts, const float *x, int n)
{
}

__global__ void combine(float *y, const float *parts, const float *x, int n)
{
    if (threadIdx.x > 0)
        return;
    double sum = 0, squares = 0;
    float low = x[0], high = x[0];
    for (int i = 0; i < n; i++) {
        sum += x[i];
        low = fminf(low, x[i]);
        high = fmaxf(high, x[i]);
    }
    for (int i = 0; i < n; i++)
        squares += (x[i] - sum / n) * (x[i] - sum / n);
    y[0] = sum / n;
    y[1] = squares / n;
    y[2] = low;
    y[3] = high;
}
