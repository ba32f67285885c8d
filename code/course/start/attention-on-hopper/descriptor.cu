/* Tangled from chapters/course/attention-on-hopper-solutions.nw, "Where is this row?".  Edit it there. */

// attention-on-hopper/descriptor: where is this row?
//
// A matrix of bf16 in shared memory has rows of 64 numbers, 128 bytes, in
// the 128-byte swizzle, and begins at address[i], a multiple of 1024.  A
// wgmma multiplies 16 columns at a time: step[i] (0 to 3) is the step
// along k.  The lower half of its descriptor has the address of the step
// divided by 16 in bits 0 to 13, and 1 in bits 16 to 29.  Write it to
// low[i].
//
// Write to at[i] the address at which the hardware finds the first of the
// 16 columns in row row[i] (0 to 63): chunk c of a row, of 16 bytes, is at
// place c ^ (row % 8).  The grid has a thread for each i, in blocks of
// 128.  The start knows nothing of steps and of the swizzle.

__global__ void descriptor(int *low, int *at, const int *address,
                           const int *step, const int *row, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    low[i] = address[i] / 16 | 1 << 16;
    at[i] = address[i] + 128 * row[i];
}
