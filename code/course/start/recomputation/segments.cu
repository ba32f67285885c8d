/* Tangled from chapters/course/recomputation-solutions.nw, "Broken: back through a chain".  Edit it there. */

// recomputation/segments: broken code
//
// Sixteen layers: v[k + 1] = v[k] * v[k] - 0.75 for k = 0 to 15, for each
// of n numbers.  The forward pass has kept v[0], v[4], v[8] and v[12] in
// kept[4][n]; the other states are gone.  dx is the derivative of v[16] by
// v[0]: the product of all 2 v[k].  The kernel goes back segment by
// segment and computes the states of each once more.  The grid has a
// thread for each number, in blocks of 128.  The kernel is wrong in two
// ways.

__global__ void back(float *dx, const float *kept, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    float g = 1;
    for (int segment = 4; segment > 0; segment--) {
        float v[4];
        v[0] = kept[segment * n + i];
        for (int k = 1; k < 4; k++)
            v[k] = v[k - 1] * v[k - 1] - 0.75f;
        for (int k = 3; k > 0; k--)
            g *= 2 * v[k];
    }
    dx[i] = g;
}
