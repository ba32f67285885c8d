/* Tangled from chapters/course/training-solutions.nw, "Top-p without a sort".  Edit it there. */

// training/topp: top-p without a sort
//
// weight has a row of V ints for each block of 256 threads, V is at most
// 2,048, and each weight is from 0 to 65,535.  cut[b] is to be the largest
// c for which the weights of row b that are at least c add up to goal[b] or
// more.  (Top-p keeps the tokens with these weights, if goal is p times the
// sum of the row; of those that are equal to c it may need only some.)
// goal[b] is at least 1 and at most the sum of the row.  The kernel is
// right, but goes through the row once for each of its weights.  Read the
// row once.

__global__ void top_p(int *cut, const int *weight, const int *goal, int V)
{
    __shared__ int largest;
    const int *row = weight + blockIdx.x * V;
    if (threadIdx.x == 0)
        largest = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < V; i += 256) {
        int sum = 0;
        for (int k = 0; k < V; k++)
            if (row[k] >= row[i])
                sum += row[k];
        if (sum >= goal[blockIdx.x])
            atomicMax(&largest, row[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        cut[blockIdx.x] = largest;
}
