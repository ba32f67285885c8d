/* A variable is set in one lane and read in all by a shuffle. */
#include "undefined.h"

/* one atomic operation for each warp; all lanes receive what it returned */
#define BROADCAST(name, T, Word)                                        \
    KERNEL(name)                                                        \
    {                                                                   \
        T v;                                                            \
        if (LANE == 0)                                                  \
            v = (T)(atomicAdd(count, 1) + 1);                           \
        v = (T)__shfl_sync(0xffffffff, (Word)v, 0);                     \
        out[threadIdx.x] = (Number)v;                                   \
    }
#define BROADCAST_EXPECT(name, T)                                       \
    EXPECT(name)                                                        \
    {                                                                   \
        for (int i = 0; i < N; i++)                                     \
            out[i] = (Number)(T)(i / 32 + 1);                           \
        count[0] = 2;                                                   \
    }
enum Colour { RED, GREEN, BLUE, BLACK };
#define TYPES(X)                                                        \
    X(a_char, signed char, int)                                         \
    X(a_short, short, int)                                              \
    X(an_int, int, int)                                                 \
    X(an_unsigned, unsigned, unsigned)                                  \
    X(a_float, float, float)                                            \
    X(a_long, long, long)                                               \
    X(a_long_long, long long, long long)                                \
    X(an_unsigned_long_long, unsigned long long, unsigned long long)    \
    X(a_double, double, double)                                         \
    X(a_bool, bool, int)                                                \
    X(an_enum, Colour, int)
#define DEFINE(name, T, Word) BROADCAST(name, T, Word) BROADCAST_EXPECT(name, T)
TYPES(DEFINE)

struct Pair { int first; float second; };
KERNEL(a_member)
{
    Pair p;
    if (LANE == 0) {
        p.first = atomicAdd(count, 3);
        p.second = 0.5f;
    }
    p.first = __shfl_sync(0xffffffff, p.first, 0);
    p.second = __shfl_sync(0xffffffff, p.second, 0);
    out[threadIdx.x] = p.first + (Number)(2 * p.second);
}
EXPECT(a_member)
{
    for (int i = 0; i < N; i++)
        out[i] = 3 * (i / 32) + 1;
    count[0] = 6;
}

KERNEL(a_pointer)
{
    const float *p;
    if (LANE == 0)
        p = in + atomicAdd(count, 4);
    p = (const float *)__shfl_sync(0xffffffff, (unsigned long long)p, 0);
    out[threadIdx.x] = (Number)p[LANE % 4];
}
EXPECT(a_pointer)
{
    for (int i = 0; i < N; i++)
        out[i] = (Number)in[i / 32 * 4 + i % 4];
    count[0] = 8;
}

/* the other shuffles, and a segment of eight lanes */
KERNEL(down_and_up)
{
    int v;
    if (LANE % 8 == 7)
        v = atomicAdd(count, 1) * atomicAdd(count + 1, 0) + LANE;
    int down = __shfl_down_sync(0xffffffff, v, 7, 8);
    int up = __shfl_up_sync(0xffffffff, v, 1, 32);
    int other = __shfl_xor_sync(0xffffffff, v, 7);
    out[threadIdx.x] = LANE % 8 == 0 ? down + other + (LANE ? up : 0) : 0;
}
EXPECT(down_and_up)
{
    for (int i = 0; i < N; i++) {
        int lane = i % 32;
        out[i] = lane % 8 ? 0 : 2 * (lane + 7) + (lane ? lane - 1 : 0);
    }
    count[0] = 8;
}

/* a persistent warp: the leader fetches the next tile until none is left */
KERNEL(a_loop)
{
    Number sum = 0;
    for (;;) {
        int tile;
        if (LANE == 0)
            tile = atomicAdd(count, 1);
        tile = __shfl_sync(0xffffffff, tile, 0);
        if (tile >= 10)
            break;
        sum += tile;
        atomicAdd(count + 1, 1);
    }
    out[threadIdx.x] = sum > 45;
}
EXPECT(a_loop)
{
    (void)out;
    count[0] = 12;
    count[1] = 320;
}

/* set in another lane in each turn, and kept from turn to turn */
KERNEL(a_rotating_lane)
{
    int v;
    Number sum = 0;
    for (int i = 0; i < n - 8; i++) {
        if (LANE == i)
            v = atomicAdd(count + threadIdx.x / 32, 1);
        sum += __shfl_sync(0xffffffff, v, i) * (i + 1);
    }
    out[threadIdx.x] = sum;
}
EXPECT(a_rotating_lane)
{
    for (int t = 0; t < N; t++)
        for (int i = 0; i < 32; i++)
            out[t] += i * (i + 1);
    count[0] = count[1] = 32;
}

/* through __syncwarp, and through the shared memory of the leader */
KERNEL(shared_memory)
{
    __shared__ int slot[2], twice[2];
    int v;
    if (LANE == 0)
        v = atomicAdd(count, 5);
    __syncwarp();
    if (LANE == 0)
        slot[threadIdx.x / 32] = v;
    __syncwarp();
    int w = slot[threadIdx.x / 32];
    __syncthreads();
    if (LANE == 0)
        twice[threadIdx.x / 32] = 2 * v;
    __syncthreads();
    out[threadIdx.x] = w + twice[threadIdx.x / 32];
}
EXPECT(shared_memory)
{
    for (int i = 0; i < N; i++)
        out[i] = i / 32 * 15;
    count[0] = 10;
}

int main(int argc, char **argv)
{
#define NAME(name, T, Word) CASE(name),
    static const Case cases[] = {
        TYPES(NAME)
        CASE(a_member), CASE(a_pointer), CASE(down_and_up), CASE(a_loop), CASE(a_rotating_lane),
        CASE(shared_memory),
    };
    return run_all(cases, argc, argv);
}
