/* Tangled from chapters/workshop/text-tables.nw, "The measurement behind the ladder".  Edit it there. */

/* bench-tokens: MB/s of four ways to encode, and of splitting alone. */
#include "base/args.h"
#include "base/file.h"
#include "data/split.h"
#include "data/tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct Work {
    struct Tokenizer *tokenizer;
    const uint8_t *text;
    uint16_t *out;              /* room for a token per byte */
};

static size_t by_bytes(struct Work *w, size_t size,
                       size_t (*merge)(struct Work *, uint16_t *, size_t))
{
    size_t count = 0;
    for (size_t at = 0, end; at < size; at = end) {
        end = piece_end(w->text, size, at);
        for (size_t i = at; i < end; i++)
            w->out[count + i - at]
                = w->tokenizer->vocab.byte_token[w->text[i]];
        count += merge(w, w->out + count, end - at);
    }
    return count;
}

static size_t plain(struct Work *w, uint16_t *token, size_t n)
{
    return merge_plain(&w->tokenizer->vocab, token, n);
}

static size_t hashed(struct Work *w, uint16_t *token, size_t n)
{
    return merge_hashed(&w->tokenizer->pairs, token, n);
}

static size_t kept(struct Work *w, uint16_t *token, size_t n)
{
    return (n <= MERGE_SHORT ? merge_short : merge_long)(
        &w->tokenizer->pairs, token, n);
}

static size_t run_plain(struct Work *w, size_t n)
{
    return by_bytes(w, n, plain);
}

static size_t run_hashed(struct Work *w, size_t n)
{
    return by_bytes(w, n, hashed);
}

static size_t run_kept(struct Work *w, size_t n)
{
    return by_bytes(w, n, kept);
}

static size_t run_cached(struct Work *w, size_t n)
{
    struct Tokens t = { w->out, 0, SIZE_MAX / 4 };
    tokenizer_encode(w->tokenizer, &t, w->text, n, 0, n);
    return t.count;
}

static size_t run_split(struct Work *w, size_t n)
{
    size_t pieces = 0;
    for (size_t at = 0; at < n; pieces++)
        at = piece_end(w->text, n, at);
    return pieces;
}

/* Seconds this process has computed: others on the machine do not count. */
static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(struct Work *w, const char *name, size_t size,
                    size_t (*run)(struct Work *, size_t))
{
    double t[5];
    size_t count = 0;
    for (int i = 0; i < 5; i++) {
        double start = cpu_s();
        count = run(w, size);
        t[i] = cpu_s() - start;
    }
    qsort(t, 5, sizeof *t, compare_times);
    printf("%-34s %9.3f MB/s  %9.3f - %-9.3f %9zu bytes -> %zu\n", name,
           (double)size / 1e6 / t[2], (double)size / 1e6 / t[4],
           (double)size / 1e6 / t[0], size, count);
}

static void check(struct Work *w, size_t size,
                  size_t (*run)(struct Work *, size_t),
                  size_t (*reference)(struct Work *, size_t))
{
    size_t n = reference(w, size);
    uint16_t *expected = malloc(n * sizeof *expected + 1);
    if (!expected)
        fail("out of memory for %zu tokens", n);
    memcpy(expected, w->out, n * sizeof *expected);
    if (run(w, size) != n
        || memcmp(expected, w->out, n * sizeof *expected))
        fail("two versions give different tokens");
    free(expected);
}

/* The text as a single word, ever longer: bytes, microseconds for the
 * table and for the heap (-1: would take too long). */
static void measure_words(struct Work *w, size_t size)
{
    for (size_t n = 100; n <= size; n *= 10) {
        double t[2] = { -1, -1 };
        for (int heap = n > 100000; heap < 2; heap++) {
            int runs = n <= 1000 ? 100 : 1;
            double start = cpu_s();
            for (int r = 0; r < runs; r++) {
                for (size_t i = 0; i < n; i++)
                    w->out[i] = w->tokenizer->vocab.byte_token[w->text[i]];
                (heap ? merge_long : merge_hashed)(&w->tokenizer->pairs,
                                                   w->out, n);
            }
            t[heap] = (cpu_s() - start) / runs * 1e6;
        }
        printf("%zu,%.1f,%.1f\n", n, t[0], t[1]);
    }
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

int main(int argc, char **argv)
{
    const char *dir = NULL;
    bool word = false;
    const struct Option options[] = {
        { "vocab", OPT_STRING, &dir, 0, 0, "DIR",
          "holds vocab.bpe and encoder.json", NULL },
        { "word", OPT_FLAG, &word, 0, 0, NULL,
          "take the text as one word, ever longer", NULL },
        { 0, OPT_END, 0, 0, 0, 0, 0, 0 } };
    const struct Usage usage = { "--vocab DIR [--word] TEXT",
        "Time four ways to encode a text.", NULL };
    program_set_name(argv[0]);
    int n = args_parse(argc, argv, options, &usage);
    if (!dir || n != 1)
        misuse("expected --vocab DIR and one text");
    struct Work w = {0};
    struct Mapped m;
    struct Error e;
    if (!(w.tokenizer = tokenizer_read(dir, &e))
        || !map_file(&m, argv[0], &e))
        fail("%s", e.text);
    w.text = m.data;
    w.out = malloc((m.size + 16) * sizeof *w.out);
    if (!w.out)
        fail("out of memory for %zu tokens", m.size);
    if (word) {
        measure_words(&w, m.size);
        return 0;
    }
    size_t tiny = least(m.size, 4000), small = least(m.size, 4000000);
    check(&w, tiny, run_hashed, run_plain);
    check(&w, small, run_kept, run_hashed);
    check(&w, small, run_cached, run_kept);
    measure(&w, "v1 every merge in turn", tiny, run_plain);
    measure(&w, "v2 ranks from a table", small, run_hashed);
    measure(&w, "v3 ranks kept, heap if long", small, run_kept);
    measure(&w, "v4 words remembered", m.size, run_cached);
    measure(&w, "   splitting alone, the ceiling", m.size, run_split);
    free(w.out);
    tokenizer_free(w.tokenizer);
    unmap_file(&m);
    return 0;
}
