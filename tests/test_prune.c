/* Pruning a matrix: which numbers become zero. */
#include "lessons/prune.h"
#include "rows.h"

static struct Error e;

static void fill(float *w, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        w[i] = (float)noise(seed, i);
}

/* Exactly the part asked for is zero, nothing else has changed, and no
 * number that stays is smaller than one that went. */
static void numbers(const struct Row *row)
{
    enum { N = 1001 };
    float w[N], before[N];
    const double part = row_number(row, "part", 0);
    fill(w, N, 3);
    w[7] = -w[8];                       /* equal sizes; one may go */
    memcpy(before, w, sizeof w);
    assert_true(prune_numbers(w, N, part, false, &e));
    size_t zeros = 0;
    double largest = 0, least = INFINITY;
    for (size_t i = 0; i < N; i++)
        if (w[i] == 0) {
            zeros++;
            largest = fmax(largest, fabs((double)before[i]));
        } else {
            assert_true(w[i] == before[i]);
            least = fmin(least, fabs((double)w[i]));
        }
    assert_int_equal(zeros, (size_t)(part * N));
    assert_true(largest <= least);
}

static void at_random(const struct Row *row)
{
    enum { N = 4000 };
    float w[N];
    (void)row;
    fill(w, N, 5);
    double all = 0, gone = 0;
    for (size_t i = 0; i < N; i++)
        all += fabs((double)w[i]) / N;
    assert_true(prune_numbers(w, N, 0.5, true, &e));
    size_t zeros = 0;
    for (size_t i = 0; i < N; i++)
        if (w[i] == 0)
            zeros++;
        else
            gone += fabs((double)w[i]) / (N / 2);
    assert_int_equal(zeros, N / 2);
    assert_true(fabs(gone - all) < 0.05 * all);     /* no choice by size */
}

/* In each column, of each four rows the two smaller ones; what is zero
 * already counts. */
static void two_four(const struct Row *row)
{
    const size_t R = (size_t)row_int(row, "R"), C = (size_t)row_int(row, "C");
    float *w = malloc(R * C * sizeof *w), *before = malloc(R * C * sizeof *w);
    assert_true(w && before);
    fill(w, R * C, 11);
    w[0] = 0;
    w[2 * C] = 0;
    memcpy(before, w, R * C * sizeof *w);
    assert_true(prune_two_four(w, R, C, &e));
    for (size_t r = 0; r < R; r += 4)
        for (size_t c = 0; c < C; c++) {
            int zeros = 0;
            double gone = 0, stays = INFINITY;
            for (size_t i = r; i < r + 4; i++)
                if (w[i * C + c] == 0) {
                    zeros++;
                    gone = fmax(gone, fabs((double)before[i * C + c]));
                } else {
                    assert_true(w[i * C + c] == before[i * C + c]);
                    stays = fmin(stays, fabs((double)w[i * C + c]));
                }
            assert_int_equal(zeros, 2);
            assert_true(gone <= stays);
        }
    free(w);
    free(before);
}

static void blocks(const struct Row *row)
{
    enum { R = 12, C = 20, S = 4 };
    float w[R * C];
    const double part = row_number(row, "part", 0);
    for (size_t i = 0; i < R * C; i++) {        /* one number decides */
        const int rank = (int)((i / C / S * 5 + i % C / S) * 7 % 15);
        const bool middle = i / C % S == 1 && i % C % S == 2;
        w[i] = middle ? (float)(rank + 1) : 0.01f * (float)(15 - rank);
    }
    assert_true(prune_blocks(w, R, C, S, part, &e));
    const int gone = (int)(part * 15);
    for (size_t i = 0; i < R * C; i++) {
        const int rank = (int)((i / C / S * 5 + i % C / S) * 7 % 15);
        assert_true((w[i] == 0) == (rank < gone));
    }
}

static void refused(const struct Row *row)
{
    float w[64];
    (void)row;
    fill(w, 64, 1);
    assert_false(prune_two_four(w, 6, 4, &e));
    assert_false(prune_blocks(w, 8, 6, 4, 0.5, &e));
    assert_false(prune_blocks(w, 6, 8, 4, 0.5, &e));
}

static const struct Row rows[] = {
    { "numbers part=0", numbers, "one number too many" },
    { "numbers part=0.5", numbers, "the sign counts" },
    { "numbers part=0.9", numbers, "the largest go" },
    { "numbers part=1", numbers, "the last one stays" },
    { "random", at_random, "the smallest go" },
    { "two of four R=8 C=3", two_four, "four neighbours in a row" },
    { "two of four R=4 C=1", two_four, "zeros that were there do not count" },
    { "blocks part=0.4", blocks, "a block of one row" },
    { "blocks part=1", blocks, "the last block stays" },
    { "sizes that do not divide", refused, "a part of a group" },
};

int main(void)
{
    return rows_run("prune", rows, sizeof rows / sizeof *rows);
}
