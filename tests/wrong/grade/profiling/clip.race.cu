// says: race: 
__global__ void clip(float *y, int *count, const float *x, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float v = fminf(fmaxf(x[i], -1), 1);
    if (v != x[i])
        count[blockIdx.x]++;
    y[i] = v;
}
