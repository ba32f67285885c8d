// says: load requests .*over
__global__ void merge(int *out, const int *token, const int *length,
                      int left, int right, int made)
{
    int n = length[blockIdx.x], k = 0;
    token += 256 * blockIdx.x;
    out += 256 * blockIdx.x;
    if (threadIdx.x > 0)
        return;
    for (int i = 0; i < n; i++) {
        bool pair = i + 1 < n && token[i] == left && token[i + 1] == right;
        out[k++] = pair ? made : token[i];
        i += pair;
    }
    while (k < 256)
        out[k++] = -1;
}
