/* A decoder against the model that computes every window whole, and the
 * texts that it writes. */
#include "rows.h"
#include "backend/backend.h"
#include "gpt2/strided_loss.h"
#include "gpt2/writer.h"

/* Heads of 24 channels, a context that is no multiple of a tile of 32. */
static const struct Config config = { .V = 257, .T = 70, .L = 2, .NH = 2,
                                      .C = 48 };
enum { V = 257, T = 70, MANY = 4 };

static struct Error e;

static void open_model(struct Model *m)
{
    if (!model_create(m, &config, 1, T, false, &e))
        fail_msg("%s", e.text);
    model_init(m, 3);
    /* a start with larger logits, and biases that are not zero */
    real *w = model_borrow(m);
    for (size_t i = 0; i < m->table.total; i++)
        w[i] = w[i] * 4 + (real)(0.02 * noise(5, i));
    model_return(m, w, true);
}

/* What has not been stored is NaN. */
static void open_decoder(struct Decoder *d, struct Model *m, int rows)
{
    if (!decoder_create(d, m, rows, T, &e))
        fail_msg("%s", e.text);
    const size_t n = (size_t)2 * (size_t)rows * T * (size_t)config.C
                   * (size_t)config.L;
    real *nan = malloc(n * sizeof *nan);
    for (size_t i = 0; i < n; i++)
        nan[i] = (real)NAN;
    backend_put(d->memory, nan, n * sizeof *nan);
    free(nan);
}

static void some_text(int32_t *text, int n, int seed)
{
    for (int i = 0; i < n; i++)
        text[i] = (int32_t)((noise((uint64_t)seed, (uint64_t)i) + 1) / 2 * V);
}

/* Off by at most `allowed` of the largest. */
static void near(const char *what, const real *got, const real *want,
                 double allowed)
{
    double most = 0, top = 0;
    for (int i = 0; i < V; i++) {
        if (!isfinite((double)got[i]))
            fail_msg("%s: logit %d is %g", what, i, (double)got[i]);
        most = fmax(most, fabs((double)got[i] - (double)want[i]));
        top = fmax(top, fabs((double)want[i]));
    }
    if (!(most <= allowed * top) || !(top > 0))
        fail_msg("%s: off by %.3g of %.3g", what, most, top);
}

/* Each of the two may be off by what test_model allows. */
static void same(const char *what, const real *got, const real *want)
{
    near(what, got, want, 2 * 8.4e-7);
}

static void full(struct Model *m, real *logits, const int32_t *text, int n)
{
    model_logits(m, logits, text, 1, n);
}

/* A prompt in pieces of `piece` tokens, the logits after each. */
static void pieces(const struct Row *row)
{
    const int n = row_int(row, "n"), piece = row_int(row, "piece");
    struct Model m;
    struct Decoder d;
    int32_t text[T];
    real want[V], got[V];
    open_model(&m);
    open_decoder(&d, &m, 1);
    some_text(text, n, 1);
    for (int i = 0; i < n; i += piece) {
        const int k = n - i < piece ? n - i : piece;
        if (!decoder_prefill(&d, 0, text + i, k, got, &e))
            fail_msg("%s", e.text);
        full(&m, want, text, i + k);
        same("after a piece", got, want);
    }
    decoder_free(&d);
    model_free(&m);
}

/* The same bits, where one compiler has compiled all of it in one way, and
 * no library multiplies. */
static void bits(const struct Row *row)
{
    const int n = row_int(row, "n");
    struct Model m;
    struct Decoder d;
    int32_t text[T];
    real want[V], got[V];
    open_model(&m);
    open_decoder(&d, &m, 1);
    some_text(text, n, 1);
    for (int i = 0; i < n; i++) {
        decoder_step(&d, (int[]){ 0 }, text + i, 1, got, &e);
        full(&m, want, text, i + 1);
        near("a step", got, want, backend_kind() == BACKEND_CUDA ? 1.7e-6
                                                                 : 0);
    }
    decoder_free(&d);
    model_free(&m);
}

/* Texts of different lengths, in one step each, as if each were alone; the
 * rows are not in order, and the texts are read in turns. */
static void batch(const struct Row *row)
{
    const int steps = row_int(row, "steps");
    static const int length[MANY] = { 9, 1, 33, 40 };
    static const int rows[MANY] = { 2, 0, 3, 1 };
    struct Model m;
    struct Decoder d;
    int32_t text[MANY][T];
    real want[V], got[MANY * V];
    open_model(&m);
    open_decoder(&d, &m, MANY);
    for (int b = 0; b < MANY; b++)
        some_text(text[b], T, b + 1);
    for (int b = 0; b < MANY; b++)
        decoder_prefill(&d, rows[b], text[b], length[b], NULL, &e);
    for (int s = 0; s < steps; s++) {
        int32_t token[MANY];
        for (int b = 0; b < MANY; b++)
            token[b] = text[b][length[b] + s];
        if (!decoder_step(&d, rows, token, MANY, got, &e))
            fail_msg("%s", e.text);
        for (int b = 0; b < MANY; b++) {
            full(&m, want, text[b], length[b] + s + 1);
            same("a text of four", got + b * V, want);
        }
    }
    decoder_free(&d);
    model_free(&m);
}

/* After a reset a row knows nothing of its former text, and its neighbour
 * still knows all. */
static void reset(const struct Row *row)
{
    struct Model m;
    struct Decoder d;
    int32_t old[T], text[T], other[T];
    real want[V], got[2 * V];
    (void)row;
    open_model(&m);
    open_decoder(&d, &m, 2);
    some_text(old, T, 7);
    some_text(text, T, 8);
    some_text(other, T, 9);
    decoder_prefill(&d, 0, other, 20, NULL, &e);
    decoder_prefill(&d, 1, old, T, NULL, &e);
    decoder_reset(&d, 1);
    decoder_prefill(&d, 1, text, 5, got, &e);
    full(&m, want, text, 5);
    same("after a reset", got, want);
    if (!decoder_step(&d, (int[]){ 1, 0 }, (int32_t[]){ text[5], other[20] },
                      2, got, &e))
        fail_msg("%s", e.text);
    full(&m, want, text, 6);
    same("a step after a reset", got, want);
    full(&m, want, other, 21);
    same("its neighbour", got + V, want);
    decoder_free(&d);
    model_free(&m);
}

static void uncached(const struct Row *row)
{
    struct Model m;
    struct Decoder d;
    int32_t text[2][T];
    real want[V], got[2 * V];
    (void)row;
    open_model(&m);
    if (!decoder_create_uncached(&d, &m, 2, T, &e))
        fail_msg("%s", e.text);
    some_text(text[0], T, 1);
    some_text(text[1], T, 2);
    decoder_prefill(&d, 0, text[0], 4, NULL, &e);
    decoder_prefill(&d, 1, text[1], 6, got, &e);
    full(&m, want, text[1], 6);
    same("a prompt", got, want);
    decoder_step(&d, (int[]){ 0, 1 }, (int32_t[]){ text[0][4], text[1][6] },
                 2, got, &e);
    full(&m, want, text[0], 5);
    same("the first of two", got, want);
    full(&m, want, text[1], 7);
    same("the second of two", got + V, want);
    decoder_free(&d);
    model_free(&m);
}

/* Row `skip` of the table stays without codes. */
static void quantise_model(struct QuantisedModel *q, struct Model *m,
                           int bits, int group, int skip)
{
    if (!quantised_model_round(q, m, bits == 4 ? WEIGHTS_INT4 : WEIGHTS_INT8,
                               group, &e))
        fail_msg("%s", e.text);
    backend_free(q->row[skip].codes);
    q->row[skip].codes = NULL;
}

/* Steps by codes, of a prompt of 5 and a row of its own, as the window that
 * is computed with the numbers they stand for.  Then the codes of one matrix
 * are made zeros, to see that they are what is multiplied. */
static void by_codes(const struct Row *row)
{
    const int zero = row_int(row, "zero"), skip = row_int(row, "skip");
    struct Model m;
    struct Decoder d;
    struct QuantisedModel q;
    int32_t text[T];
    real want[V], got[V];
    open_model(&m);
    quantise_model(&q, &m, row_int(row, "bits"), row_int(row, "group"),
                   skip);
    open_decoder(&d, &m, 2);
    decoder_quantise(&d, &q);
    some_text(text, T, 1);
    decoder_prefill(&d, 1, text, 12, NULL, &e);
    for (int i = 12; i < 20; i++) {
        if (!decoder_step(&d, (int[]){ 1 }, text + i, 1, got, &e))
            fail_msg("%s", e.text);
        full(&m, want, text, i + 1);
        near("a step by codes", got, want, 4e-6);
    }
    backend_zero(q.row[zero].codes, (size_t)q.row[zero].N
                                    * quantised_row_bytes(&q.row[zero]));
    decoder_step(&d, (int[]){ 1 }, text + 20, 1, got, &e);
    full(&m, want, text, 21);
    double off = 0;
    for (int i = 0; i < V; i++)
        off = fmax(off, fabs((double)got[i] - (double)want[i]));
    assert_true(off > 1e-3);
    decoder_free(&d);
    quantised_model_free(&q);
    model_free(&m);
}

/* Windows that overlap, against a window of its own for every prediction;
 * another model agrees where its likeliest token is the same. */
static void strided(const struct Row *row)
{
    enum { COUNT = 131, OTHERS = 2 };
    const int stride = row_int(row, "stride"), rows = row_int(row, "rows");
    const int length = row_int(row, "T");
    struct Model m, other;
    struct Decoder d, two;
    struct StridedLoss got = { 0 }, want = { 0 };
    int32_t text[COUNT];
    uint16_t token[COUNT];
    real logits[OTHERS][V];
    open_model(&m);
    open_model(&other);
    real *change = model_borrow(&other);
    for (size_t i = 0; i < other.table.total; i++)
        change[i] += (real)(0.03 * noise(6, i));
    model_return(&other, change, true);
    some_text(text, COUNT, 1);
    for (int i = 0; i < COUNT; i++)
        token[i] = (uint16_t)text[i];
    assert_true(decoder_create(&d, &m, rows, length, &e));
    assert_true(decoder_create(&two, &other, rows, length, &e));
    if (!strided_loss(&got, &d, &two, token, COUNT, stride, 1000, &e))
        fail_msg("%s", e.text);
    for (int w = 0; w + length < COUNT; w += stride)
        for (int j = length - stride; j < length; j++) {
            int best[OTHERS] = { 0 };
            double sum = 0;
            full(&m, logits[0], text + w, j + 1);
            full(&other, logits[1], text + w, j + 1);
            for (int i = 0; i < V; i++) {
                sum += exp((double)logits[0][i]);
                for (int k = 0; k < OTHERS; k++)
                    if (logits[k][i] > logits[k][best[k]])
                        best[k] = i;
            }
            want.sum += log(sum) - (double)logits[0][text[w + j + 1]];
            want.agree += best[0] == best[1];
            want.tokens++;
        }
    assert_true(got.tokens == want.tokens && want.tokens > 50);
    if (!(fabs(got.sum - want.sum) <= 1e-5 * want.sum))
        fail_msg("the sum is %g, not %g", got.sum, want.sum);
    assert_true(got.agree == want.agree && got.agree < got.tokens
                && got.agree > 0);
    decoder_free(&d);
    decoder_free(&two);
    model_free(&m);
    model_free(&other);
}

static void refuses(const struct Row *row)
{
    struct Model m;
    struct Decoder d;
    (void)row;
    open_model(&m);
    assert_false(decoder_create(&d, &m, 0, 8, &e));
    assert_non_null(strstr(e.text, "0 texts of 8 tokens"));
    assert_false(decoder_create(&d, &m, 1, T + 1, &e));
    assert_non_null(strstr(e.text, "made for 70"));
    assert_false(decoder_create(&d, &m, 2000000000, T, &e));
    assert_non_null(strstr(e.text, "smaller --batch"));
    assert_true(model_ok(&m, NULL));
    model_free(&m);
}

/* ---- texts ---- */

struct Story { char *bytes; size_t size; };

/* n texts, `rows` at a time, each with its own prompt, length and seed. */
static void write_stories(struct Story *to, int first, int n, int rows,
                          const struct WriteOptions *o, double penalty)
{
    static const int length[] = { 3, 80, 1, 17, 69, 70 };
    struct Model m;
    struct Decoder d;
    struct Vocab v;
    struct Sampler s;
    struct Continuation t[8];
    uint16_t prompt[8][T + 20];
    open_model(&m);
    assert_true(vocab_from_merges(&v, NULL, 0, NULL));
    assert_true(sampler_create(&s, V, 1, 0, 1, 1));
    s.penalty = penalty;
    s.seed = (uint64_t)(first + 10);
    open_decoder(&d, &m, rows);
    for (int i = 0; i < n; i++) {
        const int k = length[first + i];
        for (int j = 0; j < k; j++)
            prompt[i][j] = (uint16_t)((7 * j + first + i) % 256);
        t[i] = (struct Continuation){ .prompt = prompt[i], .n = (size_t)k,
            .seed = (uint64_t)(first + i + 10),
            .out = open_memstream(&to[i].bytes, &to[i].size) };
    }
    if (!write_texts(&d, &v, &s, t, n, o, &e))
        fail_msg("%s", e.text);
    for (int i = 0; i < n; i++)
        fclose(t[i].out);
    decoder_free(&d);
    sampler_free(&s);
    vocab_free(&v);
    model_free(&m);
}

/* What a text says does not depend on what is written beside it. */
static void company(const struct Row *row)
{
    const int rows = row_int(row, "rows");
    enum { TEXTS = 6 };
    struct Story alone, together[TEXTS];
    const struct WriteOptions o = { .count = row_int(row, "count"),
                                    .stop = row_int(row, "stop") };
    write_stories(together, 0, TEXTS, rows, &o, 1.3);
    size_t all = 0;
    for (int i = 0; i < TEXTS; i++) {
        write_stories(&alone, i, 1, 1, &o, 1.3);
        if (alone.size != together[i].size
            || memcmp(alone.bytes, together[i].bytes, alone.size) != 0)
            fail_msg("text %d: %zu bytes alone, %zu among others, or not "
                     "the same", i, alone.size, together[i].size);
        all += alone.size;
        free(alone.bytes);
        free(together[i].bytes);
    }
    assert_true(all > 0);
}

/* A text ends before its stop, and is else what it would be. */
static void stops(const struct Row *row)
{
    struct Story whole, cut;
    struct WriteOptions o = { .count = 60, .stop = -1 };
    (void)row;
    write_stories(&whole, 0, 1, 1, &o, 1);
    assert_true(whole.size > 8);
    const char at = whole.bytes[5];
    size_t should = 0;
    while (whole.bytes[should] != at)
        should++;
    struct Vocab v;
    assert_true(vocab_from_merges(&v, NULL, 0, NULL));
    for (o.stop = 0; o.stop < 256; o.stop++) {
        size_t length;
        const uint8_t *b = vocab_spelling(&v, o.stop, &length);
        if (length == 1 && *b == (uint8_t)at)
            break;
    }
    vocab_free(&v);
    write_stories(&cut, 0, 1, 1, &o, 1);
    assert_true(cut.size == should);
    assert_true(memcmp(cut.bytes, whole.bytes, should) == 0);
    free(whole.bytes);
    free(cut.bytes);
}

/* With an enormous penalty no token comes twice. */
static void penalty(const struct Row *row)
{
    struct Story s;
    const struct WriteOptions o = { .count = 60, .stop = -1 };
    bool there[256] = { false };
    (void)row;
    write_stories(&s, 2, 1, 1, &o, 1e6);
    there[0] = true;
    for (size_t i = 0; i < s.size; i++) {
        const unsigned char c = (unsigned char)s.bytes[i];
        if (there[c] && c < 128 && c != '\\' && c >= ' ')
            fail_msg("byte %d comes again at %zu", c, i);
        there[c] = true;
    }
    free(s.bytes);
}

/* The rule by itself: half of what is positive, twice what is negative, once
 * for a token that is there twice; and nothing remembered. */
static void penalty_of_logits(const struct Row *row)
{
    struct Sampler s;
    (void)row;
    assert_true(sampler_create(&s, 4, 1, 0, 1, 1));
    real x[4] = { 3, -3, 5, -5 };
    s.penalty = 2;
    sampler_penalise(&s, x, (int32_t[]){ 0, 1, 0, 1 }, 4);
    assert_true(x[0] == (real)1.5 && x[1] == -6 && x[2] == 5 && x[3] == -5);
    sampler_penalise(&s, x, (int32_t[]){ 0, 2 }, 2);
    assert_true(x[0] == (real)0.75 && x[1] == -6 && x[2] == (real)2.5);
    sampler_free(&s);
}

static const struct Row rows[] = {
    { "prefill n=70 piece=70", pieces, "logits of the first token" },
    { "prefill n=40 piece=7", pieces, "positions of a piece begin at 0" },
    { "prefill n=70 piece=1", pieces, "cache off by one; sees the future" },
    { "bits n=70", bits, "another order of sums" },
    { "batch steps=5", batch, "rows that leak; one length for all" },
    { "reset", reset, "a length that stays; a reset of all rows" },
    { "uncached", uncached, "the text of another row" },
    { "codes bits=8 group=64 zero=0 skip=4", by_codes,
      "the codes of another matrix; a classifier in fp32" },
    { "codes bits=4 group=32 zero=24 skip=0", by_codes,
      "codes where there are none; no codes in the last layer" },
    { "strided T=30 stride=30 rows=2", strided, "the target of the token" },
    { "strided T=25 stride=7 rows=3", strided,
      "the context scored; a window that begins where another ended" },
    { "refuses", refuses, "a cache longer than the model's activations" },
    { "company rows=1 count=20 stop=-1", company, "rows not given back" },
    { "company rows=4 count=20 stop=-1", company, "one seed for all texts" },
    { "company rows=3 count=40 stop=101", company, "a row that is kept" },
    { "stop", stops, "a stop that is written" },
    { "penalty", penalty, "a window that is not asked" },
    { "penalty of logits", penalty_of_logits, "negative logits divided" },
};

int main(void)
{
    return rows_run("decoder", rows, sizeof rows / sizeof *rows);
}
