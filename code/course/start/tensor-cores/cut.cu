/* Tangled from chapters/course/tensor-cores-solutions.nw, "A sum of 14 bits".  Edit it there. */

// tensor-cores/cut: a sum of 14 bits
//
// p has n rows of 32 * steps products of two numbers of 8 bits, as floats.
// total[r] is the sum of row r as a tensor core of Hopper makes it.  It
// begins at 0.  Each step adds the next 32 products, by this rule:
//
// 1.  Let e be the largest exponent among the total and the 32 products:
// 2^e <= |x| < 2^(e + 1).  Zeros have none; if all are zero, so is the new
// total.  2.  Of the total and of each product, cut off all bits below
// 2^(e - 13).  3.  Add up the rest exactly, and keep the first 14
// significant bits of the new total.
//
// To cut is to round toward zero.  No exponent is below -20 or above 30.
// A block has 128 threads, a warp for each row.  The start sums in fp32.

__global__ void cut(float *total, const float *p, int steps, int n)
{
    int r = (blockIdx.x * 128 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= n)
        return;
    float sum = 0;
    for (int k = 0; k < steps; k++)
        sum += p[(r * steps + k) * 32 + lane];
    for (int i = 16; i > 0; i /= 2)
        sum += __shfl_xor_sync(~0u, sum, i);
    if (lane == 0)
        total[r] = sum;
}
