/* Tangled from chapters/course/operators-on-the-gpu-solutions.nw, "Slow: the gradient of a bias".  Edit it there. */

// operators-on-the-gpu/bias: the gradient of a bias
//
// dy has N rows of C numbers.  db[c] is the sum of column c.  A block has
// 256 threads, eight warps, and 32 columns; the last block may have fewer
// columns.  The kernel is right: each warp takes one column after the
// other.  Find out why it is slow from the sectors it reads.

__global__ void bias(float *db, const float *dy, int N, int C)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int k = warp; k < 32; k += 8) {
        int c = blockIdx.x * 32 + k;
        float v = 0;
        for (int n = lane; n < N && c < C; n += 32)
            v += dy[n * C + c];
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(0xffffffff, v, d);
        if (lane == 0 && c < C)
            db[c] = v;
    }
}
