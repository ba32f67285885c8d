/* Tangled from chapters/course/memory-wall-solutions.nw, "A mean in place".  Edit it there. */

__global__ void smooth(float *x, int n)
{
    float before = 0, here = x[0];
    for (int i = 0; i < n; i++) {
        float after = i + 1 < n ? x[i + 1] : 0;
        int of = 1 + (i > 0) + (i + 1 < n);
        x[i] = (before + here + after) / of;
        before = here;
        here = after;
    }
}
