/* Tangled from chapters/course/fusion-solutions.nw, "Bias and GELU".  Edit it there. */

// fusion/gelu: bias and GELU, four numbers at a time
//
// x has rows of c numbers, n in all, and c is a multiple of four.  With
// v = x[i] + bias[i % c], y[i] is v / 2 * (1 + tanh(u)), where u is
// 0.7978845608f * (v + 0.044715f * v * v * v).  v is between -100 and 100.
// A block has 256 threads, and there is a thread for each four numbers.
// Use float4 for loads and stores, and __expf for the tanh, which is not
// there.  Here the activation is missing, and so is float4.

__global__ void gelu(float *y, const float *x, const float *bias, int c,
                     int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int k = i; k < i + 4 && k < n; k++)
        y[k] = x[k] + bias[k % c];
}
