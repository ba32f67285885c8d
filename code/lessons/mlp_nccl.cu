/* Tangled from chapters/workshop/schemes.nw, "mlp-nccl: one source, software devices and GPUs".  Edit it there. */

/* mlp-nccl: an MLP cut over the devices of this process, compared with the
 * whole on one of them.  SIMT_DEVICES=4 makes four software devices. */
#if __has_include(<nccl.h>)
#include <nccl.h>
#endif
#include "backend/cuda.h"
extern "C" {
#include "base/alloc.h"
#include "base/fail.h"
}
#include <cmath>
#include <cstdio>
#include <vector>

#ifdef NCCL_VERSION_CODE

/* sizes and numbers of the MLP */
enum { T = 16, C = 32, H = 128 };

#define NCCL_OK(call)                                                     \
    do {                                                                  \
        ncclResult_t result = (call);                                     \
        if (result != ncclSuccess)                                        \
            fail("%s: %s", #call, ncclGetErrorString(result));            \
    } while (0)

static float number(int i, int seed)
{
    return (float)((i * 37 + seed * 11) % 8 - 4) / 8;
}

static float *on_device(const std::vector<float> &x)
{
    float *p;
    CUDA_OK(cudaMalloc(&p, x.size() * sizeof(float)));
    CUDA_OK(cudaMemcpy(p, x.data(), x.size() * sizeof(float),
                       cudaMemcpyHostToDevice));
    return p;
}

/* a matrix product on a device */
/* y [M][N] = x [M][K] w [K][N], through GELU if asked.
 *   launch   M blocks, any number of threads */
__global__ void multiply(float *y, const float *x, const float *w, int K,
                         int N, bool gelu)
{
    const int i = blockIdx.x;
    for (int j = threadIdx.x; j < N; j += blockDim.x) {
        float s = 0;
        for (int k = 0; k < K; k++)
            s += x[i * K + k] * w[k * N + j];
        y[i * N + j] = gelu ? s / (1 + expf(-1.702f * s)) : s;
    }
}

/* the part of a device */
struct Part { float *x, *w1, *w2, *hidden, *y; };

static struct Part part(int at, int h)
{
    std::vector<float> x(T * C), w1(C * h), w2(h * C), none(T * (h + C));
    for (int i = 0; i < T * C; i++)
        x[i] = number(i, 1);
    for (int i = 0; i < C * h; i++) {
        w1[i] = number(i / h * H + at + i % h, 2);
        w2[i] = number(at * C + i, 3);
    }
    struct Part p = { on_device(x), on_device(w1), on_device(w2), NULL,
                      NULL };
    p.hidden = on_device(none);
    p.y = p.hidden + T * h;
    multiply<<<T, 64>>>(p.hidden, p.x, p.w1, C, h, true);
    CUDA_OK(cudaGetLastError());
    multiply<<<T, 32>>>(p.y, p.hidden, p.w2, h, C, false);
    CUDA_OK(cudaGetLastError());
    return p;
}

static void part_free(const struct Part *p)
{
    CUDA_OK(cudaFree(p->x));
    CUDA_OK(cudaFree(p->w1));
    CUDA_OK(cudaFree(p->w2));
    CUDA_OK(cudaFree(p->hidden));
}

/* the sum of all parts */
static std::vector<struct Part> sum_of_parts(int devices)
{
    std::vector<ncclComm_t> comm(devices);
    std::vector<struct Part> parts(devices);
    NCCL_OK(ncclCommInitAll(comm.data(), devices, NULL));
    for (int r = 0; r < devices; r++) {
        CUDA_OK(cudaSetDevice(r));
        parts[r] = part(r * (H / devices), H / devices);
    }
    NCCL_OK(ncclGroupStart());
    for (int r = 0; r < devices; r++)
        NCCL_OK(ncclAllReduce(parts[r].y, parts[r].y, T * C, ncclFloat,
                              ncclSum, comm[r], 0));
    NCCL_OK(ncclGroupEnd());
    for (int r = 0; r < devices; r++) {
        CUDA_OK(cudaSetDevice(r));
        CUDA_OK(cudaDeviceSynchronize());
        NCCL_OK(ncclCommDestroy(comm[r]));
    }
    return parts;
}

/* compare the parts with the whole */
static std::vector<float> fetch(const struct Part *p)
{
    std::vector<float> y(T * C);
    CUDA_OK(cudaDeviceSynchronize());
    CUDA_OK(cudaMemcpy(y.data(), p->y, y.size() * sizeof(float),
                       cudaMemcpyDeviceToHost));
    return y;
}

static int compare(int devices)
{
    CUDA_OK(cudaSetDevice(0));
    struct Part whole = part(0, H);
    const std::vector<float> one = fetch(&whole);
    std::vector<struct Part> parts = sum_of_parts(devices);
    double worst = 0, largest = 0;
    for (float y : one)
        largest = fabs(y) > largest ? fabs(y) : largest;
    for (int r = 0; r < devices; r++) {
        CUDA_OK(cudaSetDevice(r));
        const std::vector<float> y = fetch(&parts[r]);
        for (int i = 0; i < T * C; i++)
            if (!(fabs(y[i] - one[i]) / largest <= worst))
                worst = fabs(y[i] - one[i]) / largest;
        part_free(&parts[r]);
    }
    CUDA_OK(cudaSetDevice(0));
    part_free(&whole);
    /* report the MLP */
    printf("%d devices, difference from one device %.1g of the largest\n",
           devices, worst);
    #ifdef SIMT_LINKS
    printf("device 0 has sent %zu messages and %zu bytes, by the formula %d "
           "and %d\n", simt_link_messages(0, 1), simt_link_bytes(0, 1),
           2 * (devices - 1), 2 * (devices - 1) * T * C * 4 / devices);
    #endif
    if (!(worst < 4e-6))
        fail("the difference is more than the order of additions explains");
    return 0;
}

int main(void)
{
    int devices;
    program_set_name("mlp-nccl");
    CUDA_OK(cudaGetDeviceCount(&devices));
    while (H % devices)
        devices--;
    return compare(devices);
}
#else
int main(void)
{
    program_set_name("mlp-nccl");
    fail("compiled without NCCL: install it, or name its folder with "
         "make NCCL=...");
}
#endif
