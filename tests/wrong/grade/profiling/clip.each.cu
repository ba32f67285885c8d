// says: sectors written .*over
__global__ void clip(float *y, int *count, const float *x, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    bool changed = false;
    if (i < n) {
        float v = fminf(fmaxf(x[i], -1), 1);
        changed = v != x[i];
        y[i] = v;
    }
    int sum = __syncthreads_count(changed);
        count[blockIdx.x] = sum;
}
