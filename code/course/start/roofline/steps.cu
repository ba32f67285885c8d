/* Tangled from chapters/course/roofline-solutions.nw, "Broken: two steps in one pass".  Edit it there. */

// roofline/steps: broken code
//
// A step replaces each number by the sum of its neighbours: x'[i] =
// x[i - 1] + x[i + 1], where numbers before the first and after the last
// count as 0.  y is x after two steps.  A block of 256 threads computes
// 256 numbers and reads each number of x once, and those few at its sides,
// so two steps cost the bytes of one.  The kernel is wrong in two ways.
// One of them shows only at the ends of the array.

__global__ void steps(int *y, const int *x, int n)
{
    __shared__ int s[260], once[258];
    int t = threadIdx.x, first = blockIdx.x * 256;
    for (int k = t; k < 260; k += 256) {
        int i = first + k - 2;
        s[k] = i >= 0 && i < n ? x[i] : 0;
    }
    __syncthreads();
    for (int k = t; k < 258; k += 256)
        once[k] = s[k] + s[k + 2];
    if (first + t < n)
        y[first + t] = once[t] + once[t + 2];
}
