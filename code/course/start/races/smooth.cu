/* Tangled from chapters/course/races-solutions.nw, "Slow: two barriers a step".  Edit it there. */

// races/smooth: slow code
//
// Each block smooths its own 256 numbers, in place, `steps` times: each
// number becomes the sum of itself and the number after it, modulo 1009.
// After the last number of the block comes its first.  The grid has
// n / 256 blocks; n is a multiple of 256.  The kernel is right.  Look at
// its barriers: one for each step, and one at the beginning, are enough.

__global__ void smooth(int *x, int steps)
{
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = x[i];
    __syncthreads();
    for (int k = 0; k < steps; k++) {
        int v = (s[t] + s[(t + 1) % 256]) % 1009;
        __syncthreads();
        s[t] = v;
        __syncthreads();
    }
    x[i] = s[t];
}
