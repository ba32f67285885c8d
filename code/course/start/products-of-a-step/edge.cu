/* Tangled from chapters/course/products-of-a-step-solutions.nw, "Zeros after the edge".  Edit it there. */

// products-of-a-step/edge: zeros after the edge
//
// x is a matrix of rows x cols floats.  A row begins ld floats after the
// one before it.  ld is a multiple of 8, and the numbers after the last
// column may be NaN.  A block of 128 threads copies a tile of 16 x 32 to
// shared memory, with zeros where there is no matrix.  Then 32 of its
// threads add up the columns of the tile, and write them to row blockIdx.y
// of y, which has cols columns.
//
// The kernel is right.  Let each thread copy one chunk of 16 bytes with
// copy16 instead, so that nothing passes through registers, at the edges
// either.

// Copy 16 bytes to shared memory: the first `bytes` of them, 0 to 16, from
// `from`, and zeros after these.  Both addresses are multiples of 16.  The
// copy has arrived, for the calling thread, when wait_for_copies returns.
__device__ void copy16(float *to, const float *from, int bytes)
{
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :: "r"(s), "l"(from), "r"(bytes) : "memory");
}

__device__ void wait_for_copies()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

__global__ void tile_sums(float *y, const float *x, int rows, int cols,
                          int ld)
{
    __shared__ __align__(16) float s[16][32];
    int m0 = blockIdx.y * 16, n0 = blockIdx.x * 32, t = threadIdx.x;
    for (int i = t; i < 16 * 32; i += 128) {
        int m = i / 32, n = i % 32;
        s[m][n] = m0 + m < rows && n0 + n < cols
                ? x[(m0 + m) * ld + n0 + n] : 0;
    }
    __syncthreads();
    float sum = 0;
    if (t >= 32 || n0 + t >= cols)
        return;
    for (int m = 0; m < 16; m++)
        sum += s[m][t];
    y[blockIdx.y * cols + n0 + t] = sum;
}
