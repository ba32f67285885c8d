/* Tangled from chapters/course/attention-solutions.nw, "Two halves of a context".  Edit it there. */

// attention/merge: two halves of a context
//
// Two kernels have computed the attention of the same queries, each over
// one half of the keys.  For query r, a[r] and b[r] are rows of 32 floats,
// the weighted means of the values of that half, and la[r], lb[r] are the
// logarithms of the sums of their exponentials.  y[r] is the weighted mean
// over both halves, and l[r] the logarithm of the sum over both.  Write
// it.  A half without keys has la = -INFINITY and a row of zeros; both may
// be so, and then the result is the same.  A block has 128 threads, a warp
// for each query.

__global__ void merge(float *y, float *l, const float *a, const float *la,
                      const float *b, const float *lb, int rows)
{
}
