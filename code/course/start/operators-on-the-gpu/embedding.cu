/* Tangled from chapters/course/operators-on-the-gpu-solutions.nw, "The gradient of an embedding".  Edit it there. */

// operators-on-the-gpu/embedding: the gradient of an embedding
//
// Row n of dy, C numbers, belongs to the row token[n] of the table dw, and
// is added to what is there.  The table has 16 rows, and there is a block
// of 64 threads for each of them; C is at most 64.  The kernel is right,
// but a sum depends on the order in which blocks run.  Do without atomic
// operations.

__global__ void embedding(float *dw, const int *token, const float *dy,
                          int N, int C)
{
    int c = threadIdx.x;
    for (int n = blockIdx.x; n < N && c < C; n += 16)
        atomicAdd(&dw[token[n] * C + c], dy[n * C + c]);
}
