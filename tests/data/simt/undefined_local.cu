/* Values that some lanes do not have, in local memory: arrays with an index
 * of the lane, variables and structures that functions reach by an address,
 * and at -O0 what a function returns.  The results are right; the sanitizer
 * reports that bytes never written are read. */
#include "undefined.h"

/* each lane fetches another variable; every shuffle reads one lane */
KERNEL(an_array)
{
    int v[4];
    if (LANE < 4)
        v[LANE] = atomicAdd(count + LANE, LANE + 1);
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += __shfl_sync(0xffffffff, v[i], i);
    out[threadIdx.x] = sum;
}
EXPECT(an_array)
{
    for (int i = 0; i < N; i++)
        out[i] = i / 32 * 10;
    for (int i = 0; i < 4; i++)
        count[i] = 2 * (i + 1);
}

/* the other lanes end without a return statement, which nvcc only warns of */
#pragma clang diagnostic ignored "-Wreturn-type"
__device__ int fall(int *count)
{
    if (LANE == 0)
        return atomicAdd(count, 32);
}
__device__ __attribute__((noinline)) int fall_called(int *count)
{
    if (LANE == 0)
        return atomicAdd(count, 32);
}
RETURNED(return_missing, fall(count))
RETURNED(return_missing_noinline, fall_called(count))

__device__ __attribute__((noinline)) void fetch_to(int *to, int *count)
{
    if (LANE == 0)
        *to = atomicAdd(count, 32);
}
KERNEL(through_pointer_noinline)
{
    int v;
    fetch_to(&v, count);
    out[threadIdx.x] = __shfl_sync(~0u, v, 0) + LANE;
}
EXPECT(through_pointer_noinline) { return_missing_expect(out, count, in, n); }

struct Parts { float a, b; bool c; char d; };
__device__ Parts swap(Parts p)
{
    float t = p.a;
    p.a = p.b;
    p.b = t;
    return p;
}
__device__ __attribute__((noinline)) Parts swap_called(Parts p)
{
    return swap(p);
}
#define STRUCTURE(name, call)                                           \
    KERNEL(name)                                                        \
    {                                                                   \
        Parts p;                                                        \
        if (LANE == 0)                                                  \
            p.a = (float)atomicAdd(count, 32);                          \
        p = call;                                                       \
        out[threadIdx.x] = (Number)__shfl_sync(~0u, p.b, 0) + LANE;     \
    }                                                                   \
    EXPECT(name) { return_missing_expect(out, count, in, n); }
STRUCTURE(structure, swap(p))
STRUCTURE(structure_noinline, swap_called(p))

int main(int argc, char **argv)
{
    static const Case cases[] = {
        CASE(an_array), CASE(return_missing), CASE(return_missing_noinline),
        CASE(through_pointer_noinline), CASE(structure),
        CASE(structure_noinline),
    };
    return run_all(cases, argc, argv);
}
