/* Tangled from chapters/course/operators-solutions.nw, "A forward and a backward pass".  Edit it there. */

// operators/relu2: an operator and its gradient
//
// The operator is y = relu(x)^2: y[i] is x[i]^2 where x[i] > 0, else 0.
// The forward kernel is there.  Write the backward kernel: given x and dy,
// the derivative of the loss by y, it *adds* the derivative by x to dx.
// Derive it first.  Both kernels run in one thread, as the C code of the
// chapter does.

__global__ void forward(float *y, const float *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] > 0 ? x[i] * x[i] : 0;
}

__global__ void backward(float *dx, const float *dy, const float *x, int n)
{
}
