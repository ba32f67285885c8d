/* Tangled from chapters/course/counting-solutions.nw, "Fields of a struct".  Edit it there. */

// counting/fields: what do four loads of a struct cost?
//
// y[i] = x + y + z + w of p[i].  The kernel is right, and each of its
// loads takes four times the sectors of a float's.  SIMT_REPORT=lines
// would show it; the grader does, too.

struct Point { float x, y, z, w; };

__global__ void add_fields(float *y, const Point *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = ((const volatile float *)p)[4 * i];
    for (int k = 1; k < 4; k++)
        sum += ((const volatile float *)p)[4 * i + k];
    y[i] = sum;
}
