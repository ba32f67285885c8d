// says: attn.c_attn.weight\[
__global__ void embed(float *y, const int *ids, const float *wte,
                      const float *wpe, int n, int t, int c)
{
    int i = blockIdx.x * 128 + threadIdx.x, row = i / c;
    if (row < n)
        y[i] = wte[ids[row] * c + i % c] + wpe[row % t * c + i % c];
}

__device__ float warp_sum(float x)
{
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_xor_sync(~0u, x, d);
    return x;
}

__global__ void layernorm(float *y, const float *x, const float *w,
                          const float *b, int c)
{
    x += blockIdx.x * c, y += blockIdx.x * c;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < c; i += 32)
        sum += x[i];
    float mean = warp_sum(sum) / c;
    for (int i = threadIdx.x; i < c; i += 32)
        squares += (x[i] - mean) * (x[i] - mean);
    float rstd = rsqrtf(warp_sum(squares) / c + 1e-5f);
    for (int i = threadIdx.x; i < c; i += 32)
        y[i] = (x[i] - mean) * rstd * w[i] + b[i];
}

__global__ void linear(float *y, const float *x, const float *w,
                       const float *b, int n, int in, int out)
{
    int i = blockIdx.x * 128 + threadIdx.x, row = i / out, col = i % out;
    if (row >= n)
        return;
    float sum = 0;
    for (int k = 0; k < in; k++)
        sum += x[row * in + k] * w[k * out + col];
    y[i] = sum;
}


__global__ void attention(float *y, const float *qkv, int t, int c)
{
    int lane = threadIdx.x, hs = c / gridDim.y, q = blockIdx.x;
    const float *of = qkv + blockIdx.z * t * 3 * c + blockIdx.y * hs;
    const float *key = of + lane * 3 * c + c;
    float score = -INFINITY;
    if (lane <= q) {
        score = 0;
        for (int i = 0; i < hs; i++)
            score += of[q * 3 * c + i] * key[i];
        score *= rsqrtf(hs);
    }
    float most = score;
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    float weight = lane <= q ? expf(score - most) : 0;
    weight /= warp_sum(weight);
    for (int first = 0; first < hs; first += 32) {
        int i = first + lane;
        float sum = 0;
        for (int k = 0; k <= q; k++) {
            float p = __shfl_sync(~0u, weight, k);
            if (i < hs)
                sum += p * of[k * 3 * c + 2 * c + i];
        }
        if (i < hs)
            y[(blockIdx.z * t + q) * c + blockIdx.y * hs + i] = sum;
    }
}

__global__ void gelu(float *y, const float *x, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i];
    y[i] = v / 2 * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
}

__global__ void add(float *y, const float *a, const float *b, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n)
        y[i] = a[i] + b[i];
}


__global__ void logits(float *y, const float *x, const float *wte, int n,
                       int c, int v)
{
    int i = blockIdx.x * 128 + threadIdx.x, row = i / v;
    if (row >= n)
        return;
    const float4 *a = (const float4 *)(x + row * c);
    const float4 *b = (const float4 *)(wte + i % v * c);
    float sum = 0;
    for (int k = 0; k < c / 4; k++) {
        float4 p = a[k], q = b[k];
        sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    y[i] = sum;
}
