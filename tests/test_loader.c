/* The loader: every window once per epoch, whatever the number of shards
 * and ranks; each row names the mistake that it would catch. */
#include "data/loader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "scratch.h"

static char pattern[64];

/* Three shards; the token at place i of all of them together is i. */
static const size_t counts[3] = { 101, 34, 257 };

static int make_shards(void **state)
{
    if (make_dir(state) != 0)
        return -1;
    uint16_t token = 0;
    for (int k = 0; k < 3; k++) {
        char path[96];
        struct ShardWriter w;
        struct Error e;
        snprintf(path, sizeof path, "%s/s-%d.bin", dir, k);
        if (!shard_create(&w, path, &e))
            return -1;
        for (size_t i = 0; i < counts[k]; i++, token++)
            shard_append(&w, &token, 1);
        if (!shard_finish(&w, &e))
            return -1;
    }
    snprintf(pattern, sizeof pattern, "%s/s-*.bin", dir);
    return 0;
}

static struct Loader open_loader(int T, bool shuffle, uint64_t seed,
                                 int rank, int world)
{
    struct LoaderConfig c = { pattern, T, 392, shuffle, seed, rank, world };
    struct Loader l;
    struct Error e;
    if (!loader_open(&l, &c, &e))
        fail_msg("%s", e.text);
    return l;
}

static void counts_windows(void **state)
{
    (void)state;
    static const int Ts[] = { 1, 2, 7, 32, 33 };
    for (size_t k = 0; k < sizeof Ts / sizeof *Ts; k++) {
        struct Loader l = open_loader(Ts[k], false, 0, 0, 1);
        size_t T = (size_t)Ts[k];
        assert_int_equal(l.windows, 100 / T + 33 / T + 256 / T);
        assert_int_equal(l.tokens, 392);
        loader_close(&l);
    }
}

static void file_order(void **state)
{
    (void)state;
    enum { T = 33, B = 11 };            /* 3 + 1 + 7 windows */
    struct Loader l = open_loader(T, false, 0, 0, 1);
    int32_t tokens[B * T + 8], targets[B * T + 8];
    memset(tokens, 0xAA, sizeof tokens);
    memset(targets, 0xAA, sizeof targets);
    loader_batch(&l, tokens, targets, 0, B);
    for (int b = 0; b < B; b++) {
        int start = b < 3 ? b * T : b == 3 ? 101 : 135 + (b - 4) * T;
        for (int t = 0; t < T; t++) {
            assert_int_equal(tokens[b * T + t], start + t);
            assert_int_equal(targets[b * T + t], start + t + 1);
        }
    }
    for (int i = B * T; i < B * T + 8; i++) {
        assert_int_equal(tokens[i], (int32_t)0xAAAAAAAA);
        assert_int_equal(targets[i], (int32_t)0xAAAAAAAA);
    }
    loader_close(&l);
}

static void every_window_once_per_epoch(void **state)
{
    (void)state;
    static const int Ts[] = { 1, 2, 3, 7, 32, 33 };
    for (uint64_t seed = 0; seed < 20; seed++)
        for (size_t k = 0; k < sizeof Ts / sizeof *Ts; k++) {
            struct Loader l = open_loader(Ts[k], true, seed, 0, 1);
            for (uint64_t epoch = 0; epoch < 3; epoch++) {
                char seen[400] = {0};
                for (uint64_t i = 0; i < l.windows; i++) {
                    uint64_t w = loader_window(&l, epoch * l.windows + i);
                    assert_true(w < l.windows);
                    assert_int_equal(seen[w], 0);
                    seen[w] = 1;
                }
            }
            loader_close(&l);
        }
}

static void epochs_and_seeds_differ(void **state)
{
    (void)state;
    struct Loader a = open_loader(1, true, 1, 0, 1);
    struct Loader b = open_loader(1, true, 2, 0, 1);
    size_t fixed = 0, same = 0, again = 0;
    for (uint64_t i = 0; i < a.windows; i++) {
        uint64_t w = loader_window(&a, i);
        fixed += w == i;
        same += w == loader_window(&b, i);
        again += w == loader_window(&a, a.windows + i);
    }
    assert_true(fixed < 10 && same < 10 && again < 10); /* 1 expected */
    loader_close(&a);
    loader_close(&b);
}

/* 4! = 24 orders of 4 windows, each expected 1000 times in 24,000 seeds:
 * chi square with 23 degrees of freedom exceeds 60 once in 30,000. */
static void every_order_is_as_likely(void **state)
{
    (void)state;
    struct Loader l = open_loader(33, true, 0, 0, 1);
    l.windows = 4;
    int count[256] = {0}, orders = 0;
    for (uint64_t seed = 0; seed < 24000; seed++) {
        l.config.seed = seed;
        int code = 0;
        for (uint64_t i = 0; i < 4; i++)
            code = 4 * code + (int)loader_window(&l, i);
        count[code]++;
    }
    double chi = 0;
    for (int i = 0; i < 256; i++)
        if (count[i]) {
            orders++;
            chi += (count[i] - 1000.0) * (count[i] - 1000.0) / 1000.0;
        }
    assert_int_equal(orders, 24);
    if (!(chi < 60))
        fail_msg("chi square %.1f over 23 degrees of freedom", chi);
    loader_close(&l);
}

/* Where window 0 of 1000 goes, and who follows it: both spread evenly. */
static void places_are_spread(void **state)
{
    (void)state;
    struct Loader l = open_loader(33, true, 0, 0, 1);
    l.windows = 1000;
    double place[10] = {0}, gap[10] = {0}, chi = 0;
    for (uint64_t seed = 0; seed < 5000; seed++) {
        l.config.seed = seed;
        uint64_t a = loader_window(&l, 0), b = loader_window(&l, 1);
        place[a / 100]++;
        gap[(b + 1000 - a) % 1000 / 100]++;
    }
    for (int i = 0; i < 10; i++)
        chi += (place[i] - 500) * (place[i] - 500) / 500
             + (gap[i] - 500) * (gap[i] - 500) / 500;
    if (!(chi < 50))                    /* 18 degrees of freedom */
        fail_msg("chi square %.1f", chi);
    loader_close(&l);
}

/* As tests/reference/drawn.py finds from the words of the chapter. */
static const struct { uint64_t seed, epoch, to[6]; } drawn[] = {
    { 0x0, 0x0, { 10, 591, 425, 25, 652, 176 } },
    { 0x0, 0x1, { 303, 795, 396, 56, 253, 586 } },
    { 0x0, 0x200000000, { 758, 40, 706, 937, 616, 430 } },
    { 0x123456789abcdef0, 0x0, { 808, 680, 227, 175, 667, 709 } },
    { 0x123456789abcdef0, 0x1, { 266, 999, 411, 306, 234, 433 } },
    { 0x123456789abcdef0, 0x200000000, { 705, 430, 936, 383, 941, 697 } },
};

static void order_is_as_specified(void **state)
{
    (void)state;
    struct Loader l = open_loader(33, true, 0, 0, 1);
    l.windows = 1000;
    for (size_t k = 0; k < sizeof drawn / sizeof *drawn; k++) {
        l.config.seed = drawn[k].seed;
        for (uint64_t i = 0; i < 6; i++)
            assert_int_equal(drawn[k].to[i],
                loader_window(&l, drawn[k].epoch * l.windows + i));
    }
    loader_close(&l);
}

/* The rows of world ranks are the rows of one rank with a larger batch. */
static void ranks_share_one_sequence(void **state)
{
    (void)state;
    enum { T = 7, B = 3, WORLD = 4 };
    struct Loader one = open_loader(T, true, 9, 0, 1);
    int32_t all[2][WORLD * B * T], mine[2][B * T];
    for (uint64_t first = 0; first < 200; first += WORLD * B) {
        loader_batch(&one, all[0], all[1], first, WORLD * B);
        for (int r = 0; r < WORLD; r++) {
            struct Loader l = open_loader(T, true, 9, r, WORLD);
            loader_batch(&l, mine[0], mine[1], first, B);
            assert_memory_equal(mine[0], all[0] + r * B * T,
                                sizeof mine[0]);
            assert_memory_equal(mine[1], all[1] + r * B * T,
                                sizeof mine[1]);
            loader_close(&l);
        }
    }
    loader_close(&one);
}

static void refuse(const char *glob, int T, int V, const char *message)
{
    struct LoaderConfig c = { glob, T, V, true, 0, 0, 1 };
    struct Loader l;
    struct Error e = { "" };
    if (loader_open(&l, &c, &e))
        fail_msg("%s T=%d V=%d is accepted", glob, T, V);
    if (!strstr(e.text, message))
        fail_msg("\"%s\" does not say \"%s\"", e.text, message);
}

static void bad_data_is_refused(void **state)
{
    (void)state;
    refuse("/nowhere/*.bin", 4, 392, "no such shard");
    refuse(pattern, 34, 392, "34 tokens; a sequence of 34");
    refuse(pattern, 33, 391, "token 256 (byte 1536) is 391");
    refuse("/dev/null", 4, 392, "/dev/null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_windows),
        cmocka_unit_test(file_order),
        cmocka_unit_test(every_window_once_per_epoch),
        cmocka_unit_test(epochs_and_seeds_differ),
        cmocka_unit_test(every_order_is_as_likely),
        cmocka_unit_test(places_are_spread),
        cmocka_unit_test(order_is_as_specified),
        cmocka_unit_test(ranks_share_one_sequence),
        cmocka_unit_test(bad_data_is_refused),
    };
    return cmocka_run_group_tests(tests, make_shards, remove_dir);
}
