/* Tangled from chapters/workshop/foreign-features.nw, "Kernels that launch kernels".  Edit it there. */

/* Launches in kernels. */
#ifndef SIMT_CHILD_H
#define SIMT_CHILD_H

extern "C" __device__ void simt_launch_child(const void *tag,
                                             const void *what);
#if __cplusplus >= 201703L
template <auto kernel> __device__ char simt_child_tag;

/* arguments of a kernel, packed */
#define SIMT_IN_CHILD __device__ inline \
    __attribute__((always_inline, nodebug))
template <class... P> struct simt_room { enum { bytes = 0 }; };
template <class T, class... P> struct simt_room<T, P...> {
    enum { bytes = sizeof(T) + alignof(T) + simt_room<P...>::bytes };
};
template <class T>
SIMT_DEVICE void simt_put(char *to, unsigned *at, const T &x)
{
    *at = (*at + alignof(T) - 1) / alignof(T) * alignof(T);
    __builtin_memcpy(to + *at, &x, sizeof x);
    *at += sizeof x;
}

template <class K, K kernel> struct simt_child;
template <class... P, void (*kernel)(P...)>
struct simt_child<void (*)(P...), kernel> {
    struct alignas(16) {
        unsigned grid[3], block[3], shared, bytes;
        char arguments[simt_room<P...>::bytes + 16];
    } what;
    SIMT_IN_CHILD simt_child &on(dim3 g, dim3 b, size_t shared = 0,
                                 cudaStream_t = nullptr)
    {
        what.grid[0] = g.x, what.grid[1] = g.y, what.grid[2] = g.z;
        what.block[0] = b.x, what.block[1] = b.y, what.block[2] = b.z;
        what.shared = (unsigned)shared;
        return *this;
    }
    SIMT_IN_CHILD void operator()(P... p)
    {
        what.bytes = 0;
        int all[] = { 0, (simt_put(what.arguments, &what.bytes, p), 0)... };
        (void)all;
        simt_launch_child(&simt_child_tag<kernel>, &what);
    }
};
#define SIMT_CHILD(...) \
    simt_child<decltype(&__VA_ARGS__), &__VA_ARGS__>()
#else
struct simt_child {
    template <class... A> __device__ simt_child &on(A...)
        __attribute__((unavailable("simtcc: a launch in a kernel needs "
                                   "-std=c++17")));
    template <class... A> __device__ void operator()(A...) {}
};
#define SIMT_CHILD(...) simt_child()
#endif

/* the device's side of the host's calls */
SIMT_DEVICE cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned)
{
    *s = nullptr;
    return cudaSuccess;
}
SIMT_DEVICE cudaError_t cudaStreamDestroy(cudaStream_t)
{
    return cudaSuccess;
}
SIMT_DEVICE cudaError_t cudaMalloc(void **p, size_t bytes)
{
    *p = malloc(bytes);
    return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
SIMT_DEVICE cudaError_t cudaFree(void *p)
{
    free(p);
    return cudaSuccess;
}
SIMT_DEVICE cudaError_t cudaGetLastError(void) { return cudaSuccess; }
SIMT_DEVICE cudaError_t cudaPeekAtLastError(void) { return cudaSuccess; }
__device__ cudaError_t cudaDeviceSynchronize(void)
    __attribute__((unavailable("simtcc: since CUDA 12 a kernel cannot wait "
                               "for its children: go on in a kernel that "
                               "is launched after them")));
#define cudaStreamFireAndForget ((cudaStream_t)0x3)
#define cudaStreamTailLaunch    ((cudaStream_t)0x4)

#endif
