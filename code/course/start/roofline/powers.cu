/* Tangled from chapters/course/roofline-solutions.nw, "Slow: a polynomial".  Edit it there. */

// roofline/powers: slow code
//
// y[i] = c[0] + c[1] x[i] + c[2] x[i]^2 + ... + c[15] x[i]^15.  The grid
// has a thread for each number, in blocks of 256.  The kernel is right.
// Where is it on the roofline, and what raises it?  Find out from its
// counts how many FLOP it makes for a number, and how many are enough.

__global__ void powers(float *y, const float *x, const float *c, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < 16; k++) {
        float power = 1;
        for (int j = 0; j < k; j++)
            power *= x[i];
        sum += c[k] * power;
    }
    y[i] = sum;
}
