/* Tangled from chapters/course/attention-solutions.nw, "Slow: scores above the diagonal".  Edit it there. */

// attention/causal: slow code
//
// s[q][k] is the dot product of query q and key k, which have 16 floats
// each, for k <= q; for k > q it is -INFINITY.  T queries and T keys, one
// after the other; s is a matrix of T x T.  A block of 16 x 16 threads
// makes a tile of s, and the grid is square.  The kernel is right, and
// computes what is not wanted.  Find out how much, and leave it out: the
// loads as well.

__global__ void scores(float *s, const float *q, const float *k, int T)
{
    __shared__ float qs[16][17], ks[16][17];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    int key = blockIdx.x * 16 + y;
    qs[y][x] = row < T ? q[row * 16 + x] : 0;
    ks[y][x] = key < T ? k[key * 16 + x] : 0;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 16; i++)
        sum += qs[y][i] * ks[x][i];
    if (row < T && column < T)
        s[row * T + column] = column <= row ? sum : -INFINITY;
}
