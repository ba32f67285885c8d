/* Tangled from chapters/course/counting-solutions.nw, "Broken: loads of 16 bytes".  Edit it there. */

// counting/tail: broken code
//
// y[i] = 2 x[i], for i from 0 to n - 1.  A thread has four numbers, so
// that one request loads 512 bytes.  There are as many blocks of 256
// threads as are needed.  The kernel is right if n is a multiple of four.
// Repair it for all n, and keep the wide requests.

__global__ void twice(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n)
        return;
    float4 v = ((const float4 *)x)[i];
    ((float4 *)y)[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}
