/* Tangled from chapters/course/single-precision-solutions.nw, "Three parts of a number".  Edit it there. */

// single-precision/parts: three parts of a number
//
// A TF32 number has 11 significant bits: it is a float whose lower 13 bits
// are 0.  A float has 24, so three TF32 numbers can hold it.  Write
// parts[0][i], parts[1][i] and parts[2][i]: the first is x[i] with its
// lower 13 bits cut off, the second is the rest, cut in the same way, the
// third is what is left then.  Their sum is x[i] without any error.  If
// x[i] is an infinity or a NaN, the first part is x[i], and the others are
// 0.  Other numbers are 0 or have magnitudes from 2^-90 to 2^127.  parts
// has three rows of n floats.  The grid has a thread for each number, in
// blocks of 256.  The start knows the first part of finite numbers.

__global__ void split(float *parts, const float *x, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    parts[i] = __uint_as_float(__float_as_uint(x[i]) & ~0x1fffu);
    parts[n + i] = 0;
    parts[2 * n + i] = 0;
}
