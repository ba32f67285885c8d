/* Arrays, textures and surfaces, against what the host computes. */
#include "foreign_rows.h"
#include <math.h>
#include <string.h>

enum { W = 13, H = 7, D = 5, N = 4000 };

__global__ void sample(int kind, cudaTextureObject_t t, const float *at, float *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2];
    switch (kind) {
    case 1: to[i] = tex1D<float>(t, x); break;
    case 2: to[i] = tex2D<float>(t, x, y); break;
    case 3: to[i] = tex3D<float>(t, x, y, z); break;
    case 4: to[i] = tex2DLayered<float>(t, x, y, i % D); break;
    case 5: to[i] = tex1Dfetch<float>(t, i % (W + 2) - 1); break;
    }
}

/* The host's side: one axis after the other, in double precision. */
struct Rule { cudaTextureAddressMode mode; cudaTextureFilterMode filter; int normalized; };

static int whole(const Rule &r, int i, int n)
{
    cudaTextureAddressMode m = r.mode;
    if (!r.normalized && (m == cudaAddressModeWrap || m == cudaAddressModeMirror))
        m = cudaAddressModeClamp;
    if (m == cudaAddressModeBorder)
        return i >= 0 && i < n ? i : -1;
    if (m == cudaAddressModeClamp)
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    while (i < 0)
        i += 2 * n;
    i %= 2 * n;
    return i < n ? i : m == cudaAddressModeWrap ? i - n : 2 * n - 1 - i;
}
static float border = 0.375f;
static double element(const float *a, int x, int y, int z)
{
    return x < 0 || y < 0 || z < 0 ? border : a[(z * H + y) * W + x];
}
static double expected(const float *a, const Rule &r, int axes, const float *at, int layer)
{
    static const int size[3] = { W, H, D };
    int low[3] = { 0, 0, layer }, high[3] = { 0, 0, layer };
    double part[3] = { 0, 0, 0 }, sum = 0;
    for (int k = 0; k < axes; k++) {
        float x = r.normalized ? at[k] * size[k] : at[k];
        if (r.filter == cudaFilterModeLinear)
            x -= 0.5f;
        int i = (int)floorf(x);
        low[k] = whole(r, i, size[k]);
        high[k] = whole(r, i + 1, size[k]);
        if (r.filter == cudaFilterModeLinear)
            part[k] = rint(256 * (x - floorf(x))) / 256;
    }
    for (int c = 0; c < 8; c++) {
        double w = 1;
        for (int k = 0; k < 3; k++)
            w *= c >> k & 1 ? part[k] : 1 - part[k];
        if (w != 0)
            sum += w * element(a, c & 1 ? high[0] : low[0], c & 2 ? high[1] : low[1],
                               c & 4 ? high[2] : low[2]);
    }
    return sum;
}

static float number(unsigned i) { return (float)((i * 2654435761u >> 8) & 0xffff) / 256.0f - 100; }
static float host[W * H * D], at[3 * N], got[N], *device_at, *device_got;

static cudaTextureObject_t texture_of(cudaResourceDesc r, const Rule &rule)
{
    cudaTextureDesc d = {};
    for (int k = 0; k < 3; k++)
        d.addressMode[k] = rule.mode;
    d.filterMode = rule.filter;
    d.normalizedCoords = rule.normalized;
    d.borderColor[0] = border;
    cudaTextureObject_t t = 0;
    cudaCreateTextureObject(&t, &r, &d, NULL);
    return t;
}
static int agrees(int kind, cudaResourceDesc r, const Rule &rule)
{
    int bad = 0, axes = kind == 4 ? 2 : kind;
    cudaTextureObject_t t = texture_of(r, rule);
    for (unsigned i = 0; i < 3 * N; i++) {
        float u = (float)(i * 2246822519u >> 8) / (1 << 24) * 3 - 1;     /* -1 to 2 */
        at[i] = rule.normalized ? u : u * (i % 3 == 0 ? W : i % 3 == 1 ? H : D);
    }
    cudaMemcpy(device_at, at, sizeof at, cudaMemcpyHostToDevice);
    sample<<<N / 100, 100>>>(kind, t, device_at, device_got);
    cudaMemcpy(got, device_got, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        double want = expected(host, rule, axes, at + 3 * i, kind == 4 ? i % D : 0);
        bad += !(fabs(got[i] - want) <= 2e-5 * 200);
    }
    cudaDestroyTextureObject(t);
    return bad == 0;
}

__global__ void integers(cudaTextureObject_t raw, cudaTextureObject_t unit, uchar4 *a, float4 *b)
{
    a[threadIdx.x] = tex2D<uchar4>(raw, threadIdx.x % W + 0.5f, threadIdx.x / W + 0.5f);
    b[threadIdx.x] = tex2D<float4>(unit, threadIdx.x % W + 0.5f, threadIdx.x / W + 0.5f);
}
__global__ void faces(cudaTextureObject_t t, float *to)
{
    static const float x[] = { 2, -2, .5f, .5f, .5f, .5f }, y[] = { .5f, .5f, 3, -3, .5f, .5f },
                       z[] = { .5f, .5f, .5f, .5f, 4, -4 };
    if (threadIdx.x < 6)
        to[threadIdx.x] = texCubemap<float>(t, x[threadIdx.x], y[threadIdx.x], z[threadIdx.x]);
}
__global__ void surface(cudaSurfaceObject_t s, float *zero, float *clamp)
{
    int x = threadIdx.x, y = threadIdx.y;
    float v = surf2Dread<float>(s, x * 4, y);
    surf2Dwrite(2 * v, s, x * 4, y);
    surf2Dwrite(77.0f, s, (x + W) * 4, y, cudaBoundaryModeZero);
    __syncthreads();
    surf2Dread(zero + y * W + x, s, -4 - x, y, cudaBoundaryModeZero);
    *(clamp + y * W + x) = surf2Dread<float>(s, (x + W) * 4, y, cudaBoundaryModeClamp);
}

texture<float, 2> plane_texture;
texture<unsigned char, 1, cudaReadModeNormalizedFloat> byte_texture;
__global__ void from_variables(float *to)
{
    int i = threadIdx.x;
    to[i] = tex2D(plane_texture, i % W + 0.5f, i / W + 0.5f) + tex1Dfetch(byte_texture, i);
}
static int variables(const float *pitched, size_t pitch, const unsigned char *bytes)
{
    unsigned char small[W * H];
    int right = cudaBindTexture2D(NULL, plane_texture, pitched, cudaCreateChannelDesc<float>(), W, H, pitch) == 0;
    right &= cudaBindTexture(NULL, byte_texture, bytes, W * H) == 0;
    from_variables<<<1, W * H>>>(device_got);
    cudaMemcpy(got, device_got, W * H * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(small, bytes, sizeof small, cudaMemcpyDeviceToHost);
    for (int i = 0; i < W * H; i++)
        right &= got[i] == host[i] + small[i] / 255.0f;
    cudaUnbindTexture(plane_texture);
    return right;
}
int main()
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t volume, layers, plane;
    cudaMalloc(&device_at, sizeof at);
    cudaMalloc(&device_got, sizeof got);
    for (unsigned i = 0; i < W * H * D; i++)
        host[i] = number(i);
    cudaMalloc3DArray(&volume, &f, make_cudaExtent(W, H, D));
    cudaMalloc3DArray(&layers, &f, make_cudaExtent(W, H, D), cudaArrayLayered);
    cudaMallocArray(&plane, &f, W, H, cudaArraySurfaceLoadStore);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(host, W * sizeof(float), W, H);
    p.extent = make_cudaExtent(W, H, D);
    p.kind = cudaMemcpyHostToDevice;
    p.dstArray = volume;
    cudaMemcpy3D(&p);
    p.dstArray = layers;
    cudaMemcpy3D(&p);
    cudaMemcpy2DToArray(plane, 0, 0, host, W * 4, W * 4, H, cudaMemcpyHostToDevice);

    static float back[W * H * D];
    p = {};
    p.srcArray = volume;
    p.dstPtr = make_cudaPitchedPtr(back, W * sizeof(float), W, H);
    p.srcPos = make_cudaPos(0, 0, 1);
    p.extent = make_cudaExtent(W, H, D - 1);
    p.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&p);
    row("a copy in three dimensions, from layer 1", !memcmp(back, host + W * H, sizeof host - W * H * 4));

    static const cudaTextureAddressMode modes[] = {
        cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
    static const char *text[] = { "wrap", "clamp", "mirror", "border" };
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    for (int m = 0; m < 4; m++) {
        int right = 1;
        for (int linear = 0; linear < 2; linear++)
            for (int normalized = 0; normalized < 2; normalized++) {
                Rule rule = { modes[m], linear ? cudaFilterModeLinear : cudaFilterModePoint, normalized };
                r.res.array.array = plane;
                right &= agrees(1, r, rule) & agrees(2, r, rule);
                r.res.array.array = volume;
                right &= agrees(3, r, rule);
                r.res.array.array = layers;
                right &= agrees(4, r, rule);
            }
        char line[60];
        snprintf(line, sizeof line, "coordinates outside: %s", text[m]);
        row(line, right);
    }

    float *linear;
    cudaMalloc(&linear, W * 4);
    cudaMemcpy(linear, host, W * 4, cudaMemcpyHostToDevice);
    r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = linear;
    r.res.linear.desc = f;
    r.res.linear.sizeInBytes = W * 4;
    border = 0;
    cudaTextureObject_t t = texture_of(r, { cudaAddressModeClamp, cudaFilterModePoint, 0 });
    sample<<<N / 100, 100>>>(5, t, device_at, device_got);
    cudaMemcpy(got, device_got, sizeof got, cudaMemcpyDeviceToHost);
    int right = 1;
    for (int i = 0; i < N; i++) {
        int k = i % (W + 2) - 1;
        right &= got[i] == (k < 0 || k >= W ? 0 : host[k]);
    }
    row("linear memory by index, 0 outside", right);
    cudaDestroyTextureObject(t);

    uchar4 *bytes, small[W * H], *raw;
    float4 *unit, back4[W * H];
    size_t pitch;
    for (int i = 0; i < W * H; i++)
        small[i] = make_uchar4(i, 255 - i, 3 * i, 255);
    cudaMallocPitch(&bytes, &pitch, W * 4, H);
    cudaMemcpy2D(bytes, pitch, small, W * 4, W * 4, H, cudaMemcpyHostToDevice);
    cudaMalloc(&raw, sizeof small);
    cudaMalloc(&unit, sizeof back4);
    r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D = { bytes, cudaCreateChannelDesc<uchar4>(), W, H, pitch };
    cudaTextureDesc d = {};
    cudaTextureObject_t as_is, as_float;
    cudaCreateTextureObject(&as_is, &r, &d, NULL);
    d.readMode = cudaReadModeNormalizedFloat;
    cudaCreateTextureObject(&as_float, &r, &d, NULL);
    integers<<<1, W * H>>>(as_is, as_float, raw, unit);
    uchar4 again[W * H];
    cudaMemcpy(again, raw, sizeof again, cudaMemcpyDeviceToHost);
    cudaMemcpy(back4, unit, sizeof back4, cudaMemcpyDeviceToHost);
    row("pitched memory of bytes", !memcmp(again, small, sizeof small));
    right = 1;
    for (int i = 0; i < W * H; i++)
        right &= back4[i].x == small[i].x / 255.0f && back4[i].z == small[i].z / 255.0f && back4[i].w == 1;
    row("bytes as floats from 0 to 1", right);
    cudaDestroyTextureObject(as_is), cudaDestroyTextureObject(as_float);

    cudaArray_t cube;
    static float sides[6 * 16];
    for (int i = 0; i < 6 * 16; i++)
        sides[i] = (float)i;
    cudaMalloc3DArray(&cube, &f, make_cudaExtent(4, 4, 6), cudaArrayCubemap);
    p = {};
    p.srcPtr = make_cudaPitchedPtr(sides, 16, 4, 4);
    p.dstArray = cube;
    p.extent = make_cudaExtent(4, 4, 6);
    p.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&p);
    r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = cube;
    t = texture_of(r, { cudaAddressModeClamp, cudaFilterModePoint, 1 });
    faces<<<1, 32>>>(t, device_got);
    cudaMemcpy(got, device_got, 24, cudaMemcpyDeviceToHost);
    /* by hand: s and t of the table in the programming guide, times 4 */
    static const float want[6] = { 0 + 4 * 1 + 1, 16 + 4 * 1 + 2, 32 + 4 * 2 + 2, 48 + 4 * 1 + 2,
                                   64 + 4 * 1 + 2, 80 + 4 * 1 + 1 };
    row("the faces of a cubemap", !memcmp(got, want, sizeof want));
    cudaDestroyTextureObject(t);

    cudaSurfaceObject_t s;
    r.res.array.array = plane;
    cudaCreateSurfaceObject(&s, &r);
    surface<<<1, dim3(W, H)>>>(s, device_at, device_got);
    cudaMemcpy2DFromArray(back, W * 4, plane, 0, 0, W * 4, H, cudaMemcpyDeviceToHost);
    right = 1;
    for (int i = 0; i < W * H; i++)
        right &= back[i] == 2 * host[i];
    row("a surface is read and written", right);
    cudaMemcpy(got, device_got, W * H * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(at, device_at, W * H * 4, cudaMemcpyDeviceToHost);
    right = 1;
    for (int i = 0; i < W * H; i++)
        right &= at[i] == 0 && (got[i] == 2 * back[i / W * W + W - 1] / 2 || got[i] == back[i / W * W + W - 1] / 2);
    row("outside of a surface", right);
    cudaDestroySurfaceObject(s);
    float *pitched;
    size_t wide;
    cudaMallocPitch(&pitched, &wide, W * 4, H);
    cudaMemcpy2D(pitched, wide, host, W * 4, W * 4, H, cudaMemcpyHostToDevice);
    row("textures as variables", variables(pitched, wide, (const unsigned char *)raw));
    cudaFree(pitched);
    cudaFreeArray(volume), cudaFreeArray(layers), cudaFreeArray(plane), cudaFreeArray(cube);
    cudaFree(device_at), cudaFree(device_got), cudaFree(linear), cudaFree(bytes), cudaFree(raw), cudaFree(unit);
    return rows_end();
}
