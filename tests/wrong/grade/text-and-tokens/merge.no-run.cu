// says: out\[[0-9]+\] is .* elements are wrong
__global__ void merge(int *out, const int *token, const int *length,
                      int left, int right, int made)
{
    __shared__ int s[257], kept[8];     // s[1 + i]: token i
    int n = length[blockIdx.x], t = threadIdx.x, at = 256 * blockIdx.x + t;
    int mine = t < n ? token[at] : -1;
    s[1 + t] = mine;
    s[0] = -1;
    __syncthreads();
    int before = s[t];
    bool pair = t + 1 < n && mine == left && s[t + 2] == right;
    bool gone = mine == right && before == left;
    if (false) {
        int begin = t;          // of the run
        while (s[begin] == left)
            begin--;
        gone = (t - begin) % 2;
        pair = pair && !gone;
    }
    unsigned keep = __ballot_sync(0xffffffff, t < n && !gone);
    if (t % 32 == 0)
        kept[t / 32] = __popc(keep);
    __syncthreads();
    int place = __popc(keep & (1u << t % 32) - 1), all = 0;
    for (int w = 0; w < 8; w++) {
        place += w < t / 32 ? kept[w] : 0;
        all += kept[w];
    }
    if (t < n && !gone)
        out[at - t + place] = pair ? made : mine;
    if (t >= all)
        out[at] = -1;
}
