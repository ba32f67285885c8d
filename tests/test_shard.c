/* Shards: what is written comes back; what is not a shard is refused. */
#include "data/shard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "scratch.h"


static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void write_shard(const char *name, size_t count, unsigned modulus)
{
    struct ShardWriter w;
    struct Error e;
    assert_true(shard_create(&w, path_of(name), &e));
    for (size_t i = 0; i < count; i++) {
        uint16_t token = (uint16_t)(i * 7 % modulus);
        shard_append(&w, &token, 1);
    }
    if (!shard_finish(&w, &e))
        fail_msg("%s", e.text);
}

static void tokens_come_back(void **state)
{
    (void)state;
    static const size_t counts[] = { 0, 1, 33, 4096, 4097, 10001 };
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        struct Shard s;
        struct Error e;
        write_shard("a.bin", counts[k], 65536);
        if (!shard_open(&s, path_of("a.bin"), &e))
            fail_msg("%s", e.text);
        assert_int_equal(s.count, counts[k]);
        for (size_t i = 0; i < s.count; i++)
            assert_int_equal(s.token[i], i * 7 % 65536);
        shard_close(&s);
    }
}

/* The header as llm.c reads it. */
static void header_is_llm_c(void **state)
{
    (void)state;
    write_shard("h.bin", 5, 100);
    FILE *f = fopen(path_of("h.bin"), "rb");
    unsigned char b[1024 + 10];
    assert_int_equal(fread(b, 1, sizeof b, f), sizeof b);
    assert_int_equal(fgetc(f), EOF);
    fclose(f);
    static const unsigned char start[12] = { 0x88, 0xD8, 0x34, 0x01,
                                             1, 0, 0, 0, 5, 0, 0, 0 };
    assert_memory_equal(b, start, 12);
    for (int i = 12; i < 1024; i++)
        assert_int_equal(b[i], 0);
    assert_int_equal(b[1024 + 2], 7);
}

static void nothing_before_finish(void **state)
{
    (void)state;
    struct ShardWriter w;
    struct Error e;
    uint16_t token = 1;
    assert_true(shard_create(&w, path_of("n.bin"), &e));
    shard_append(&w, &token, 1);
    assert_int_not_equal(access(path_of("n.bin"), F_OK), 0);
    shard_abandon(&w);
    assert_int_not_equal(access(path_of("n.bin"), F_OK), 0);
}

static const struct BadShard {
    int word;               /* of the header */
    int32_t value;
    long cut;               /* bytes taken off the end (or added) */
    const char *message;
} bad_shards[] = {
    { 0, 20240521, 0, "byte 0: magic number 20240521; expected 20240520" },
    { 0, 0x0CD83501, 0, "byte 0: magic number 215495937" },
    { 1, 2, 0, "byte 4: version 2; expected 1" },
    { 1, 0, 0, "version 0" },
    { 2, -1, 0, "byte 8: count -1 is negative" },
    { 2, INT32_MIN, 0, "count -2147483648 is negative" },
    { 2, 999, 0, "999 tokens need a file of 3022 bytes, but it has 3024: "
                 "something was appended" },
    { 2, 1001, 0, "1001 tokens need a file of 3026 bytes, but it has 3024: "
                  "it was cut off" },
    { 2, INT32_MAX, 0, "2147483647 tokens need a file of 4294968318 bytes" },
    { 1, 1, 1, "1000 tokens need a file of 3024 bytes, but it has 3023: "
               "it was cut off" },
    { 1, 1, 2, "cut off" },
    { 1, 1, -1, "but it has 3025: something was appended" },
    { 1, 1, 2000, "cut off" },
    { 1, 1, 2001, "1023 bytes; a shard begins with a header of 1024" },
    { 1, 1, 3024, "0 bytes; a shard begins with a header" },
};

static void bad_shards_are_refused(void **state)
{
    (void)state;
    static union { int32_t word[756 + 1]; unsigned char byte[3028]; } f;
    for (size_t i = 0; i < sizeof bad_shards / sizeof *bad_shards; i++) {
        const struct BadShard *b = &bad_shards[i];
        struct Shard s;
        struct Error e = { "" };
        memset(&f, 0, sizeof f);
        f.word[0] = SHARD_MAGIC;
        f.word[1] = SHARD_VERSION;
        f.word[2] = 1000;
        f.word[3] = 77;                 /* means nothing, is not said */
        f.word[b->word] = b->value;
        if (shard_parse(&s, "x.bin", f.byte, (size_t)(3024 - b->cut), &e))
            fail_msg("row %zu is accepted", i);
        if (!strstr(e.text, b->message) || !strstr(e.text, "x.bin"))
            fail_msg("row %zu: \"%s\" does not say \"%s\"", i, e.text,
                     b->message);
    }
}

static void token_over_vocabulary(void **state)
{
    (void)state;
    static const size_t places[] = { 0, 1, 4095, 4096, 9999 };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        static uint16_t token[10000];
        struct Shard s = { .token = token, .count = 10000, .path = "y" };
        struct Error e = { "" };
        char expected[64];
        memset(token, 0, sizeof token);
        assert_true(shard_check(&s, 1, &e));
        token[places[i]] = 512;
        assert_true(shard_check(&s, 513, &e));
        assert_false(shard_check(&s, 512, &e));
        snprintf(expected, sizeof expected, "token %zu (byte %zu) is 512",
                 places[i], 1024 + 2 * places[i]);
        if (!strstr(e.text, expected))
            fail_msg("\"%s\" does not say \"%s\"", e.text, expected);
    }
}

/* A sparse file: a header that promises 2^31 - 1 tokens, and the bytes. */
static void shard_of_four_gigabytes(void **state)
{
    (void)state;
    int32_t header[SHARD_HEADER] = { SHARD_MAGIC, SHARD_VERSION,
                                     INT32_MAX };
    FILE *f = fopen(path_of("big.bin"), "wb");
    fwrite(header, 1, sizeof header, f);
    uint16_t last = 77;
    fseeko(f, (off_t)sizeof header + 2 * ((off_t)INT32_MAX - 1), SEEK_SET);
    size_t written = fwrite(&last, 1, sizeof last, f);
    if (fclose(f) != 0 || written != sizeof last)
        skip();                         /* no sparse files here */
    struct Shard s;
    struct Error e;
    if (!shard_open(&s, path_of("big.bin"), &e))
        fail_msg("%s", e.text);
    assert_int_equal(s.count, INT32_MAX);
    assert_int_equal(s.token[s.count - 1], 77);
    shard_close(&s);
    unlink(path_of("big.bin"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_come_back),
        cmocka_unit_test(header_is_llm_c),
        cmocka_unit_test(nothing_before_finish),
        cmocka_unit_test(bad_shards_are_refused),
        cmocka_unit_test(token_over_vocabulary),
        cmocka_unit_test(shard_of_four_gigabytes),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
