/* Drawing a token, and letting whole characters out: each row names the
 * mistake it would catch. */
#include "gpt2/writer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { V = 6 };
#define NONE ((real)-INFINITY)

/* Which tokens can come out?  A bit for each, over many draws. */
struct Row {
    const char *name;
    double temperature, top_p;
    int top_k;
    real logits[V];
    unsigned expected;      /* bit i: token i */
};

static struct Row rows[] = {
    { "greedy takes the largest",            0, 1, 0,
      { 0, 1, 3, 2, -1, 0 }, 1 << 2 },
    { "greedy: the lower of two equals",     0, 1, 0,
      { 0, 3, 1, 3, 3, 0 }, 1 << 1 },
    { "greedy: the first token can win",     0, 1, 0,
      { 5, 3, 1, 3, 3, 0 }, 1 << 0 },
    { "greedy: the last token can win",      0, 1, 0,
      { 0, 3, 1, 3, 3, 9 }, 1 << 5 },
    { "no cut: all tokens come out",         1, 1, 0,
      { 0, 0, 0, 0, 0, 0 }, 63 },
    { "minus infinity never comes out",      1, 1, 0,
      { 0, NONE, 0, NONE, 0, NONE }, 21 },
    { "top-k 1 is greedy",                   1, 1, 1,
      { 0, 1, 1, 0, 0, 1 }, 1 << 1 },
    { "top-k 2",                             1, 1, 2,
      { 1, 0, 0, 0, 1, 0 }, 1 << 0 | 1 << 4 },
    { "top-k keeps exactly k, lower of equals", 1, 1, 2,
      { 0, 1, 1, 1, 1, 0 }, 1 << 1 | 1 << 2 },
    { "top-k above V keeps all",             1, 1, 100,
      { 0, 0, 0, 0, 0, 0 }, 63 },
    { "top-p 0 keeps one",                   1, 0, 0,
      { 0, 2, 0, 2, 0, 0 }, 1 << 1 },
    /* probabilities 1/2, 1/4, 1/8, 1/16, 1/32, 1/32 in bits of 2 */
    { "top-p stops where the sum reaches p", 1 / M_LN2, 0.75, 0,
      { -2, -1, -5, -3, -4, -5 }, 1 << 1 | 1 << 0 },
    { "top-p includes the token that reaches it", 1 / M_LN2, 0.76, 0,
      { -2, -1, -5, -3, -4, -5 }, 1 << 1 | 1 << 0 | 1 << 3 },
    { "top-p counts after top-k",            1 / M_LN2, 0.6, 2,
      { -2, -1, -5, -3, -4, -5 }, 1 << 1 },
    { "temperature sharpens before top-p",   0.1 / M_LN2, 0.9, 0,
      { -2, -1, -5, -3, -4, -5 }, 1 << 1 },
    { "large logits do not overflow",        1, 1, 0,
      { 5000, 5000, 0, 0, 0, 5000 }, 1 << 0 | 1 << 1 | 1 << 5 },
};

static void possible(void **state)
{
    const struct Row *r = *state;
    struct Sampler s;
    unsigned seen = 0;
    sampler_create(&s, V, r->temperature, r->top_k, r->top_p, 1);
    for (uint64_t i = 0; i < 1000; i++) {
        int32_t t = sampler_pick(&s, r->logits, i);
        assert_true(t >= 0 && t < V);
        seen |= 1u << t;
    }
    sampler_free(&s);
    if (seen != r->expected)
        fail_msg("tokens %#x, expected %#x", seen, r->expected);
}

/* 200,000 draws against the softmax: chi-squared, 5 degrees of freedom;
 * 30 has a probability of 1.5e-5 if all is right. */
static void frequencies(void **state)
{
    (void)state;
    static const real logits[V] = { 0, 1, -1, 2, (real)0.5, -3 };
    enum { N = 200000 };
    double p[V], sum = 0, chi = 0, count[V] = {0};
    struct Sampler s;
    for (int i = 0; i < V; i++)
        sum += p[i] = exp((double)logits[i] / 1.5);
    sampler_create(&s, V, 1.5, 0, 1, 7);
    for (uint64_t i = 0; i < N; i++)
        count[sampler_pick(&s, logits, i)]++;
    sampler_free(&s);
    for (int i = 0; i < V; i++) {
        double e = N * p[i] / sum;
        chi += (count[i] - e) * (count[i] - e) / e;
    }
    if (!(chi < 30))
        fail_msg("chi-squared %g", chi);
}

static void same_seed_same_draw(void **state)
{
    (void)state;
    static const real logits[V] = {0};
    struct Sampler a, b;
    int differ = 0;
    sampler_create(&a, V, 1, 0, 1, 1);
    sampler_create(&b, V, 1, 0, 1, 2);
    for (uint64_t i = 0; i < 100; i++) {
        int32_t t = sampler_pick(&a, logits, i);
        assert_int_equal(t, sampler_pick(&a, logits, i));
        differ += t != sampler_pick(&b, logits, i);
    }
    assert_true(differ > 50);
    sampler_free(&a);
    sampler_free(&b);
}

/* As tests/reference/drawn.py finds from the words of the chapter. */
static const struct { uint64_t seed, number; int32_t token; } drawn[] = {
    { 0x0, 0x0, 399 },
    { 0x0, 0x1, 516 },
    { 0x0, 0x2, 24 },
    { 0x0, 0x200000000, 864 },
    { 0x123456789abcdef0, 0x0, 35 },
    { 0x123456789abcdef0, 0x1, 223 },
    { 0x123456789abcdef0, 0x2, 541 },
    { 0x123456789abcdef0, 0x200000000, 648 },
};

static void draws_are_as_specified(void **state)
{
    (void)state;
    static const real equal[1000] = { 0 };
    for (size_t k = 0; k < sizeof drawn / sizeof *drawn; k++) {
        struct Sampler s;
        sampler_create(&s, 1000, 1, 0, 1, drawn[k].seed);
        assert_int_equal(drawn[k].token,
                         sampler_pick(&s, equal, drawn[k].number));
        sampler_free(&s);
    }
}

static void broken_logits(void **state)
{
    (void)state;
    static const real broken[][V] = {
        { (real)NAN, 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, (real)NAN },
        { NONE, NONE, NONE, NONE, NONE, NONE },
        { 0, 0, (real)INFINITY, 0, 0, 0 },
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        for (int t = 0; t < 2; t++) {
            struct Sampler s;
            sampler_create(&s, V, t, 0, 1, 1);
            assert_int_equal(sampler_pick(&s, broken[i], 0), -1);
            sampler_free(&s);
        }
    }
}

/* ---- UTF-8 ---- */

struct Text { const char *bytes; size_t whole; };
static struct Text texts[] = {
    { "", 0 }, { "a", 1 }, { "ab", 2 },
    { "\xc3", 0 }, { "\xc3\xa9", 2 }, { "a\xc3", 1 },
    { "\xe4\xbd", 0 }, { "\xe4\xbd\xa0", 3 }, { "x\xe4", 1 },
    { "\xf0\x9f\x98", 0 }, { "\xf0\x9f\x98\x80", 4 }, { "\xf0", 0 },
    { "\xa9", 1 },              /* cannot begin a character: out with it */
    { "\xff", 1 }, { "\xf8", 1 }, { "\xc0", 1 },
    { "\xc3\xa9\xa9", 3 },      /* one continuation too many */
    { "\xe4" "a", 2 },          /* broken off: nothing to wait for */
};

static void whole(void **state)
{
    const struct Text *t = *state;
    size_t n = strlen(t->bytes);
    assert_int_equal(utf8_whole((const uint8_t *)t->bytes, n), t->whole);
}

/* A text is the spellings of its tokens, one after another, whether or not
 * they are UTF-8: of 257 tokens that are bytes, drawn from the last T each
 * time, until the last is asked for or the end of a text comes. */
static void text_is_its_tokens(void **state)
{
    (void)state;
    enum { T = 8, TOKENS = 257, COUNT = 300 };
    const struct Config c = { .V = TOKENS, .T = T, .L = 1, .NH = 1, .C = 16 };
    struct Model m;
    struct Vocab v;
    struct Error e;
    int ended = 0;
    if (!model_create(&m, &c, 1, T, false, &e))
        fail_msg("%s", e.text);
    model_init(&m, 1);
    assert_true(vocab_from_merges(&v, NULL, 0, NULL));
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct Sampler s;
        const size_t n = seed % 2 ? 1 : T + 3;
        uint16_t prompt[T + 3];
        int32_t all[T + 3 + COUNT];
        uint8_t should[COUNT];
        size_t length = 0, size, k;
        char *text;
        for (k = 0; k < n; k++)
            all[k] = prompt[k] = (uint16_t)(7 * k);
        sampler_create(&s, TOKENS, 1, 0, 1, seed);
        FILE *f = open_memstream(&text, &size);
        assert_true(generate_text(&m, &v, &s, f, prompt, n, COUNT, &e));
        fclose(f);
        for (; k < n + COUNT; k++) {
            real logits[TOKENS];
            const int used = k < T ? (int)k : T;
            model_logits(&m, logits, all + k - used, 1, used);
            all[k] = sampler_pick(&s, logits, k - n);
            if (all[k] == v.eot)
                break;
            should[length++] = *vocab_spelling(&v, all[k], &(size_t){ 0 });
        }
        ended += k < n + COUNT;
        assert_int_equal(size, length);
        assert_memory_equal(text, should, length);
        free(text);
        sampler_free(&s);
    }
    assert_true(ended > 0 && ended < 6);
    vocab_free(&v);
    model_free(&m);
}

static void damaged_model(void **state)
{
    (void)state;
    const struct Config c = { .V = 257, .T = 4, .L = 1, .NH = 1, .C = 16 };
    const uint16_t prompt = 3;
    struct Model m;
    struct Vocab v;
    struct Error e = { "" };
    struct Sampler s;
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!model_create(&m, &c, 1, 4, false, &e))
        fail_msg("%s", e.text);
    model_init(&m, 1);
    m.w.ln_f_w[5] = NAN;
    assert_true(vocab_from_merges(&v, NULL, 0, NULL));
    sampler_create(&s, 257, 1, 0, 1, 1);
    assert_false(generate_text(&m, &v, &s, f, &prompt, 1, 4, &e));
    assert_non_null(strstr(e.text, "logits are not numbers"));
    fclose(f);
    assert_int_equal(size, 0);
    free(text);
    sampler_free(&s);
    vocab_free(&v);
    model_free(&m);
}

int main(void)
{
    enum { ROWS = sizeof rows / sizeof *rows,
           TEXTS = sizeof texts / sizeof *texts };
    static char name[TEXTS][60];
    struct CMUnitTest tests[ROWS + TEXTS + 6] = {
        [ROWS + TEXTS] = cmocka_unit_test(frequencies),
        cmocka_unit_test(same_seed_same_draw),
        cmocka_unit_test(draws_are_as_specified),
        cmocka_unit_test(broken_logits),
        cmocka_unit_test(text_is_its_tokens),
        cmocka_unit_test(damaged_model),
    };
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){ rows[i].name, possible, NULL, NULL,
                                        &rows[i] };
    for (size_t i = 0; i < TEXTS; i++) {
        int at = snprintf(name[i], sizeof name[i], "utf8");
        for (const char *b = texts[i].bytes; *b; b++)
            at += snprintf(name[i] + at, sizeof name[i] - (size_t)at,
                           " %02x", *b & 0xff);
        tests[ROWS + i] = (struct CMUnitTest){ name[i], whole, NULL, NULL,
                                               &texts[i] };
    }
    return _cmocka_run_group_tests("sampler", tests, ROWS + TEXTS + 6, NULL,
                                   NULL);
}
