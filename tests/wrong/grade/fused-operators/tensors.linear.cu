// says: load requests .*over
__global__ void scale_all(float *x, const float *scale, const int *begin,
                          const int *first, int tensors)
{
    int b = blockIdx.x, t = 0;
    while (first[t + 1] <= b)
        t++;
    int i = begin[t] + (b - first[t]) * 256 + threadIdx.x;
    if (i < begin[t + 1])
        x[i] *= scale[t];
}
