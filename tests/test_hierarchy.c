/* The pointer chase: one cycle through all lines, whatever their number. */
#include "rows.h"

#include "bench/chase.h"

static void one_cycle(const struct Row *row)
{
    size_t n = (size_t)row_int(row, "n");
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint32_t *next = malloc((n + 1) * sizeof *next);
        memset(next, 0xff, (n + 1) * sizeof *next);
        chase_cycle(next, n, seed);
        assert_int_equal(next[n], 0xffffffff);
        for (size_t i = 0; i < n; i++)
            assert_true(next[i] < n);
        assert_int_equal(chase_length(next, n), n);
        free(next);
    }
}

/* Not the cycle 0, 1, 2 ..., which a prefetcher would guess: the mean
 * distance of two numbers drawn at random from 0..n-1 is n / 3. */
static void far_apart(const struct Row *row)
{
    enum { N = 4096 };
    static uint32_t next[N], again[N], other[N];
    double sum = 0;
    (void)row;
    chase_cycle(next, N, 1);
    chase_cycle(again, N, 1);
    chase_cycle(other, N, 2);
    for (int i = 0; i < N; i++)
        sum += fabs((double)next[i] - i) / N;
    assert_true(fabs(sum - N / 3.0) < N * 0.02);
    assert_memory_equal(next, again, sizeof next);
    assert_true(memcmp(next, other, sizeof next) != 0);
}

/* A permutation of several cycles must be told from one of one. */
static void counts_a_short_cycle(const struct Row *row)
{
    uint32_t two[] = { 1, 0, 3, 2 }, alone[] = { 0, 2, 1 };
    uint32_t never[] = { 1, 2, 1 };     /* 0 is not reached again */
    (void)row;
    assert_int_equal(chase_length(two, 4), 2);
    assert_int_equal(chase_length(alone, 3), 1);
    assert_int_equal(chase_length(never, 3), 4);
}

static const struct Row rows[] = {
    { "chase n=1", one_cycle, "asks for a number below 0" },
    { "chase n=2", one_cycle, "leaves two lines alone" },
    { "chase n=33", one_cycle, "the usual shuffle: several cycles" },
    { "chase n=257", one_cycle, "the first line never exchanged" },
    { "chase n=65536", one_cycle, "16-bit arithmetic" },
    { "chase order", far_apart, "next[i] = i + 1; the seed ignored" },
    { "chase length", counts_a_short_cycle, "always says n" },
};

int main(void)
{
    return rows_run("hierarchy", rows, sizeof rows / sizeof *rows);
}
