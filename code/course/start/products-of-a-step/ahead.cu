/* Tangled from chapters/course/products-of-a-step-solutions.nw, "Broken: copies that run ahead".  Edit it there. */

// products-of-a-step/ahead: broken code
//
// x has a piece for each block: `steps` rows of 128 floats.  A block has
// 128 threads.  Thread t of block b adds up number 127 - t of all rows of
// its piece, and writes the sum to y[128 * b + t].  The rows pass through
// three buffers in shared memory, so that two copies are on their way
// while the third buffer is used.  Repair the kernel.  Three buffers and
// one barrier for each row must be enough.

enum { STAGES = 3 };

// Copy 4 bytes to shared memory without waiting.
__device__ void copy(float *to, const float *from)
{
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 :: "r"(s), "l"(from) : "memory");
}

// The copies of this thread since the last commit are a group, which may be
// empty.
__device__ void commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Wait until at most the latest `pending` groups of this thread have not
// arrived.
template <int pending> __device__ void wait()
{
    asm volatile("cp.async.wait_group %0;" :: "n"(pending) : "memory");
}

__global__ void reversed(float *y, const float *x, int steps)
{
    __shared__ float s[STAGES][128];
    int t = threadIdx.x;
    float sum = 0;
    x += blockIdx.x * steps * 128;
    for (int i = 0; i < STAGES - 1 && i < steps; i++) {
        copy(&s[i][t], &x[128 * i + t]);
        commit();
    }
    for (int i = 0; i < steps; i++) {
        int next = i + STAGES - 1;
        if (next < steps) {
            copy(&s[next % STAGES][t], &x[128 * next + t]);
            commit();
        }
        wait<STAGES - 1>();
        __syncthreads();
        sum += s[i % STAGES][127 - t];
    }
    y[blockIdx.x * 128 + t] = sum;
}
