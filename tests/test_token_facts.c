/* The numbers of the chapter on text and tokens that need no clock: what
 * GPT-2's vocabulary and TinyShakespeare are made of.  Compared with
 * figures/data/text.csv; UPDATE_FACTS=DATE writes it.  Needs the data
 * (make data-gpt2 data-tinyshakespeare) in $DATA. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "data/bpe_train.h"
#include "data/merge.h"
#include "data/split.h"
#include "data/tokenizer.h"
#include "data/unicode.h"
#include <cmocka.h>

#define FACTS "text"
#define PROGRAM "test_token_facts"
#include "facts.h"

#define CSV "figures/data/text.csv"
#define CHAPTER "chapters/gpt2/text-and-tokens.nw"

static struct Tokenizer *gpt2;
static struct Mapped play;              /* TinyShakespeare */

static const char *data(const char *name)
{
    static char path[512];
    const char *dir = getenv("DATA");
    snprintf(path, sizeof path, "%s/%s", dir ? dir : "data", name);
    return path;
}

static int open_data(void **state)
{
    struct Error e;
    (void)state;
    gpt2 = tokenizer_read(data("gpt2"), &e);
    if (!gpt2)
        printf("# skipped: %s; make data-gpt2\n", e.text);
    if (!map_file(&play, data("tinyshakespeare.txt"), &e)) {
        printf("# skipped: %s; make data-tinyshakespeare\n", e.text);
        play.data = NULL;
    }
    return 0;
}

static size_t tokens_in(struct Tokenizer *t, const uint8_t *text, size_t n)
{
    struct Tokens out = { 0 };
    tokenizer_encode(t, &out, text, n, 0, n);
    free(out.at);
    return out.count;
}

struct Piece { const uint8_t *at; size_t n; };

static int by_text(const void *a, const void *b)
{
    const struct Piece *p = a, *q = b;
    int order = memcmp(p->at, q->at, p->n < q->n ? p->n : q->n);
    return order ? order : (p->n > q->n) - (p->n < q->n);
}

static void count_pieces(const uint8_t *text, size_t size)
{
    struct Piece *piece = calloc(size, sizeof *piece);
    size_t n = 0, distinct = 1;
    assert_non_null(piece);
    for (size_t at = 0; at < size; at += piece[n++].n)
        piece[n] = (struct Piece){ text + at,
                                   piece_end(text, size, at) - at };
    qsort(piece, n, sizeof *piece, by_text);
    for (size_t i = 1; i < n; i++)
        distinct += by_text(&piece[i - 1], &piece[i]) != 0;
    free(piece);
    fact("bytes", (double)size, "bytes");
    fact("pieces", (double)n, "");
    fact("pieces.distinct", (double)distinct, "");
    fact("piece", (double)size / (double)n, "bytes");
}

static void count_classes(void)
{
    int changes = 0;
    for (uint32_t c = 1; c < 0x110000; c++)
        changes += code_point_class(c) != code_point_class(c - 1);
    fact("unicode", 0x110000, "");
    fact("unicode.changes", changes, "");
}

/* Tokens whose spelling with a space in front is a token, too. */
static int doubled(void)
{
    static uint8_t text[1024] = " ";
    int n = 0;
    for (int i = 0; i < gpt2->vocab.eot; i++) {
        size_t length;
        const uint8_t *spelling = vocab_spelling(&gpt2->vocab, i, &length);
        assert_in_range(length, 1, sizeof text - 1);
        memcpy(text + 1, spelling, length);
        n += tokens_in(gpt2, text, length + 1) == 1;
    }
    return n;
}

static void count_vocabulary(void)
{
    struct PairTable p = pair_table_build(&gpt2->vocab);
    int printable = 1;                  /* they stand first, ascending */
    while (byte_order[printable] > byte_order[printable - 1])
        printable++;
    fact("merges", gpt2->vocab.merges, "merges");
    fact("vocabulary", gpt2->vocab.size, "tokens");
    fact("spelled", gpt2->vocab.size - 1, "tokens");
    fact("doubled", doubled(), "");
    fact("slots", (double)p.mask + 1, "");
    fact("slots.size", ((double)p.mask + 1) * sizeof *p.slot / 1048576,
         "MiB");
    fact("printable", printable, "");
    fact("unprintable", 256 - printable, "");
    pair_table_free(&p);
}

/* Bytes of a token: of what a vocabulary of V was trained on, and of the
 * rest; V = 0 is GPT-2's. */
static void try_vocabulary(const uint8_t *text, size_t size, size_t cut,
                           int V)
{
    struct BpeTrainer *b = bpe_trainer_new();
    struct Tokenizer *t = gpt2;
    struct Vocab v;
    struct Error e;
    char name[40];
    bpe_trainer_add(b, text, cut);
    if (V && !bpe_train(&v, b, V, NULL, &e))
        fail_msg("%s", e.text);
    if (V)
        t = tokenizer_new(v);
    snprintf(name, sizeof name, "v%d.seen", V ? V : t->vocab.size);
    fact(name, (double)cut / (double)tokens_in(t, text, cut), "bytes/token");
    snprintf(name, sizeof name, "v%d.rest", V ? V : t->vocab.size);
    fact(name, (double)(size - cut)
               / (double)tokens_in(t, text + cut, size - cut), "bytes/token");
    if (V)
        tokenizer_free(t);
    bpe_trainer_free(b);
}

/* What the chapter says GPT-2 makes of a text. */
static const struct Example { const char *text, *ids; } examples[] = {
    { "Hello world, hello world.", "15496, 995, 11, 23748, 995, 13" },
    { " world", "995" }, { "world", "6894" }, { "World", "10603" },
    { " World", "2159" }, { " y", "331" }, { "\n\n", "628" },
};

static void examples_are_true(void **state)
{
    struct Mapped chapter;
    struct Error e;
    (void)state;
    if (!gpt2)
        skip();
    if (!map_file(&chapter, CHAPTER, &e))
        fail_msg("%s", e.text);
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct Example *x = &examples[i];
        const size_t n = strlen(x->text);
        struct Tokens out = { 0 };
        char ids[80] = "";
        tokenizer_encode(gpt2, &out, (const uint8_t *)x->text, n, 0, n);
        for (size_t k = 0; k < out.count; k++)
            snprintf(ids + strlen(ids), sizeof ids - strlen(ids), "%s%d",
                     k ? ", " : "", out.at[k]);
        free(out.at);
        if (strcmp(ids, x->ids) != 0)
            fail_msg("\"%s\" is %s, not %s", x->text, ids, x->ids);
        if (!memmem(chapter.data, chapter.size, x->ids, strlen(x->ids)))
            fail_msg(CHAPTER " does not say %s", x->ids);
    }
    unmap_file(&chapter);
}

static const char *as_printed(const struct Fact *f)
{
    static char text[40];
    bool whole = f->value == (double)(int64_t)f->value
                 && strcmp(f->unit, "bytes/token") != 0;
    snprintf(text, sizeof text, whole ? "%.0f" : "%.4g", f->value);
    return text;
}

static void chapter_14_is_not_stale(void **state)
{
    (void)state;
    if (!gpt2 || !play.data)
        skip();
    const uint8_t *text = play.data;
    size_t cut = play.size / 20 * 19;
    n_facts = 0;
    count_classes();
    count_vocabulary();
    count_pieces(text, play.size);
    static const int sizes[] = { 257, 512, 1024, 4096, 8192, 0 };
    for (int i = 0; i < 6; i++)
        try_vocabulary(text, play.size, cut, sizes[i]);
    facts_are_in(CSV, as_printed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chapter_14_is_not_stale),
        cmocka_unit_test(examples_are_true),
    };
    return cmocka_run_group_tests_name("facts of the tokens", tests,
                                       open_data, NULL);
}
