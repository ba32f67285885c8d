/* Tangled from chapters/course/memory-wall-solutions.nw, "A mean in place".  Edit it there. */

// memory-wall/smooth: broken: a mean in place
//
// x[i] becomes the mean of the old x[i - 1], x[i] and x[i + 1]; at both
// ends, of those that there are.  n is at least 1.  One thread runs this,
// and there is no second array: the lines of x are all that its cache may
// fetch.  The results are wrong from the second element on.

__global__ void smooth(float *x, int n)
{
    for (int i = 0; i < n; i++) {
        float sum = x[i];
        int of = 1;
        if (i > 0) {
            sum += x[i - 1];
            of++;
        }
        if (i + 1 < n) {
            sum += x[i + 1];
            of++;
        }
        x[i] = sum / of;
    }
}
