// says: sectors read .*over
__global__ void cut(float *total, const float *p, int steps, int n)
{
    int r = (blockIdx.x * 128 + threadIdx.x) / 32;
    if (r >= n || threadIdx.x % 32)
        return;
    float sum = 0;
    for (int k = 0; k < steps; k++) {
        const float *x = p + (r * steps + k) * 32;
        float m = fabsf(sum);
        for (int i = 0; i < 32; i++)
            m = fmaxf(m, fabsf(x[i]));
        int most = __float_as_int(m) >> 23;
        if (most == 0)
            continue;
        float scale = __int_as_float((267 - most) << 23);
        int s = (int)(sum * scale);
        for (int i = 0; i < 32; i++)
            s += (int)(x[i] * scale);
        int more = max(18 - __clz(abs(s)), 0);
        int kept = abs(s) >> more << more;
        sum = (float)(s < 0 ? -kept : kept) *
              __int_as_float((most - 13) << 23);
    }
    total[r] = sum;
}
