// says: elements are wrong
__global__ void scale_all(float *x, const float *scale, const int *begin,
                          const int *first, int tensors)
{
    int b = blockIdx.x, low = 0, high = tensors;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (begin[middle] <= b * 256)
            low = middle;
        else
            high = middle;
    }
    int i = begin[low] + (b - first[low]) * 256 + threadIdx.x;
    if (i < begin[low + 1])
        x[i] *= scale[low];
}
