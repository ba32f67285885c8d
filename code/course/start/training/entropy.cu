/* Tangled from chapters/course/training-solutions.nw, "An entropy in one pass".  Edit it there. */

// training/entropy: an entropy in one pass
//
// count[i] says how often token i occurs in a text, for 0 <= i < V.  The
// entropy of single tokens is the sum of -p ln p over the tokens that
// occur, where p is count[i] divided by the sum of all counts.  That sum is
// at least 1 and less than 2^31.  One block of 256 threads computes the
// entropy; V is at most 8,192.  The kernel is right, but it needs the sum
// of all counts before it can begin, and so reads the counts twice.  Read
// each count once, and keep none of them.

__device__ float block_sum(float v)
{
    __shared__ float s[256];
    __syncthreads();
    s[threadIdx.x] = v;
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
    }
    __syncthreads();
    return s[0];
}

__global__ void entropy(float *nats, const int *count, int V)
{
    float total = 0, sum = 0;
    for (int i = threadIdx.x; i < V; i += 256)
        total += count[i];
    total = block_sum(total);
    for (int i = threadIdx.x; i < V; i += 256) {
        float p = count[i] / total;
        if (p > 0)
            sum -= p * logf(p);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *nats = sum;
}
