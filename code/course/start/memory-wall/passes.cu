/* Tangled from chapters/course/memory-wall-solutions.nw, "Three passes over an array".  Edit it there. */

// memory-wall/passes: three passes over an array
//
// y[i] is a * x[i] + b[i], or 0 where that is below 0; a NaN stays.  One
// thread runs this, and the grader counts the lines of 64 bytes that its
// cache of 32 KB fetches.  The arrays are larger than the cache.

__global__ void shift(float *y, const float *x, const float *b, float a,
                      int n)
{
    for (int i = 0; i < n; i++)
        y[i] = a * x[i];
    for (int i = 0; i < n; i++)
        y[i] += b[i];
    for (int i = 0; i < n; i++)
        if (y[i] < 0)
            y[i] = 0;
}
