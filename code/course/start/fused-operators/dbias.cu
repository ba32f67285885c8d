/* Tangled from chapters/course/fused-operators-solutions.nw, "Slow: a sum after the fact".  Edit it there. */

// fused-operators/dbias: slow code
//
// y and dy have N rows of C floats.  y is the output of a sigmoid, so the
// gradient of its input is dx = dy y (1 - y), and db[c], the gradient of a
// bias, is the sum of column c of dx.  A block has 256 threads and 32
// columns; the last block may have fewer columns.  The kernel is right.
// Which of its sectors need not be read?

__global__ void sigmoid_grad(float *dx, float *db, const float *dy,
                             const float *y, int N, int C)
{
    __shared__ float s[8][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int c = blockIdx.x * 32 + lane;
    for (int n = warp; n < N && c < C; n += 8)
        dx[n * C + c] = dy[n * C + c] * y[n * C + c] * (1 - y[n * C + c]);
    float sum = 0;
    for (int n = warp; n < N && c < C; n += 8)
        sum += dx[n * C + c];
    s[warp][lane] = sum;
    __syncthreads();
    if (warp == 0 && c < C) {
        for (int w = 1; w < 8; w++)
            sum += s[w][lane];
        db[c] = sum;
    }
}
