/* Tangled from chapters/course/matmul-solutions.nw, "Matmul: four results for each thread".  Edit it there. */

// matmul/registers: four results for each thread
//
// c = a b.  A block of 16 x 16 threads computes 64 rows x 16 columns of c,
// four for each thread.  Here it does so in four passes of 16 rows, and
// for each multiply-add a thread loads two numbers from shared memory.
// With four sums in registers five loads are enough for four multiply-adds.

__global__ void matmul(float *c, const float *a, const float *b, int m,
                       int n, int k)
{
    __shared__ float s_a[16][16], s_b[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, j = blockIdx.x * 16 + tx;
    for (int pass = 0; pass < 4; pass++) {
        int i = blockIdx.y * 64 + pass * 16 + ty;
        float sum = 0;
        for (int first = 0; first < k; first += 16) {
            int p = first + tx, q = first + ty;
            s_a[ty][tx] = i < m && p < k ? a[i * k + p] : 0;
            s_b[ty][tx] = q < k && j < n ? b[q * n + j] : 0;
            __syncthreads();
            for (int p = 0; p < 16; p++)
                sum += s_a[ty][p] * s_b[p][tx];
            __syncthreads();
        }
        if (i < m && j < n)
            c[i * n + j] = sum;
    }
}
