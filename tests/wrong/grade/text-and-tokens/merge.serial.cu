// says: warp instructions .*over
__global__ void merge(int *out, const int *token, const int *length,
                      int left, int right, int made)
{
    __shared__ int s[257], all;
    int n = length[blockIdx.x], t = threadIdx.x, at = 256 * blockIdx.x + t;
    s[t] = t < n ? token[at] : -1;
    s[256] = -1;
    __syncthreads();
    if (t == 0) {
        int k = 0;
        for (int i = 0; i < n; i++) {
            bool pair = i + 1 < n && s[i] == left && s[i + 1] == right;
            s[k++] = pair ? made : s[i];
            i += pair;
        }
        all = k;
    }
    __syncthreads();
    out[at] = t < all ? s[t] : -1;
}
