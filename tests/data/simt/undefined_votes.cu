/* Votes, matches and reductions over values that some lanes do not have, and
 * atomic operations that one lane performs for several. */
#include "undefined.h"

/* ---- votes ---------------------------------------------------------------- */
KERNEL(ballot)
{
    bool p;
    int i = threadIdx.x;
    bool inside = i < n;
    if (inside)
        p = in[i] > 0;
    unsigned lanes = __ballot_sync(~0u, inside);
    out[i] = __ballot_sync(~0u, p) & lanes;
}
EXPECT(ballot)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 32; j++)
            if (i / 32 * 32 + j < n && in[i / 32 * 32 + j] > 0)
                out[i] |= 1u << j;
}
KERNEL(ballot_and)
{
    float v;
    int i = threadIdx.x;
    bool inside = i < n;
    if (inside)
        v = in[i];
    out[i] = __ballot_sync(~0u, inside && v > 0);
}
EXPECT(ballot_and) { ballot_expect(out, count, in, n); }
KERNEL(any_and_all)
{
    float v;
    int i = threadIdx.x;
    bool inside = i < n;
    if (inside)
        v = in[i];
    out[i] = __any_sync(~0u, inside && v > 3) * 2 +
             __all_sync(~0u, !inside || v >= -2);
}
EXPECT(any_and_all)
{
    for (int i = 0; i < N; i++)
        out[i] = 3;
}
/* the vote of lanes 0 to 7 alone, in a branch */
KERNEL(vote_in_a_branch)
{
    int v;
    if (LANE < 8)
        v = atomicAdd(count + LANE % 4, 1);
    if (LANE < 8)
        out[threadIdx.x] = __any_sync(0xff, v == 3) +
                           2 * __all_sync(0xff, v >= 0) +
                           4 * __popc(__ballot_sync(0xff, v >= 2));
}
EXPECT(vote_in_a_branch)
{
    for (int i = 0; i < N; i++)
        out[i] = i % 32 >= 8 ? 0 : i < 32 ? 2 : 1 + 2 + 32;
    for (int i = 0; i < 4; i++)
        count[i] = 4;
}
KERNEL(barrier_votes)
{
    float v;
    int i = threadIdx.x;
    bool inside = i < n;
    if (inside)
        v = in[i];
    out[i] = __syncthreads_count(inside && v > 0) * 4 +
             __syncthreads_or(inside && v > 3) * 2 +
             __syncthreads_and(!inside || v >= -2);
}
EXPECT(barrier_votes)
{
    int positive = 0;
    for (int i = 0; i < n; i++)
        positive += in[i] > 0;
    for (int i = 0; i < N; i++)
        out[i] = positive * 4 + 2 + 1;
}

/* ---- matches and reductions ------------------------------------------------ */
KERNEL(match)
{
    int v, i = threadIdx.x;
    bool inside = i < n;
    if (inside)
        v = (int)in[i];
    unsigned lanes = __ballot_sync(~0u, inside);
    unsigned alike = __match_any_sync(~0u, v) & lanes;
    out[i] = inside ? alike : 0;
}
EXPECT(match)
{
    for (int i = 0; i < n; i++)
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32 && j < n; j++)
            if (in[i] == in[j])
                out[i] |= 1u << j % 32;
}
KERNEL(match_in_a_branch)
{
    float v;
    int i = threadIdx.x;
    if (i < n)
        v = in[i];
    unsigned lanes = __ballot_sync(~0u, i < n);
    if (i < n)
        out[i] = __match_any_sync(lanes, v);
}
EXPECT(match_in_a_branch) { match_expect(out, count, in, n); }
KERNEL(match_all)
{
    int v, same = 0;
    if (LANE < 8)
        v = atomicAdd(count + LANE % 4, 0) + 7;
    if (LANE < 8)
        out[threadIdx.x] = __match_all_sync(0xff, v, &same);
    out[threadIdx.x] += same;
}
EXPECT(match_all)
{
    for (int i = 0; i < N; i++)
        out[i] = i % 32 < 8 ? 256 : 0;
}
KERNEL(reduce)
{
    unsigned v;
    int i = threadIdx.x;
    if (i < n)
        v = (unsigned)(in[i] + 2);
    unsigned lanes = __ballot_sync(~0u, i < n);
    Number sum = 0;
    if (i < n)
        sum = __reduce_add_sync(lanes, v) + 1000 * __reduce_max_sync(lanes, v) +
              100000 * __reduce_or_sync(lanes, v);
    out[i] = sum;
}
EXPECT(reduce)
{
    for (int i = 0; i < n; i++) {
        Number sum = 0, most = 0, bits = 0;
        for (int j = i / 32 * 32; j < i / 32 * 32 + 32 && j < n; j++) {
            Number v = (Number)in[j] + 2;
            sum += v;
            most = v > most ? v : most;
            bits |= v;
        }
        out[i] = sum + 1000 * most + 100000 * bits;
    }
}

/* ---- one atomic operation for several lanes -------------------------------- */
/* Of the lanes that are active one adds for all; each has its own place. */
__device__ int add_aggregated(int *p)
{
    unsigned active = __activemask();
    int leader = __ffs(active) - 1, base;
    if (LANE == leader)
        base = atomicAdd(p, __popc(active));
    base = __shfl_sync(active, base, leader);
    return base + __popc(active & ((1u << LANE) - 1));
}
KERNEL(aggregated_active)
{
    int i = threadIdx.x;
    if (i < n && in[i] > 0)
        out[i] = 1 + add_aggregated(count);
}
EXPECT(aggregated_active)
{
    for (int i = 0; i < n; i++)
        if (in[i] > 0)
            out[i] = 1 + count[0]++;
}
/* Both sides of a branch begin with the same function. */
KERNEL(aggregated_both_sides)
{
    int i = threadIdx.x;
    if (i % 5 < 2)
        out[i] = add_aggregated(count);
    else
        out[i] = add_aggregated(count + 1);
}
EXPECT(aggregated_both_sides)
{
    for (int i = 0; i < N; i++)
        out[i] = count[i % 5 < 2 ? 0 : 1]++;
}
KERNEL(active_both_sides)
{
    unsigned active;
    if (LANE < 20)
        active = __activemask();
    else
        active = __activemask();
    out[threadIdx.x] = active;
}
EXPECT(active_both_sides)
{
    for (int i = 0; i < N; i++)
        out[i] = i % 32 < 20 ? 0xfffffu : 0xfff00000u;
}
/* The lanes with the same key form a group; a leader adds for each group.
 * The ranks of a group are in the order of its lanes. */
__device__ int add_by_key(int *p, int key, unsigned lanes)
{
    unsigned group = __match_any_sync(lanes, key);
    int leader = __ffs(group) - 1, base;
    if (LANE == leader)
        base = atomicAdd(p + key, __popc(group));
    base = __shfl_sync(group, base, leader);
    return base + __popc(group & ((1u << LANE) - 1));
}
KERNEL(aggregated_match)
{
    int i = threadIdx.x;
    out[i] = add_by_key(count, i * 7 / 3 % 4, ~0u);
}
EXPECT(aggregated_match)
{
    for (int i = 0; i < N; i++)
        out[i] = count[i * 7 / 3 % 4]++;
}
KERNEL(aggregated_match_active)
{
    int i = threadIdx.x;
    if (i < n) {
        int key = (int)(in[i] + 2) % 4;
        out[i] = add_by_key(count, key, __activemask());
    }
}
EXPECT(aggregated_match_active)
{
    for (int i = 0; i < n; i++)
        out[i] = count[(int)(in[i] + 2) % 4]++;
}
/* keys of 64 bits: addresses; the result is not needed */
KERNEL(aggregated_pointers)
{
    int *p;
    int i = threadIdx.x;
    if (i < n)
        p = count + i % 3;
    unsigned active = __ballot_sync(~0u, i < n);
    if (i < n) {
        unsigned group = __match_any_sync(active, (unsigned long long)p);
        if (LANE == __ffs(group) - 1)
            atomicAdd(p, __popc(group));
    }
}
EXPECT(aggregated_pointers)
{
    for (int i = 0; i < n; i++)
        count[i % 3]++;
}

int main(int argc, char **argv)
{
    static const Case cases[] = {
        CASE(ballot), CASE(ballot_and), CASE(any_and_all),
        CASE(vote_in_a_branch), CASE(barrier_votes), CASE(match),
        CASE(match_in_a_branch), CASE(match_all), CASE(reduce),
        CASE(aggregated_active), CASE(aggregated_both_sides),
        CASE(active_both_sides), CASE(aggregated_match),
        CASE(aggregated_match_active), CASE(aggregated_pointers),
    };
    return run_all(cases, argc, argv);
}
