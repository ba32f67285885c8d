// says: elements are wrong
__global__ void two_of_four(float *kept, unsigned char *place,
                            const float *x, int n)
{
    int g = blockIdx.x * 128 + threadIdx.x;
    if (4 * g >= n)
        return;
    float4 four = ((const float4 *)x)[g];
    float v[4] = { four.x, four.y, four.z, four.w };
    int rank[4] = { 0, 0, 0, 0 };
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int k = i + 1; k < 4; k++) {
            bool later = fabsf(v[k]) > fabsf(v[i]);
            rank[i] += later;
            rank[k] += !later;
        }
    float a = 0, b = 0;
    int first = 4, second = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        bool keep = rank[i] < 2, other = keep && first < 4;
        b = other ? v[i] : b;
        second = other ? i : second;
        a = keep && !other ? v[i] : a;
        first = keep && !other ? i : first;
    }
    ((float2 *)kept)[g] = make_float2(a, b);
    place[g] = second + 4 * first;
}
