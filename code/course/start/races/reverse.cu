/* Tangled from chapters/course/races-solutions.nw, "A missing barrier".  Edit it there. */

// races/reverse: broken code
//
// Each block turns its own 256 numbers around, in place: the first becomes
// the last.  The last block has fewer, if n is no multiple of 256.  On
// this machine the result may look right.  It is not.

__global__ void reverse(float *x, int n)
{
    __shared__ float s[256];
    int first = blockIdx.x * 256;
    int count = min(256, n - first);
    int t = threadIdx.x;
    if (t >= count)
        return;
    s[t] = x[first + t];
    x[first + t] = s[count - 1 - t];
}
