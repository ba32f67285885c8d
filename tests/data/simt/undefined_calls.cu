/* Values that some lanes do not have are passed to functions, and returned. */
#include "undefined.h"

/* ---- by-value arguments of functions that are inlined, and of others ---- */
__device__ float pick(float v, int i) { return i ? v : 0.0f; }
__device__ __attribute__((noinline)) float pick_called(float v, int i)
{
    return i ? v : 0.0f;
}
__device__ __forceinline__ float pick_forced(float v, bool i)
{
    return i ? v : 0.0f;
}
template <class T> __device__ T pick_template(T v, bool i)
{
    return i ? v : T(0);
}

#define ARGUMENT(name, call)                                            \
    KERNEL(name)                                                        \
    {                                                                   \
        float v;                                                        \
        int i = threadIdx.x;                                            \
        bool inside = i < n;                                            \
        if (inside)                                                     \
            v = in[i];                                                  \
        out[i] = (Number)(call);                                        \
    }                                                                   \
    EXPECT(name)                                                        \
    {                                                                   \
        for (int i = 0; i < n; i++)                                     \
            out[i] = (Number)in[i];                                     \
    }
ARGUMENT(argument_inline, pick(v, inside))
ARGUMENT(argument_noinline, pick_called(v, inside))
ARGUMENT(argument_forceinline, pick_forced(v, inside))
ARGUMENT(argument_template, pick_template(v, inside))
ARGUMENT(argument_of_lambda,
         [](float x, bool y) { return y ? x : 0.0f; }(v, inside))
ARGUMENT(argument_of_argument, pick(pick(v, inside), inside))

/* a member function, whose object is a local variable without a value */
struct Cell {
    float value;
    bool full;
    __device__ float get(void) const { return full ? value : 0.0f; }
    __device__ Cell plus(Cell c) const
    {
        return Cell{ get() + c.get(), full || c.full };
    }
};
KERNEL(argument_object)
{
    Cell c, d;
    int i = threadIdx.x;
    c.full = i < n;
    d.full = i + 1 < n;
    if (c.full)
        c.value = in[i];
    if (d.full)
        d.value = in[i + 1];
    out[i] = (Number)c.plus(d).get();
}
EXPECT(argument_object)
{
    for (int i = 0; i < n; i++)
        out[i] = (Number)(in[i] + (i + 1 < n ? in[i + 1] : 0));
}

/* a leader's atomic operation, and a function that broadcasts */
__device__ int from_leader(int v) { return __shfl_sync(~0u, v, 0); }
__device__ __attribute__((noinline)) int from_leader_called(int v)
{
    return __shfl_sync(~0u, v, 0);
}
__device__ __attribute__((noinline)) unsigned long long twice(bool leader,
                                                 unsigned long long v)
{
    return leader ? 2 * v : 0;
}
template <class T> __device__ T broadcast(T v, int from)
{
    return __shfl_sync(~0u, v, from);
}
template <class T> __device__ T broadcast_reference(const T &v, int from)
{
    return __shfl_sync(~0u, v, from);
}
#define LEADER(name, call)                                              \
    KERNEL(name)                                                        \
    {                                                                   \
        int v;                                                          \
        if (LANE == 0)                                                  \
            v = atomicAdd(count, 32);                                   \
        out[threadIdx.x] = call + LANE;                                 \
    }                                                                   \
    EXPECT(name)                                                        \
    {                                                                   \
        for (int i = 0; i < N; i++)                                     \
            out[i] = i;                                                 \
        count[0] = 64;                                                  \
    }
LEADER(leader_inline, from_leader(v))
LEADER(leader_noinline, from_leader_called(v))
LEADER(leader_plus, __shfl_sync(~0u, v + 1, 0) - 1)
LEADER(leader_lambda, [](int x) { return __shfl_sync(~0u, x, 0); }(v))
LEADER(leader_template, broadcast(v, 0))
LEADER(leader_reference, broadcast_reference(v, 0))
LEADER(leader_wide,
       (int)(__shfl_sync(~0u, twice(LANE == 0, v), 0) / 2))

/* ---- returned values ------------------------------------------------------ */
__device__ int fetch(int *count)
{
    int v;
    if (LANE == 0)
        v = atomicAdd(count, 32);
    return v;
}
__device__ __attribute__((noinline)) int fetch_called(int *count)
{
    int v;
    if (LANE == 0)
        v = atomicAdd(count, 32);
    return v;
}
__device__ bool fetch_bool(int *count)
{
    bool v;
    if (LANE == 0)
        v = atomicAdd(count, 32) > 0;
    return v;
}
RETURNED(return_inline, fetch(count))
RETURNED(return_noinline, fetch_called(count))
RETURNED(return_bool, fetch_bool(count) * 32)

/* a value that comes back through a pointer */
__device__ void fetch_to(int *to, int *count)
{
    if (LANE == 0)
        *to = atomicAdd(count, 32);
}
__device__ void fetch_to_reference(int &to, int *count)
{
    if (LANE == 0)
        to = atomicAdd(count, 32);
}
#define STORED(name, call)                                              \
    KERNEL(name)                                                        \
    {                                                                   \
        int v;                                                          \
        call;                                                           \
        out[threadIdx.x] = __shfl_sync(~0u, v, 0) + LANE;               \
    }                                                                   \
    EXPECT(name)                                                        \
    {                                                                   \
        for (int i = 0; i < N; i++)                                     \
            out[i] = i;                                                 \
        count[0] = 64;                                                  \
    }
STORED(through_pointer, fetch_to(&v, count))
STORED(through_reference, fetch_to_reference(v, count))

/* arguments of atomic operations, and of mathematics */
KERNEL(argument_of_atomic)
{
    int v, i = threadIdx.x;
    int *to;
    if (i < n)
        v = (int)in[i] + 3, to = count + i % 4;
    if (i < n)
        atomicAdd(to, v);
    float x;
    if (i < n)
        x = in[i] + 2.0f;
    float root = sqrtf(x);
    out[i] = i < n ? (Number)(root * root + 0.5f) : 0;
}
EXPECT(argument_of_atomic)
{
    for (int i = 0; i < n; i++) {
        count[i % 4] += (int)in[i] + 3;
        out[i] = (Number)(in[i] + 2.0f);
    }
}

int main(int argc, char **argv)
{
    static const Case cases[] = {
        CASE(argument_inline), CASE(argument_noinline),
        CASE(argument_forceinline), CASE(argument_template),
        CASE(argument_of_lambda), CASE(argument_of_argument),
        CASE(argument_object), CASE(argument_of_atomic),
        CASE(leader_inline), CASE(leader_noinline), CASE(leader_wide),
        CASE(leader_plus), CASE(leader_lambda), CASE(leader_template),
        CASE(leader_reference),
        CASE(return_inline), CASE(return_noinline), CASE(return_bool),
        CASE(through_pointer), CASE(through_reference),
    };
    return run_all(cases, argc, argv);
}
