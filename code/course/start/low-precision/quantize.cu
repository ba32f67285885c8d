/* Tangled from chapters/course/low-precision-solutions.nw, "A scale for each 32 numbers".  Edit it there. */

// low-precision/quantize: a scale for each 32 numbers
//
// a[b] is the largest |x[i]| of the 32 numbers of block b, and q[i], an
// integer of 8 bits, is x[i] * (127.0f / a[b]) rounded to the nearest,
// or 0 where a[b] is 0.  The last block may be shorter.  There is a
// thread for each number, 256 in a thread block.  The kernel is right.
// Find out from its counts why it reads eight times as many sectors as
// it has to, and let it read each number once.

__global__ void quantize(signed char *q, float *a, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, first = i / 32 * 32;
    if (i >= n)
        return;
    float most = 0;
    for (int k = first; k < first + 32 && k < n; k++)
        most = fmaxf(most, fabsf(x[k]));
    float scale = most > 0 ? 127.0f / most : 0;
    q[i] = __float2int_rn(x[i] * scale);
    if (i == first)
        a[i / 32] = most;
}
