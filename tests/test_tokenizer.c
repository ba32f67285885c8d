/* Text to tokens: each row names the mistake that it would catch. */
#include "base/file.h"
#include "base/rng.h"
#include "base/text.h"
#include "data/bpe_train.h"
#include "data/split.h"
#include "data/tokenizer.h"
#include "data/unicode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "scratch.h"

static void fatal(const char *what, const char *name)
{
    fail_msg("%s: %s", name, what);
}

/* ---- a small vocabulary, trained here --------------------------------- */

#define SENTENCES                                                          \
    "The cat sat on the mat; the rat's hat wasn't that flat. They'll "     \
    "gather the other feathers together, won't they? aaaaaaaaaaaaaaaa "    \
    "abracadabra abracadabra 1,000,000 100 10001    spaces    here\n\n"    \
    "\tthe tabs\n\tthe tabs\n Die K\xC3\xA4tzchen \xC3\xBC" "ber \xC3\xBC" \
    "bel \xE4\xB8\xAD\xE6\x96\x87 \xE4\xB8\xAD\xE6\x96\x87 ---- ----"

static const char sample[] = SENTENCES SENTENCES;

static struct Vocab small_vocab(void)
{
    struct BpeTrainer *b = bpe_trainer_new();
    struct Vocab v;
    struct Error e;
    bpe_trainer_add(b, (const uint8_t *)sample, sizeof sample - 1);
    if (!bpe_train(&v, b, 320, NULL, &e))
        fail_msg("%s", e.text);
    bpe_trainer_free(b);
    return v;
}

static struct Tokenizer *small_tokenizer(void)
{
    return tokenizer_new(small_vocab());
}

/* Decoded tokens, in memory to be freed. */
static uint8_t *decode(const struct Vocab *v, const struct Tokens *t,
                       size_t *size)
{
    uint8_t *out = NULL;
    *size = 0;
    for (size_t i = 0; i < t->count; i++) {
        size_t n;
        assert_true(t->at[i] < v->size);
        const uint8_t *b = vocab_spelling(v, t->at[i], &n);
        out = realloc(out, *size + n);
        memcpy(out + *size, b, n);
        *size += n;
    }
    return out;
}

static void check_round_trip(struct Tokenizer *t, const void *text,
                             size_t size)
{
    struct Tokens out = {0};
    size_t back;
    assert_int_equal(tokenizer_encode(t, &out, text, size, 0, size), size);
    uint8_t *b = decode(&t->vocab, &out, &back);
    assert_int_equal(back, size);
    if (size)
        assert_memory_equal(b, text, size);
    free(b);
    free(out.at);
}

/* ---- an independent splitter: the pattern, alternative by alternative -- */

struct Chars { uint8_t class[4096]; uint32_t c[4096]; size_t at[4097], n; };

/* Decoding written another way: take 1 to 4 bytes, encode what they mean,
 * compare. */
static size_t slow_decode(const uint8_t *p, size_t size, uint32_t *c)
{
    for (size_t n = 1; n <= 4 && n <= size; n++) {
        uint32_t v = n == 1 ? p[0] : n == 2 ? p[0] & 31u
                   : n == 3 ? p[0] & 15u : p[0] & 7u;
        for (size_t i = 1; i < n; i++)
            v = v * 64 + (p[i] & 63u);
        uint8_t e[4];
        size_t m;
        if (v < 0x80) {
            m = 1; e[0] = (uint8_t)v;
        } else if (v < 0x800) {
            m = 2; e[0] = (uint8_t)(192 + v / 64);
        } else if (v < 0x10000) {
            m = 3; e[0] = (uint8_t)(224 + v / 4096);
        } else {
            m = 4; e[0] = (uint8_t)(240 + v / 262144);
        }
        for (size_t i = 1; i < m; i++)
            e[i] = (uint8_t)(128 + (v >> (6 * (m - 1 - i))) % 64);
        bool surrogate = v >= 0xD800 && v <= 0xDFFF;
        if (m == n && memcmp(e, p, n) == 0 && v <= 0x10FFFF && !surrogate) {
            *c = v;
            return n;
        }
    }
    *c = 0xFFFFFFFF;
    return 1;
}

static void read_chars(struct Chars *s, const uint8_t *p, size_t size)
{
    s->n = 0;
    for (size_t i = 0; i < size; s->n++) {
        s->at[s->n] = i;
        i += slow_decode(p + i, size - i, &s->c[s->n]);
        s->class[s->n] = s->c[s->n] == 0xFFFFFFFF ? CHAR_OTHER
            : (uint8_t)code_point_class(s->c[s->n]);
    }
    s->at[s->n] = size;
}

/* Greedy " ?X+" at character i: characters matched. */
static size_t match_run(const struct Chars *s, size_t i, int class)
{
    for (int space = i < s->n && s->c[i] == ' '; space >= 0; space--) {
        size_t k = i + (size_t)space;
        while (k < s->n && s->class[k] == class)
            k++;
        if (k > i + (size_t)space)
            return k - i;
    }
    return 0;
}

static size_t match_word(const struct Chars *s, size_t i, const char *w)
{
    size_t k = 0;
    while (w[k] && i + k < s->n && s->c[i + k] == (uint8_t)w[k])
        k++;
    return w[k] ? 0 : k;
}

static size_t match_pattern(const struct Chars *s, size_t i)
{
    static const char *const words[] = { "'s", "'t", "'re", "'ve", "'m",
                                         "'ll", "'d" };
    static const int runs[] = { CHAR_LETTER, CHAR_NUMBER, CHAR_OTHER };
    size_t n = 0;
    for (int k = 0; k < 7 && !n; k++)
        n = match_word(s, i, words[k]);
    for (int k = 0; k < 3 && !n; k++)
        n = match_run(s, i, runs[k]);
    if (n)
        return n;
    size_t spaces = 0;
    while (i + spaces < s->n && s->class[i + spaces] == CHAR_SPACE)
        spaces++;
    for (n = spaces; n > 0; n--)        /* \s+(?!\S), backing off */
        if (i + n == s->n || s->class[i + n] == CHAR_SPACE)
            return n;
    return spaces;
}

static const char *const alphabet[] = {
    " ", " ", " ", "\t", "\n", "\r\n", "'", "'", "s", "t", "re", "ve", "l",
    "ll", "d", "m", "S", "a", "aa", "the", "0", "12", ".", "!", "-", "\0",
    "\xC3\xA9", "\xE4\xB8\xAD", "\xD9\xA3", "\xC2\xB2", "\xE2\x85\xA3",
    "\xC2\xA0", "\xE3\x80\x80", "\xC2\x85", "\xE2\x80\x8B", "\xCC\x81",
    "\x1C", "\xF0\x9F\x98\x80", "\xF0\x9D\x9F\x98",
    "\x80", "\xFF", "\xC3", "\xE4\xB8", "\xF0\x9F", "\xC0\xAF",
    "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE0\x80\xA0" };

static size_t random_text(struct Rng *r, uint8_t *out, size_t most)
{
    size_t size = 0, parts = rng_below(r, most / 4);
    for (size_t i = 0; i < parts; i++) {
        size_t k = rng_below(r, sizeof alphabet / sizeof *alphabet);
        size_t n = strlen(alphabet[k]);
        n += n == 0;                            /* the NUL byte */
        memcpy(out + size, alphabet[k], n);
        size += n;
    }
    return size;
}

static void pieces_follow_the_pattern(void **state)
{
    (void)state;
    static struct Chars s;
    struct Rng r = rng_new(1, 0);
    uint8_t text[512];
    for (int i = 0; i < 20000; i++) {
        size_t size = random_text(&r, text, sizeof text);
        read_chars(&s, text, size);
        for (size_t c = 0, n; c < s.n; c += n) {
            n = match_pattern(&s, c);
            size_t end = piece_end(text, size, s.at[c]);
            if (end != s.at[c + n])
                fail_msg("text %d: the piece at %zu ends at %zu, expected "
                         "%zu", i, s.at[c], end, s.at[c + n]);
        }
    }
}

static void spaces_before_a_word(void **state)
{
    (void)state;
    static const struct { const char *text; size_t end; } rows[] = {
        { " a", 2 }, { "  a", 1 }, { "   a", 2 }, { " ", 1 }, { "   ", 3 },
        { "\n\na", 1 }, { "\na", 1 }, { " \na", 1 }, { "\n a", 1 },
        { " 1a", 2 }, { " .a", 2 }, { " 's", 2 }, { "'sa", 2 },
        { "'lla", 3 }, { "'la", 1 }, { "'Sa", 1 }, { "''s", 2 },
        { "\xC2\xA0" "a", 2 }, { "\xC2\xA0\xC2\xA0" "a", 2 },
        { " \xC2\xA0", 3 }, { "\xC2\xA0 a", 2 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(piece_end((const uint8_t *)rows[i].text,
                                   strlen(rows[i].text), 0), rows[i].end);
}

static void broken_utf8_is_other(void **state)
{
    (void)state;
    static const struct { const char *text; size_t n; } rows[] = {
        { "\x80", 0 }, { "\xBF", 0 }, { "\xC0\xAF", 0 }, { "\xC1\xBF", 0 },
        { "\xC2", 0 }, { "\xC2\x80", 2 }, { "\xDF\xBF", 2 },
        { "\xE0\x9F\xBF", 0 }, { "\xE0\xA0\x80", 3 }, { "\xE4\xB8", 0 },
        { "\xED\x9F\xBF", 3 }, { "\xED\xA0\x80", 0 }, { "\xEE\x80\x80", 3 },
        { "\xF0\x8F\xBF\xBF", 0 }, { "\xF0\x90\x80\x80", 4 },
        { "\xF4\x8F\xBF\xBF", 4 }, { "\xF4\x90\x80\x80", 0 },
        { "\xF5\x80\x80\x80", 0 }, { "\xFF", 0 }, { "\xE4\x41\x80", 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint8_t *p = (const uint8_t *)rows[i].text;
        size_t size = strlen(rows[i].text), n;
        uint32_t c;
        assert_int_equal(utf8_decode(&c, p, size), rows[i].n);
        enum CharClass class = char_class(&n, p, size);
        if (rows[i].n == 0) {
            assert_int_equal(n, 1);
            assert_int_equal(class, CHAR_OTHER);
        }
    }
}

static void classes_of_known_characters(void **state)
{
    (void)state;
    static const struct { uint32_t c; int class; } rows[] = {
        { 'a', CHAR_LETTER }, { '0', CHAR_NUMBER }, { '_', CHAR_OTHER },
        { ' ', CHAR_SPACE }, { 0x1C, CHAR_OTHER }, { 0x85, CHAR_SPACE },
        { 0xA0, CHAR_SPACE }, { 0xAA, CHAR_LETTER }, { 0xB2, CHAR_NUMBER },
        { 0xBD, CHAR_NUMBER }, { 0xD7, CHAR_OTHER }, { 0x300, CHAR_OTHER },
        { 0x663, CHAR_NUMBER }, { 0x200B, CHAR_OTHER },
        { 0x2163, CHAR_NUMBER }, { 0x2028, CHAR_SPACE },
        { 0x3000, CHAR_SPACE }, { 0x3007, CHAR_NUMBER },
        { 0x3400, CHAR_LETTER }, { 0x4E00, CHAR_LETTER },
        { 0x9FFF, CHAR_LETTER }, { 0xD7A3, CHAR_LETTER },
        { 0xE000, CHAR_OTHER }, { 0xFEFF, CHAR_OTHER },
        { 0x10400, CHAR_LETTER }, { 0x12400, CHAR_NUMBER },
        { 0x1D7D8, CHAR_NUMBER }, { 0x1F600, CHAR_OTHER },
        { 0x20000, CHAR_LETTER }, { 0x2A6DF, CHAR_LETTER },
        { 0x2A6E0, CHAR_OTHER }, { 0x10FFFF, CHAR_OTHER },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((int)code_point_class(rows[i].c) != rows[i].class)
            fail_msg("U+%04X is of class %d", rows[i].c,
                     code_point_class(rows[i].c));
    static const size_t expected[] = { 136104, 1831, 25 };
    size_t count[4] = {0};
    for (uint32_t c = 0; c <= 0x10FFFF; c++)
        count[code_point_class(c)]++;
    for (int k = 0; k < 3; k++)
        assert_int_equal(count[k + 1], expected[k]);
}

/* ---- merging ----------------------------------------------------------- */

static size_t bytes_of(const struct Vocab *v, uint16_t *token,
                       const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        token[i] = v->byte_token[p[i]];
    return n;
}

static void merges_agree_with_the_definition(void **state)
{
    (void)state;
    struct Vocab v = small_vocab();
    struct PairTable p = pair_table_build(&v);
    struct Rng r = rng_new(2, 0);
    uint8_t text[256];
    uint16_t a[256], b[256];
    for (int i = 0; i < 20000; i++) {
        size_t n = 1 + rng_below(&r, i % 2 ? 32 : 255);
        for (size_t k = 0; k < n; k++)
            text[k] = i % 5 == 0 ? 'a'
                : (uint8_t)sample[rng_below(&r, sizeof sample - 1)];
        if (i % 3 == 0)
            memcpy(text, sample + rng_below(&r, sizeof sample - 1 - n), n);
        size_t na = merge_plain(&v, a, bytes_of(&v, a, text, n));
        size_t nb = merge_hashed(&p, b, bytes_of(&v, b, text, n));
        assert_int_equal(na, nb);
        assert_memory_equal(a, b, na * sizeof *a);
        nb = merge_long(&p, b, bytes_of(&v, b, text, n));
        assert_int_equal(na, nb);
        assert_memory_equal(a, b, na * sizeof *a);
        if (n > MERGE_SHORT)
            continue;
        nb = merge_short(&p, b, bytes_of(&v, b, text, n));
        assert_int_equal(na, nb);
        assert_memory_equal(a, b, na * sizeof *a);
    }
    pair_table_free(&p);
    vocab_free(&v);
}

static void runs_merge_from_the_left(void **state)
{
    (void)state;
    const struct Merge m[] = { { 64, 64, 0 }, { 256, 64, 0 } }; /* aa, aaa */
    struct Vocab v;
    assert_true(vocab_from_merges(&v, m, 2, NULL));
    struct PairTable p = pair_table_build(&v);
    uint16_t t[64];
    for (size_t n = 1; n <= 64; n++) {
        bytes_of(&v, t, (const uint8_t *)"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", n);
        size_t count = merge_long(&p, t, n);
        assert_int_equal(count, n == 1 ? 1 : n / 2);
        if (n > 1)
            assert_int_equal(t[0], n == 3 ? 257 : 256);
        if (n > 2 && n % 2)             /* aa aa ... aaa */
            assert_int_equal(t[count - 1], 257);
    }
    pair_table_free(&p);
    vocab_free(&v);
}

static void any_bytes_come_back(void **state)
{
    (void)state;
    struct Tokenizer *t = small_tokenizer();
    struct Rng r = rng_new(3, 0);
    uint8_t text[600];
    check_round_trip(t, "", 0);
    for (int i = 0; i < 5000; i++) {
        size_t n = random_text(&r, text, 512);
        check_round_trip(t, text, n);
        n = rng_below(&r, sizeof text);
        for (size_t k = 0; k < n; k++)
            text[k] = (uint8_t)rng_u32(&r);
        check_round_trip(t, text, n);
    }
    tokenizer_free(t);
}

/* The cache must give what merging gives, also after a collision. */
static void cache_is_invisible(void **state)
{
    (void)state;
    struct Tokenizer *warm = small_tokenizer();
    struct Rng r = rng_new(4, 0);
    struct Tokens a = {0};
    uint16_t b[64];
    uint8_t text[64];
    for (int i = 0; i < 200000; i++) {
        size_t n = 1 + rng_below(&r, 18);
        for (size_t k = 0; k < n; k++)
            text[k] = i % 2 ? (uint8_t)"aaabtheX\0"[rng_below(&r, 9)]
                : k < 8 ? 'a' : (uint8_t)('a' + rng_below(&r, 26));
        size_t end = piece_end(text, n, 0);
        a.count = 0;
        tokenizer_encode(warm, &a, text, n, 0, 1);
        size_t nb = merge_hashed(&warm->pairs, b,
                                 bytes_of(&warm->vocab, b, text, end));
        assert_int_equal(a.count, nb);
        assert_memory_equal(a.at, b, nb * sizeof *b);
    }
    free(a.at);
    tokenizer_free(warm);
}

static void encoding_in_parts(void **state)
{
    (void)state;
    struct Tokenizer *t = small_tokenizer();
    struct Tokens whole = {0}, parts = {0};
    const uint8_t *p = (const uint8_t *)sample;
    size_t size = sizeof sample - 1;
    tokenizer_encode(t, &whole, p, size, 0, size);
    for (size_t step = 1; step < 40; step++) {
        parts.count = 0;
        for (size_t at = 0; at < size;)
            at = tokenizer_encode(t, &parts, p, size, at,
                                  at + step < size ? at + step : size);
        assert_int_equal(parts.count, whole.count);
        assert_memory_equal(parts.at, whole.at,
                            whole.count * sizeof *whole.at);
    }
    free(whole.at);
    free(parts.at);
    tokenizer_free(t);
}

static void end_of_text_is_never_made(void **state)
{
    (void)state;
    struct BpeTrainer *b = bpe_trainer_new();
    struct Vocab v;
    struct Error e;
    char text[13 * 64 + 1] = "";
    for (int i = 0; i < 64; i++)
        strcat(text, "<|endoftext|>");
    bpe_trainer_add(b, (const uint8_t *)text, strlen(text));
    assert_true(bpe_train(&v, b, 265, NULL, &e));
    bpe_trainer_free(b);
    struct Tokenizer *t = tokenizer_new(v);
    struct Tokens out = {0};
    tokenizer_encode(t, &out, (uint8_t *)text, strlen(text), 0,
                     strlen(text));
    for (size_t i = 0; i < out.count; i++)
        assert_int_not_equal(out.at[i], v.eot);
    free(out.at);
    tokenizer_free(t);
}

/* ---- training ---------------------------------------------------------- */

/* Training as the text defines it: count every pair anew for each merge. */
struct SlowWord { uint16_t token[64]; size_t n; };

static bool slow_best(const struct SlowWord *w, size_t words, size_t *left,
                      size_t *right)
{
    static int count[400][400];
    memset(count, 0, sizeof count);
    int best = 1;
    for (size_t i = 0; i < words; i++)
        for (size_t k = 0; k + 1 < w[i].n; k++)
            count[w[i].token[k]][w[i].token[k + 1]]++;
    for (size_t a = 0; a < 400; a++)
        for (size_t b = 0; b < 400; b++)
            if (count[a][b] > best) {
                best = count[a][b];
                *left = a;
                *right = b;
            }
    return best > 1;
}

static void check_training(const uint8_t *text, size_t size, int wanted)
{
    static struct SlowWord w[4096];
    size_t words = 0;
    struct BpeTrainer *b = bpe_trainer_new();
    struct Vocab v;
    struct Error e;
    bpe_trainer_add(b, text, size);
    if (!bpe_train(&v, b, wanted, NULL, &e))
        fail_msg("%s", e.text);
    bpe_trainer_free(b);
    for (size_t at = 0, end; at < size; at = end, words++) {
        end = piece_end(text, size, at);
        w[words].n = bytes_of(&v, w[words].token, text + at, end - at);
    }
    for (int i = 0; i < v.merges; i++) {
        size_t left = 0, right = 0;
        assert_true(slow_best(w, words, &left, &right));
        if (left != v.merge[i].left || right != v.merge[i].right)
            fail_msg("merge %d is (%d, %d), expected (%zu, %zu)", i,
                     v.merge[i].left, v.merge[i].right, left, right);
        for (size_t k = 0; k < words; k++) {
            size_t out = 0;
            for (size_t j = 0; j < w[k].n; j++) {
                bool here = j + 1 < w[k].n && w[k].token[j] == left
                         && w[k].token[j + 1] == right;
                w[k].token[out++] = here ? (uint16_t)(256 + i)
                                         : w[k].token[j];
                j += here;
            }
            w[k].n = out;
        }
    }
    vocab_free(&v);
}

static void training_counts_exactly(void **state)
{
    (void)state;
    check_training((const uint8_t *)sample, sizeof sample - 1, 310);
    struct Rng r = rng_new(5, 0);
    uint8_t text[2048];
    for (int i = 0; i < 8; i++) {
        for (size_t k = 0; k < sizeof text; k++)
            text[k] = k % 48 == 47 ? ' '
                    : "aabcd"[rng_below(&r, i < 4 ? 5 : 2)];
        check_training(text, sizeof text, i < 4 ? 330 : 264);
    }
}

/* The text proves that no two merges spell the same token; here is a try
 * at runs, where the proof is delicate. */
static void training_makes_no_token_twice(void **state)
{
    (void)state;
    struct Rng r = rng_new(6, 0);
    for (int i = 0; i < 50; i++) {
        uint8_t text[4096];
        for (size_t k = 0; k < sizeof text; k++)
            text[k] = rng_below(&r, 40) ? "ab"[rng_below(&r, 2)] : ' ';
        struct BpeTrainer *b = bpe_trainer_new();
        struct Vocab v;
        struct Error e;
        bpe_trainer_add(b, text, sizeof text);
        assert_true(bpe_train(&v, b, 340, NULL, &e));
        bpe_trainer_free(b);
        for (int x = 0; x < v.size; x++)
            for (int y = 0; y < x; y++) {
                size_t nx, ny;
                const uint8_t *px = vocab_spelling(&v, x, &nx);
                const uint8_t *py = vocab_spelling(&v, y, &ny);
                if (nx == ny && memcmp(px, py, nx) == 0)
                    fail_msg("text %d: tokens %d and %d are spelled "
                             "the same", i, x, y);
            }
        vocab_free(&v);
    }
}

static void training_says_when_text_is_too_small(void **state)
{
    (void)state;
    struct BpeTrainer *b = bpe_trainer_new();
    struct Vocab v;
    struct Error e;
    bpe_trainer_add(b, (const uint8_t *)"abab", 4);
    assert_false(bpe_train(&v, b, 300, NULL, &e));
    assert_non_null(strstr(e.text, "at most 258 tokens"));
    bpe_trainer_free(b);
}

/* ---- files ------------------------------------------------------------- */

static void vocabulary_survives_its_files(void **state)
{
    (void)state;
    struct Vocab v = small_vocab(), w;
    struct Error e;
    if (!vocab_write(&v, dir, &e) || !vocab_read(&w, dir, &e))
        fail_msg("%s", e.text);
    assert_int_equal(v.size, w.size);
    assert_int_equal(v.eot, w.eot);
    assert_memory_equal(v.byte_token, w.byte_token, sizeof v.byte_token);
    assert_memory_equal(v.merge, w.merge,
                        (size_t)v.merges * sizeof *v.merge);
    for (int i = 0; i < v.size; i++) {
        size_t n, m;
        const uint8_t *a = vocab_spelling(&v, i, &n);
        const uint8_t *b = vocab_spelling(&w, i, &m);
        assert_int_equal(n, m);
        assert_memory_equal(a, b, n);
    }
    vocab_free(&v);
    vocab_free(&w);
}

/* A file of the small vocabulary with one piece of text replaced. */
static char *changed(const char *name, const char *was, const char *now)
{
    char path[128];
    struct Mapped m;
    struct Error e;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (!map_file(&m, path, &e))
        fail_msg("%s", e.text);
    char *out = calloc(1, m.size + strlen(now) + 1);
    char *text = strndup((const char *)m.data, m.size);
    char *at = was ? strstr(text, was) : text + m.size;
    if (!at)
        fatal("has no such text", was);
    memcpy(out, text, (size_t)(at - text));
    strcat(out, now);
    strcat(out, at + (was ? strlen(was) : 0));
    free(text);
    unmap_file(&m);
    return out;
}

static const struct BadVocabulary {
    const char *file, *was, *now, *message;
} bad_vocabularies[] = {
    { "vocab.bpe", "#version: 0.2\n", "", "line 1" },
    { "vocab.bpe", "0.2\n", "0.2\r\n", "CR LF" },
    { "vocab.bpe", "\xC4\xA0 t\n", "\xC4\xA0t\n", "two tokens" },
    { "vocab.bpe", "\xC4\xA0 t\n", "\xC4\xA0  t\n", "one space" },
    { "vocab.bpe", "\xC4\xA0 t\n", "\n", "one space" },
    { "vocab.bpe", "\xC4\xA0 t\n", "\xC4\xA0t h\n", "left part" },
    { "vocab.bpe", "\xC4\xA0 t\n", "t \xE4\xB8\xAD\n", "right part" },
    { "vocab.bpe", "\xC4\xA0 t\n", "q q\n", "not in encoder.json" },
    { "vocab.bpe", "\xC4\xA0 t\n", "\xC4\xA0 t\n\xC4\xA0 t\n", "exists" },
    { "vocab.bpe", "\xC4\xA0 t\n", "", "part" },
    { "vocab.bpe", NULL, "a a\n", "more merges" },
    { "encoder.json", "{", "[", "encoder.json" },
    { "encoder.json", "\"!\": 0", "\"!\": 1", "other token" },
    { "encoder.json", "\"!\": 0", "\"!\": 99999", "whole number" },
    { "encoder.json", "\"!\": 0", "\"!\": -1", "whole number" },
    { "encoder.json", "\"!\": 0", "\"!\": 0.5", "whole number" },
    { "encoder.json", "\"!\": 0", "\"!\": \"0\"", "whole number" },
    { "encoder.json", "\"!\": 0", "\"!!\": 0", "for the byte 0x21" },
    { "encoder.json", "\"!\"", "\"\\\"\"", "encoder.json" },
    { "encoder.json", "<|endoftext|>", "<|end|>", "no token" },
    { "encoder.json", "}\n", ", \"zz\": 320}\n", "merges" },
};

static void bad_vocabularies_are_refused(void **state)
{
    (void)state;
    struct Vocab right = small_vocab();
    struct Error error;
    if (!vocab_write(&right, dir, &error))
        fail_msg("%s", error.text);
    vocab_free(&right);
    for (size_t i = 0; i < sizeof bad_vocabularies
                           / sizeof *bad_vocabularies; i++) {
        const struct BadVocabulary *b = &bad_vocabularies[i];
        bool bpe = b->file[0] == 'v';
        char *x = changed("vocab.bpe", bpe ? b->was : "", bpe ? b->now : "");
        char *y = changed("encoder.json", bpe ? "" : b->was,
                          bpe ? "" : b->now);
        struct Vocab v;
        struct Error e = { "" };
        if (vocab_parse(&v, "vocab.bpe", x, strlen(x), "encoder.json", y,
                        strlen(y), &e))
            fail_msg("row %zu (%s -> %s) is accepted", i,
                     b->was ? b->was : "end", b->now);
        if (!strstr(e.text, b->message))
            fail_msg("row %zu: \"%s\" does not say \"%s\"", i, e.text,
                     b->message);
        free(x);
        free(y);
    }
}

/* ---- GPT-2 ------------------------------------------------------------- */

static size_t from_hex(uint8_t *out, const char *hex, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        unsigned b;
        sscanf(hex + 2 * i, "%2x", &b);
        out[i] = (uint8_t)b;
    }
    return n / 2;
}

static void check_pieces(const char *name, const uint8_t *text, size_t size,
                         char *lengths)
{
    size_t at = 0;
    for (char *w = strtok(lengths, ","); w; w = strtok(NULL, ",")) {
        size_t end = at < size ? piece_end(text, size, at) : at;
        if (end - at != (size_t)atoi(w))
            fail_msg("%s: the piece at %zu has %zu bytes, expected %s",
                     name, at, end - at, w);
        at = end;
    }
    assert_int_equal(at, size);
}

static void check_ids(const char *name, struct Tokenizer *t,
                      const uint8_t *text, size_t size, char *ids)
{
    struct Tokens out = {0};
    size_t i = 0;
    tokenizer_encode(t, &out, text, size, 0, size);
    for (char *w = strtok(ids, ","); w; w = strtok(NULL, ","), i++)
        if (i >= out.count || out.at[i] != atoi(w))
            fail_msg("%s: token %zu is %d, expected %s", name, i,
                     i < out.count ? out.at[i] : -1, w);
    assert_int_equal(i, out.count);
    free(out.at);
}

/* Every line of the fixture: pieces if t is NULL, else ids. */
static void check_fixture(struct Tokenizer *t)
{
    FILE *f = fopen("tests/data/tokenizer.txt", "r");
    static char line[65536];
    static uint8_t text[32768];
    int rows = 0;
    if (!f)
        fatal("cannot open", "tests/data/tokenizer.txt");
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#')
            continue;
        line[strcspn(line, "\n")] = 0;
        char *rest = line, *name = strsep(&rest, "\t");
        char *hex = strsep(&rest, "\t"), *lengths = strsep(&rest, "\t");
        assert_non_null(rest);
        size_t size = from_hex(text, hex, strlen(hex));
        if (t)
            check_ids(name, t, text, size, rest);
        else
            check_pieces(name, text, size, lengths);
        rows++;
    }
    fclose(f);
    assert_true(rows > 150);
}

static void pieces_of_gpt2(void **state)
{
    (void)state;
    check_fixture(NULL);
}

static struct Tokenizer *gpt2(void)
{
    const char *data = getenv("DATA");
    char path[4096];
    snprintf(path, sizeof path, "%s/gpt2", data ? data : "data");
    struct Error e;
    struct Tokenizer *t = tokenizer_read(path, &e);
    if (!t) {
        print_message("GPT-2's vocabulary is not there: %s\n", e.text);
        skip();
    }
    return t;
}

static void tokens_of_gpt2(void **state)
{
    (void)state;
    struct Tokenizer *t = gpt2();
    check_fixture(t);
    tokenizer_free(t);
}

/* Every token of GPT-2 must be what its own spelling merges to. */
static void gpt2_reaches_every_token(void **state)
{
    (void)state;
    struct Tokenizer *t = gpt2();
    uint16_t token[256];
    for (int i = 0; i < t->vocab.size; i++) {
        size_t n;
        const uint8_t *b = vocab_spelling(&t->vocab, i, &n);
        if (i == t->vocab.eot)
            continue;
        assert_true(n <= 256);
        n = merge_long(&t->pairs, token, bytes_of(&t->vocab, token, b, n));
        assert_int_equal(n, 1);
        assert_int_equal(token[0], i);
    }
    tokenizer_free(t);
}

static void gpt2_files_come_back(void **state)
{
    (void)state;
    struct Tokenizer *t = gpt2();
    struct Error e;
    struct Mapped ours, theirs;
    char path[4096];
    const char *data = getenv("DATA");
    if (!vocab_write(&t->vocab, dir, &e))
        fail_msg("%s", e.text);
    snprintf(path, sizeof path, "%s/vocab.bpe", dir);
    assert_true(map_file(&ours, path, &e));
    snprintf(path, sizeof path, "%s/gpt2/vocab.bpe", data ? data : "data");
    assert_true(map_file(&theirs, path, &e));
    assert_int_equal(ours.size, theirs.size);
    assert_memory_equal(ours.data, theirs.data, ours.size);
    unmap_file(&ours);
    unmap_file(&theirs);
    tokenizer_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_of_known_characters),
        cmocka_unit_test(broken_utf8_is_other),
        cmocka_unit_test(spaces_before_a_word),
        cmocka_unit_test(pieces_follow_the_pattern),
        cmocka_unit_test(pieces_of_gpt2),
        cmocka_unit_test(merges_agree_with_the_definition),
        cmocka_unit_test(runs_merge_from_the_left),
        cmocka_unit_test(any_bytes_come_back),
        cmocka_unit_test(cache_is_invisible),
        cmocka_unit_test(encoding_in_parts),
        cmocka_unit_test(end_of_text_is_never_made),
        cmocka_unit_test(training_counts_exactly),
        cmocka_unit_test(training_makes_no_token_twice),
        cmocka_unit_test(training_says_when_text_is_too_small),
        cmocka_unit_test(vocabulary_survives_its_files),
        cmocka_unit_test(bad_vocabularies_are_refused),
        cmocka_unit_test(tokens_of_gpt2),
        cmocka_unit_test(gpt2_reaches_every_token),
        cmocka_unit_test(gpt2_files_come_back),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
