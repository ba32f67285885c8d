/* Tangled from chapters/course/text-and-tokens-solutions.nw, "Solutions: text and tokens".  Edit it there. */

#include "course/course.h"

/* graders of text-and-tokens */
static const struct Shape one_thread = { { 1, 1, 1 }, { 1, 1, 1 }, 0 };

/* A permutation of the 32-bit numbers. */
static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6b;
    x = (x ^ x >> 13) * 0xc2b2ae35;
    return x ^ x >> 16;
}

static void run_slots(struct Run *r)
{
    uint32_t n = (uint32_t)case_size(r), slots = 2;
    while (slots < 2 * n)
        slots *= 2;
    uint32_t from = case_counted(r) ? 0
                                    : (uint32_t)case_random(r, 0, 1 << 30);
    struct Array *pair = input_ints(r, "pair", n, 0, 1);
    struct Array *query = input_ints(r, "query", 2 * n, 0, 1);
    struct Array *space = zero_ints(r, "space", 2 * slots);
    struct Array *rank = output_ints(r, "rank", 2 * n);
    int *wanted = wanted_ints(r, 2 * n);
    for (uint32_t i = 0; i < n; i++)
        pair->i[i] = (int)mixed(from + i);
    for (uint32_t q = 0; q < 2 * n; q++) {
        uint32_t i = mixed(q + n) % (2 * n);
        query->i[q] = (int)mixed(from + i);
        wanted[q] = i < n ? (int)i : -1;
    }
    refill(r, pair);
    refill(r, query);
    LAUNCH(r, "look_up", one_thread, ARRAY(rank), ARRAY(query),
           INT((int)(2 * n)), ARRAY(pair), INT((int)n), ARRAY(space),
           INT((int)slots));
    expect_ints(r, rank, wanted);
    budget_lines(r, 10500, 8669);
}

static void run_windows(struct Run *r)
{
    int T = case_size(r), windows = case_random(r, 1, 6);
    int more = case_random(r, 0, 2), first = case_random(r, 0, 99);
    if (case_counted(r))
        windows = 5, first = 3, more = 0;
    int n = T * windows + 1 + (more == 2 ? T - 1 : more < T ? more : 0);
    size_t rows = 2 * (size_t)windows + 1, count = rows * (size_t)T;
    struct Array *shard = input_array(r, "shard", ARRAY_BF16, (size_t)n);
    for (int i = 0; i < n; i++)
        shard->h[i] = (uint16_t)case_random(r, 0, 65535);
    refill(r, shard);
    struct Array *tokens = output_ints(r, "tokens", count);
    struct Array *targets = output_ints(r, "targets", count);
    int *in = wanted_ints(r, count), *out = wanted_ints(r, count);
    for (size_t i = 0; i < count; i++) {
        int row = (int)(i / (size_t)T), t = (int)(i % (size_t)T);
        int at = (first + row) % windows * T + t;
        in[i] = shard->h[at];
        out[i] = shard->h[at + 1];
    }
    LAUNCH(r, "batch", blocks_for(64 * rows, 64), ARRAY(tokens),
           ARRAY(targets), ARRAY(shard), INT(n), INT(T), INT(first));
    expect_ints(r, tokens, in);
    expect_ints(r, targets, out);
    budget(r, "sectors read", "gld_sec", 240, 220);
    budget(r, "sectors written", "gst_sec", 352, 352);
}

static uint32_t feistel_f(uint32_t x, uint32_t round, uint32_t seed)
{
    x = ((x * 6 + round) ^ seed) * 0x9e3779b9;
    x = (x ^ x >> 15) * 0x85ebca6b;
    return x ^ x >> 13;
}

static uint32_t feistel(uint32_t i, uint32_t a, uint32_t seed)
{
    uint32_t left = i / a, right = i % a;
    for (uint32_t round = 0; round < 6; round++) {
        uint32_t sum = (left + feistel_f(right, round, seed) % a) % a;
        left = right;
        right = sum;
    }
    return left * a + right;
}

static void run_undo(struct Run *r)
{
    uint32_t n = (uint32_t)case_random(r, 1, 500), a = 1, w;
    uint32_t seed = (uint32_t)case_random(r, 0, 1 << 30);
    int queries = case_size(r);
    if (case_counted(r))
        n = 1000, seed = 2026;
    while (a * a < n)
        a++;
    struct Array *window = input_ints(r, "window", (size_t)queries, 0,
                                      (int)n);
    struct Array *index = output_ints(r, "index", (size_t)queries);
    int *wanted = wanted_ints(r, (size_t)queries);
    for (int q = 0; q < queries; q++)
        window->i[q] = case_counted(r) ? 7 * q : window->i[q];
    refill(r, window);
    for (uint32_t i = 0; i < n; i++) {
        for (w = feistel(i, a, seed); w >= n;)
            w = feistel(w, a, seed);
        for (int q = 0; q < queries; q++)
            if (window->i[q] == (int)w)
                wanted[q] = (int)i;
    }
    LAUNCH(r, "undo", blocks_for((size_t)queries, 128), ARRAY(index),
           ARRAY(window), INT(queries), INT((int)n), INT((int)a),
           INT((int)seed));
    expect_ints(r, index, wanted);
    budget(r, "warp instructions", "inst", 800, 404);
    budget(r, "sectors read", "gld_sec", 16, 16);
    budget(r, "sectors written", "gst_sec", 16, 16);
}

static int merged(int *out, const int *token, int n, int left, int right)
{
    int k = 0;
    for (int i = 0; i < n; k++)
        if (i + 1 < n && token[i] == left && token[i + 1] == right) {
            out[k] = 300;
            i += 2;
        } else
            out[k] = token[i++];
    return k;
}

static void run_merge(struct Run *r)
{
    size_t rows = (size_t)case_size(r);
    int left = case_random(r, 0, 2), twin = case_random(r, 0, 1);
    int right = case_counted(r) || twin ? left : case_random(r, 0, 2);
    struct Array *token = input_ints(r, "token", 256 * rows, 0, 3);
    struct Array *length = input_ints(r, "length", rows, 0, 257);
    struct Array *out = output_ints(r, "out", 256 * rows);
    int *wanted = wanted_ints(r, 256 * rows);
    for (size_t b = 0; b < rows; b++) {
        int *row = token->i + 256 * b, *want = wanted + 256 * b;
        bool run = !case_counted(r) && b % 8 == 3;
        if (run || case_counted(r))
            length->i[b] = 256 - run;
        for (int i = 0; run && i < 256; i++)
            row[i] = left;
        int k = merged(want, row, length->i[b], left, right);
        while (k < 256)
            want[k++] = -1;
    }
    refill(r, token);
    refill(r, length);
    LAUNCH(r, "merge", blocks_for(256 * rows, 256), ARRAY(out),
           ARRAY(token), ARRAY(length), INT(left), INT(right), INT(300));
    expect_ints(r, out, wanted);
    budget(r, "warp instructions", "inst", 27000, 18200);
    budget(r, "load requests", "gld_req", 300, 256);
    budget(r, "barriers (warps arriving)", "barriers", 768, 256);
    budget(r, "bytes of atomic operations", "gatom_bytes+gred_bytes", 0, 0);
}

static void run_characters(struct Run *r)
{
    size_t n = 16 * (size_t)case_size(r), i = 0;
    struct Array *text = input_array(r, "text", ARRAY_BYTE, n);
    struct Array *begins = output_ints(r, "begins", n / 16);
    int *wanted = wanted_ints(r, n / 16);
    static const uint8_t first[] = { 0x41, 0xc3, 0xe4, 0xf0 };
    while (i < n) {
        size_t more = (size_t)case_random(r, 0, 3);
        wanted[i / 16]++;
        text->b[i] = more ? first[more] : (uint8_t)case_random(r, 0, 127);
        for (i++; more > 0 && i < n; more--, i++)
            text->b[i] = (uint8_t)case_random(r, 0x80, 0xbf);
    }
    refill(r, text);
    LAUNCH(r, "characters", blocks_for(n / 16, 128), ARRAY(begins),
           ARRAY(text), INT((int)n));
    expect_ints(r, begins, wanted);
    budget(r, "load requests", "gld_req", 64, 32);
    budget(r, "warp instructions", "inst", 2000, 1408);
}

extern const struct Exercise text_and_tokens_exercises[];
const struct Exercise text_and_tokens_exercises[] = {
    /* exercises of text-and-tokens */
    { .name = "text-and-tokens/slots", .title = "slow: two lines for a lookup",
      .difficulty = 2, .run = run_slots,
      .size = { 1, 2, 31, 33, 1000, 4096 }, .largest = 600,
      .hint = { "How far apart are key[i] and value[i], in bytes?",
                "What is read together should be in one line: make a slot "
                "of a key and a value, side by side.",
                "Slot i is space[2 * i] and space[2 * i + 1].  Its 8 bytes "
                "never cross a line, since 64 is a multiple of 8." } },
    { .name = "text-and-tokens/windows", .title = "broken: a batch of windows",
      .difficulty = 1, .run = run_windows,
      .size = { 1, 2, 3, 63, 65, 64, 128 }, .largest = 150,
      .hint = { "Which values has a short?  Which id of 16 bits becomes a "
                "negative number?",
                "Where does the second window begin, if its first id is the "
                "last one of the first?",
                "A shard of T ids has no window, although n / T is 1." } },
    { .name = "text-and-tokens/undo", .title = "when is a window read?",
      .difficulty = 3, .run = run_undo,
      .size = { 1, 2, 31, 33, 100, 129, 128 }, .largest = 200,
      .hint = { "After a round the old right digit is on the left.  So f of "
                "it can be computed, although it cannot be undone itself.",
                "Undo the rounds from the last to the first.  Numbers without "
                "a sign do not go below 0: add a before you subtract.",
                "A result that is not below n is not a window.  Which "
                "index leads to it?" } },
    { .name = "text-and-tokens/merge", .title = "a merge by 256 threads",
      .difficulty = 4, .run = run_merge,
      .size = { 1, 2, 5, 16 }, .largest = 12,
      .hint = { "Two questions for each thread: does a merge begin at my "
                "token, and is my token the right half of a merge?",
                "If left and right differ, two merges cannot overlap.  If they "
                "are equal, number the tokens of a run from 0: merges begin "
                "at even numbers.",
                "The place of a token is the number of tokens before it that "
                "are kept: __ballot_sync and __popc for those in its warp, "
                "eight sums in shared memory for the warps before.",
                "The threads from the new length on write the -1." } },
    { .name = "text-and-tokens/characters",
      .title = "sixteen bytes at a time",
      .difficulty = 2, .run = run_characters,
      .size = { 1, 2, 127, 129, 200, 1024 }, .largest = 500,
      .hint = { "One load of a uint4 brings 16 bytes, in four words.",
                "Make a word in which bit 7 of each byte says whether this "
                "byte continues a character: bit 7 is set and bit 6 is not.",
                "A shift by one puts bit 6 of each byte in the place of "
                "bit 7.  Mask with 0x80808080, and count with __popc." } },
    { .name = NULL },
};
