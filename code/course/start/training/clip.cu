/* Tangled from chapters/course/training-solutions.nw, "Broken: clip or refuse".  Edit it there. */

// training/clip: broken code
//
// One block of 256 threads takes a step of gradient descent, w -= lr g, for
// n weights.  If the norm of g, the root of the sum of its squares, is
// larger than `most`, g is first multiplied by most / norm.  If the norm is
// infinite or NaN, the step is refused: w stays as it was and *refused
// becomes 1, otherwise 0.  A gradient of finite numbers is never refused:
// the square of 1e25 is too large for fp32, but not for double.  Repair
// the kernel.

__global__ void clip(float *w, const float *g, int *refused, int n,
                     float lr, float most)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = t; i < n; i += 256)
        sum += g[i] * g[i];
    s[t] = sum;
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            s[t] += s[t + d];
    }
    float norm = sqrtf(s[0]);
    float factor = fminf(1, most / norm);
    for (int i = t; i < n; i += 256)
        w[i] -= lr * factor * g[i];
    if (t == 0)
        *refused = isnan(norm);
}
