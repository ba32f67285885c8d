/* Tangled from chapters/course/project-solutions.nw, "Part III: GPT-2's forward pass".  Edit it there. */

// project/gpt2: the forward pass of GPT-2, from operators of your own
//
// Seven kernels.  The grader launches them in the order of GPT-2's forward
// pass (pre-norm, two layers, GELU with tanh, logits with wte), with the
// weights of a small model, and compares each tensor with its own, and the
// logits with PyTorch's.  n is the number of rows: sequences times t.  c is
// a multiple of 4, and t at most 32.
//
// embed      y[n][c] = wte[ids[row]] + wpe[row % t]
// layernorm  each row less its mean, over sqrt(variance + 1e-5), times w,
//            plus b; grid: a block of 32 threads for each row
// linear     y[n][out] = x[n][in] w[in][out] + b[out]
// attention  qkv[n][3 c] holds q, k and v of each row, each c numbers, head
//            after head.  Causal, scores over sqrt(head size).  Grid: t x
//            heads x sequences, blocks of 32 threads
// gelu       x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
// add        y = a + b
// logits     y[n][v] = x[n][c] times the rows of wte[v][c]
//
// All others have a thread for each number of y, in blocks of 128.

__global__ void embed(float *y, const int *ids, const float *wte,
                      const float *wpe, int n, int t, int c)
{
}

__global__ void layernorm(float *y, const float *x, const float *w,
                          const float *b, int c)
{
}

__global__ void linear(float *y, const float *x, const float *w,
                       const float *b, int n, int in, int out)
{
}

__global__ void attention(float *y, const float *qkv, int t, int c)
{
}

__global__ void gelu(float *y, const float *x, int n)
{
}

__global__ void add(float *y, const float *a, const float *b, int n)
{
}

__global__ void logits(float *y, const float *x, const float *wte, int n,
                       int c, int v)
{
}
