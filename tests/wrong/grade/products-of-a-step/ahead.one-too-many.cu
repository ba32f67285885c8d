// says: Wait for its group first
enum { STAGES = 3 };

__device__ void copy(float *to, const float *from)
{
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 :: "r"(s), "l"(from) : "memory");
}

__device__ void commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

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
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < steps)
            copy(&s[i][t], &x[128 * i + t]);
        commit();
    }
    for (int i = 0; i < steps; i++) {
        int next = i + STAGES - 1;
        wait<STAGES - 1>();
        __syncthreads();
        if (next < steps)
            copy(&s[next % STAGES][t], &x[128 * next + t]);
        commit();
        sum += s[i % STAGES][127 - t];
    }
    y[blockIdx.x * 128 + t] = sum;
}
