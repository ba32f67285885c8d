/* Tangled from chapters/workshop/measuring-fusion.nw, "The sigmoids".  Edit it there. */

#include "ladder/recompute.h"

#include "backend/cuda.h"

enum { THREADS = 256 };

/* load and store four numbers, or the rest */
__host__ __device__ static size_t whole(size_t n)
{
    return (n + 3) / 4 * 4;
}

/* x[4 i .. 4 i + 3]; 0 from n on */
__device__ static float4 load4(const float *x, size_t i, size_t n)
{
    if (4 * i + 4 <= n)
        return ((const float4 *)x)[i];
    return make_float4(x[4 * i], 4 * i + 1 < n ? x[4 * i + 1] : 0,
                       4 * i + 2 < n ? x[4 * i + 2] : 0, 0);
}

__device__ static void store4(float *x, size_t i, size_t n, float4 v)
{
    if (4 * i + 4 <= n) {
        ((float4 *)x)[i] = v;
        return;
    }
    x[4 * i] = v.x;
    if (4 * i + 1 < n)
        x[4 * i + 1] = v.y;
    if (4 * i + 2 < n)
        x[4 * i + 2] = v.z;
}

/* a sigmoid */
__device__ static float sigmoid(float x)
{
    return __fdividef(1, 1 + __expf(-x));
}

__device__ static float4 sigmoid_of(float4 v)
{
    return make_float4(sigmoid(v.x), sigmoid(v.y), sigmoid(v.z),
                       sigmoid(v.w));
}

/* g times the derivative of the sigmoid whose result is s */
__device__ static float4 through(float4 g, float4 s)
{
    return make_float4(g.x * s.x * (1 - s.x), g.y * s.y * (1 - s.y),
                       g.z * s.z * (1 - s.z), g.w * s.w * (1 - s.w));
}

/* forward: write the first results */
/* y = DEPTH sigmoids of x; kept[k] = the result of sigmoid k, k < KEEP. */
template <int DEPTH, int KEEP>
__global__ void sigmoids_fwd(float *y, float *kept, const float *x,
                             size_t n)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (4 * i >= n)
        return;
    float4 v = load4(x, i, n);
    #pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        v = sigmoid_of(v);
        if (k < KEEP)
            store4(kept + k * whole(n), i, n, v);
    }
    store4(y, i, n, v);
}

/* backward: read some results, make the others again */
template <int DEPTH, int KEEP, bool READ_Y>
__global__ void sigmoids_bwd(float *dx, const float *dy, const float *x,
                             const float *kept, const float *y, size_t n)
{
    enum { MADE = READ_Y ? DEPTH - 1 : DEPTH };
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (4 * i >= n)
        return;
    float4 s[DEPTH], g = load4(dy, i, n);
    #pragma unroll
    for (int k = 0; k < KEEP; k++)
        s[k] = load4(kept + k * whole(n), i, n);
    if (READ_Y)
        s[DEPTH - 1] = load4(y, i, n);
    #pragma unroll
    for (int k = KEEP; k < MADE; k++)
        s[k] = sigmoid_of(k ? s[k ? k - 1 : 0] : load4(x, i, n));
    #pragma unroll
    for (int k = DEPTH - 1; k >= 0; k--)
        g = through(g, s[k]);
    store4(dx, i, n, g);
}

/* launch a pass of sigmoids */
template <int DEPTH, int KEEP>
static void forward(const struct Sigmoids *d)
{
    sigmoids_fwd<DEPTH, KEEP><<<
        (unsigned)((d->n + 4 * THREADS - 1) / (4 * THREADS)), THREADS>>>(
        d->y, d->kept, d->x, d->n);
    CUDA_OK(cudaGetLastError());
}

template <int DEPTH, int KEEP, bool READ_Y>
static void backward(const struct Sigmoids *d)
{
    sigmoids_bwd<DEPTH, KEEP, READ_Y><<<
        (unsigned)((d->n + 4 * THREADS - 1) / (4 * THREADS)), THREADS>>>(
        d->dx, d->dy, d->x, d->kept, d->y, d->n);
    CUDA_OK(cudaGetLastError());
}

/* the ladder of recomputation */
static void one_forward(float *y, const float *x, size_t n)
{
    const struct Sigmoids d = { n, x, NULL, y, NULL, NULL, {} };
    forward<1, 0>(&d);
}

static void one_backward(float *dx, const float *dy, const float *y,
                         size_t n)
{
    const struct Sigmoids d = { n, NULL, dy, (float *)y, dx, NULL, {} };
    backward<1, 0, true>(&d);
}

static void v1_forward(const struct Sigmoids *d)
{
    float *a = d->kept, *b = d->kept + whole(d->n);
    one_forward(a, d->x, d->n);
    one_forward(b, a, d->n);
    one_forward(d->y, b, d->n);
}

static void v1_backward(const struct Sigmoids *d)
{
    float *a = d->kept, *b = d->kept + whole(d->n);
    one_backward(d->t[0], d->dy, d->y, d->n);
    one_backward(d->t[1], d->t[0], b, d->n);
    one_backward(d->dx, d->t[1], a, d->n);
}

const struct Recompute *recomputes(void)
{
    static const struct Recompute ladder[] = {
        { "v1", 6, 15, v1_forward, v1_backward },
        { "v2", 2, 9, forward<3, 2>, backward<3, 2, true> },
        { "v3", 2, 8, forward<3, 2>, backward<3, 2, false> },
        { "v4", 2, 6, forward<3, 1>, backward<3, 1, false> },
        { "v5", 2, 5, forward<3, 0>, backward<3, 0, false> },
        { NULL, 0, 0, NULL, NULL },
    };
    return ladder;
}

size_t sigmoids_kept(size_t n, int arrays)
{
    return whole(n) * (size_t)arrays;
}

/* chains of several depths */
typedef void pass(const struct Sigmoids *d);

template <int DEPTH>
static pass *pass_of(bool keep, bool back)
{
    if (back)
        return keep ? backward<DEPTH, DEPTH - 1, false>
                    : backward<DEPTH, 0, false>;
    return keep ? forward<DEPTH, DEPTH - 1> : forward<DEPTH, 0>;
}

static void chain(const struct Sigmoids *d, int depth, bool keep, bool back)
{
    pass *run = depth == 2 ? pass_of<2>(keep, back)
              : depth == 3 ? pass_of<3>(keep, back)
              : depth == 4 ? pass_of<4>(keep, back)
              : depth == 6 ? pass_of<6>(keep, back)
              : depth == 8 ? pass_of<8>(keep, back)
              : depth == 12 ? pass_of<12>(keep, back)
              : depth == 16 ? pass_of<16>(keep, back) : NULL;
    if (!run)
        fail("chains of %d sigmoids have not been compiled", depth);
    run(d);
}

void chain_forward(const struct Sigmoids *d, int depth, bool keep)
{
    chain(d, depth, keep, false);
}

void chain_backward(const struct Sigmoids *d, int depth, bool keep)
{
    chain(d, depth, keep, true);
}
