/* Branches, choices and loops over values that some lanes do not have. */
#include "undefined.h"

/* ---- a load under a condition, used under the same condition --------------- */
#define LOADED(name, body)                                              \
    KERNEL(name)                                                        \
    {                                                                   \
        float v;                                                        \
        int i = threadIdx.x;                                            \
        bool inside = i < n;                                            \
        if (inside)                                                     \
            v = in[i];                                                  \
        body;                                                           \
    }                                                                   \
    EXPECT(name)                                                        \
    {                                                                   \
        for (int i = 0; i < n; i++)                                     \
            out[i] = (Number)in[i];                                     \
    }
LOADED(choice, out[i] = inside ? (Number)v : 0)
LOADED(choice_reversed, out[i] = !inside ? 0 : (Number)v)
LOADED(choice_of_address, float zero = 0; out[i] = (Number)*(inside ? &v : &zero))
LOADED(branch, if (inside) out[i] = (Number)v)
LOADED(branch_of_opposite, if (!inside) return; out[i] = (Number)v)
LOADED(times_a_flag, out[i] = (Number)fmaxf(inside ? v : -2.0f, -2.0f) * inside)
LOADED(after_a_barrier, __syncthreads(); if (inside) out[i] = (Number)v)
LOADED(after_syncwarp, __syncwarp(); if (inside) out[i] = (Number)v)
LOADED(negative_and_not, Number w = 0;
       if (inside && v < 0) w = (Number)v;
       if (inside && !(v < 0)) w = (Number)v;
       out[i] = w)
LOADED(order_of_conditions, Number w = 0;
       if (v < 0 && inside) w = (Number)v;
       if (!(v < 0) && inside) w = (Number)v;
       out[i] = w)
LOADED(bitwise, Number w = (v < 0) & inside ? (Number)v : 0;
       w += (v >= 0) & inside ? (Number)v : 0; out[i] = w)
LOADED(either, bool skip = !inside || v == 0; out[i] = skip ? 0 : (Number)v)
LOADED(conversion, int w = (int)v; out[i] = inside ? w : 0)
LOADED(in_a_switch, switch (inside) {
       case true: out[i] = (Number)v; break;
       default: out[i] = 0; })

/* values computed from one that is not there, division among them */
LOADED(divided, int e; if (inside) e = (int)in[i] + 3; int q = 100 / e;
       out[i] = inside ? (Number)v + (q == 100 / ((int)v + 3)) - 1 : 0)
LOADED(remainder_of, unsigned e; if (inside) e = (unsigned)(in[i] + 3);
       unsigned q = 100 % e;
       out[i] = inside ? (Number)v + (q == 100 % (unsigned)(v + 3)) - 1 : 0)
LOADED(shifted, int e; if (inside) e = (int)in[i] + 3; int q = 1 << e;
       out[i] = inside ? 31 - __clz(q) - 3 : 0)
LOADED(limited, float w = fminf(fmaxf(v, -5.0f), 5.0f);
       out[i] = inside ? (Number)w : 0)
LOADED(vectors, float4 f; if (inside) f = make_float4(v, v + 1, v + 2, v + 3);
       float4 g = f; out[i] = inside ? (Number)(g.w - 3) : 0)
LOADED(captured, auto f = [=](bool y) { return y ? v : 0.0f; };
       auto g = [&](bool y) { return y ? v : 0.0f; };
       out[i] = (Number)(f(inside) + g(inside)) / 2)
LOADED(inline_ptx, float w;
       asm volatile("mov.b32 %0, %1;" : "=f"(w) : "f"(v));
       out[i] = inside ? (Number)w : 0)
LOADED(flag_and_load, Number w = 0; bool b;
       if (inside) b = v >= 0;
       if (b && inside) w = (Number)in[i];
       if (!b && inside) w = (Number)in[i];
       out[i] = w)
LOADED(flag_around_load, Number w = 0; bool b;
       if (inside) b = v >= 0;
       if (b) { if (inside) w = (Number)in[i]; }
       else { if (inside) w = (Number)in[i]; }
       out[i] = w)
LOADED(switch_on_it, int s; if (inside) s = (int)v;
       switch (s) {
       case -2: if (inside) out[i] = -2; break;
       case -1: if (inside) out[i] = -1; break;
       case 1: case 2: case 3: case 4: if (inside) out[i] = s; break;
       default: if (inside) out[i] = 0; })
LOADED(pointer_chosen, const float *p; if (inside) p = in + i;
       float zero = 0; const float *q = inside ? p : &zero;
       out[i] = (Number)*q)
LOADED(trips, int e; if (inside) e = (int)v + 3;
       Number s = 0; for (int j = 0; inside && j < e; j++) s++;
       out[i] = inside ? s - 3 : 0)
LOADED(trips_asked_first, int e; if (inside) e = (int)v + 3;
       Number s = 0; for (int j = 0; j < e && inside; j++) s++;
       out[i] = inside ? s - 3 : 0)

/* two loads, the second at an index that the first one gives */
KERNEL(chain)
{
    int j, i = threadIdx.x;
    float v;
    if (i < n)
        j = n - 1 - (int)(in[i] + 2);
    if (i < n)
        v = in[j];
    out[i] = i < n ? (Number)v : 0;
}
EXPECT(chain)
{
    for (int i = 0; i < n; i++)
        out[i] = (Number)in[n - 1 - (int)(in[i] + 2)];
}

/* ---- a flag that only the leader has --------------------------------------- */
/* The flag decides what is done, in the leader alone. */
KERNEL(flag_of_the_leader)
{
    bool first;
    if (LANE == 0)
        first = atomicAdd(count, 1) == 0;
    if (LANE == 0 && first)
        atomicAdd(count + 1, 1);
    if (LANE == 0)
        if (!first)
            atomicAdd(count + 2, 1);
    out[threadIdx.x] = __shfl_sync(~0u, first, 0);
}
EXPECT(flag_of_the_leader)
{
    for (int i = 0; i < 32; i++)
        out[i] = 1;
    count[0] = 2;
    count[1] = count[2] = 1;
}
KERNEL(flag_asked_first)
{
    bool first;
    if (LANE == 0)
        first = atomicAdd(count, 1) == 0;
    if (first && LANE == 0)
        atomicAdd(count + 1, 1);
    if (!first && LANE == 0)
        atomicAdd(count + 2, 1);
    out[threadIdx.x] = __shfl_sync(~0u, first, 0);
}
EXPECT(flag_asked_first) { flag_of_the_leader_expect(out, count, in, n); }
/* The last block to arrive finishes the work: as in the programming guide. */
KERNEL(last_to_arrive)
{
    __shared__ bool last;
    unsigned ticket;
    if (threadIdx.x == 0) {
        __threadfence();
        ticket = atomicAdd((unsigned *)count, 1);
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    out[threadIdx.x] = last;
    if (threadIdx.x == 0 && ticket == 0)
        atomicAdd(count + 1, 1);
}
EXPECT(last_to_arrive)
{
    for (int i = 0; i < N; i++)
        out[i] = 1;
    count[0] = count[1] = 1;
}
enum Step { STOP, GO, WAIT };
KERNEL(enum_of_the_leader)
{
    Step s;
    if (LANE == 0)
        s = atomicAdd(count, 1) % 2 ? GO : STOP;
    s = (Step)__shfl_sync(~0u, s, 0);
    switch (s) {
    case STOP: out[threadIdx.x] = 10; break;
    case GO:   out[threadIdx.x] = 20; break;
    case WAIT: out[threadIdx.x] = 30; break;
    }
}
EXPECT(enum_of_the_leader)
{
    for (int i = 0; i < N; i++)
        out[i] = i < 32 ? 10 : 20;
    count[0] = 2;
}

/* ---- loops ------------------------------------------------------------------ */
/* Every lane leaves in another turn; the value is from the last one. */
KERNEL(trip_counts)
{
    int v;
    for (int i = 0; i <= LANE; i++)
        if (i == LANE)
            v = atomicAdd(count + i % 4, 1) < 0 ? 0 : i * i;
    out[threadIdx.x] = __shfl_sync(~0u, v, 31) - v;
}
EXPECT(trip_counts)
{
    for (int t = 0; t < N; t++)
        out[t] = 31 * 31 - (t % 32) * (t % 32);
    for (int i = 0; i < 4; i++)
        count[i] = 16;
}
/* A condition that no turn changes, and a value of the lanes that have it. */
KERNEL(unswitched)
{
    int v;
    Number sum = 0;
    bool leader = LANE == 0;
    for (int i = 0; i < 5; i++) {
        if (leader)
            v = atomicAdd(count, 1);
        sum += __shfl_sync(~0u, v, 0);
        if (leader)
            atomicAdd(count + 1, v);
    }
    out[threadIdx.x] = sum;
}
EXPECT(unswitched)
{
    for (int t = 0; t < N; t++)
        out[t] = t < 32 ? 10 : 35;
    count[0] = 10;
    count[1] = 45;
}
/* A search: the lanes that find something remember where. */
KERNEL(found)
{
    int at;
    bool any = false;
    for (int i = LANE; i < n && !any; i += 8)
        if (in[i] == 4.0f) {
            at = i;
            any = true;
        }
    unsigned lanes = __ballot_sync(~0u, any);
    int first = __shfl_sync(~0u, at, __ffs(lanes) - 1);
    out[threadIdx.x] = any ? at + 100 * first : first;
}
EXPECT(found)
{
    int at[32], first = -1;
    for (int lane = 0; lane < 32; lane++) {
        at[lane] = -1;
        for (int i = lane; i < n && at[lane] < 0; i += 8)
            if (in[i] == 4.0f)
                at[lane] = i;
        if (first < 0)
            first = at[lane];
    }
    for (int t = 0; t < N; t++)
        out[t] = at[t % 32] < 0 ? first : at[t % 32] + 100 * first;
}
KERNEL(leader_in_do)
{
    int v, turns = 0;
    do {
        if (LANE == 0)
            v = atomicAdd(count, 1);
        turns++;
    } while (__shfl_sync(~0u, v, 0) < 9);
    out[threadIdx.x] = turns > 0;
}
EXPECT(leader_in_do)
{
    for (int i = 0; i < N; i++)
        out[i] = 1;
    count[0] = 11;
}
KERNEL(leader_and_continue)
{
    int v;
    for (int i = 0; i < 8; i++) {
        if (LANE == 0)
            v = atomicAdd(count, 1);
        int w = __shfl_sync(~0u, v, 0);
        if (w & 1)
            continue;
        atomicAdd(count + 1, __shfl_sync(~0u, w, 0));
    }
}
EXPECT(leader_and_continue)
{
    (void)out;
    count[0] = 16;
    count[1] = 32 * (0 + 2 + 4 + 6 + 8 + 10 + 12 + 14);
}
/* A leader of eight lanes, then one of the warp. */
KERNEL(leader_in_branch)
{
    int a, b;
    if (LANE < 8) {
        a = atomicAdd(count, 1);
        if (LANE == 0)
            b = atomicAdd(count + 1, 1);
        b = __shfl_sync(0xff, b, 0);
    }
    a = __shfl_sync(~0u, b, LANE % 8);
    out[threadIdx.x] = a;
}
EXPECT(leader_in_branch)
{
    for (int i = 0; i < N; i++)
        out[i] = i / 32;
    count[0] = 16;
    count[1] = 2;
}
/* The same atomic operation on both sides of a branch. */
KERNEL(both_sides)
{
    int v, w;
    if (LANE < 16)
        v = atomicAdd(count, 1);
    else
        v = atomicAdd(count, 1);
    if (LANE == 3)
        w = v < 0 ? 0 : 7;
    out[threadIdx.x] = __shfl_sync(~0u, w, 3);
}
EXPECT(both_sides)
{
    for (int i = 0; i < N; i++)
        out[i] = 7;
    count[0] = 64;
}
/* A tree in which only the lower half has partners. */
KERNEL(tree)
{
    float v = in[LANE], other;
    for (int d = 16; d > 0; d /= 2) {
        float w = __shfl_down_sync(~0u, v, d);
        if (LANE < d)
            other = w;
        if (LANE < d)
            v += other;
    }
    out[threadIdx.x] = LANE == 0 ? (Number)v : 0;
}
EXPECT(tree)
{
    for (int i = 0; i < 32; i++)
        out[0] += (Number)in[i];
    out[32] = out[0];
}

int main(int argc, char **argv)
{
    static const Case cases[] = {
        CASE(choice), CASE(choice_reversed), CASE(choice_of_address),
        CASE(branch), CASE(branch_of_opposite), CASE(times_a_flag),
        CASE(after_a_barrier), CASE(after_syncwarp),
        CASE(negative_and_not), CASE(order_of_conditions), CASE(bitwise),
        CASE(either), CASE(conversion), CASE(in_a_switch), CASE(chain),
        CASE(divided), CASE(remainder_of), CASE(shifted), CASE(limited),
        CASE(vectors), CASE(captured), CASE(inline_ptx),
        CASE(flag_and_load), CASE(flag_around_load), CASE(switch_on_it),
        CASE(pointer_chosen), CASE(trips), CASE(trips_asked_first),
        CASE(leader_in_do), CASE(leader_and_continue),
        CASE(leader_in_branch), CASE(both_sides),
        CASE(flag_of_the_leader), CASE(flag_asked_first),
        CASE(last_to_arrive), CASE(enum_of_the_leader),
        CASE(trip_counts), CASE(unswitched), CASE(found), CASE(tree),
    };
    return run_all(cases, argc, argv);
}
