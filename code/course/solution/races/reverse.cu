/* Tangled from chapters/course/races-solutions.nw, "A missing barrier".  Edit it there. */

__global__ void reverse(float *x, int n)
{
    __shared__ float s[256];
    int first = blockIdx.x * 256;
    int count = min(256, n - first);
    int t = threadIdx.x;
    if (t < count)
        s[t] = x[first + t];
    __syncthreads();
    if (t < count)
        x[first + t] = s[count - 1 - t];
}
