/* Tangled from chapters/workshop/inference-plumbing.nw, "bench-decode: a token on a CPU".  Edit it there. */

/* bench-decode: the time of a token on this CPU. */
#include "base/args.h"
#include "base/clock.h"
#include "base/threads.h"
#include "bench/block.h"
#include "bench/numbers.h"
#include "bench/sample.h"
#include "gpt2/decoder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* bench-decode: a copy of the weights' size */
static struct Numbers numbers;

struct Ceilings { double copy, read; };     /* bytes a second */

/* Of a copy by all threads, read and written, and of reading n floats. */
static struct Ceilings ceilings(size_t n)
{
    char *a = block_new(4 * n, true), *b = block_new(4 * n, true);
    struct Sample copy = { 0 }, read = { 0 };
    for (int r = 0; r < 11; r++) {
        const double begin = now_s();
        #pragma omp parallel for schedule(static)
        for (size_t i = 0; i < n / 1024; i++)
            memcpy(b + i * 4096, a + i * 4096, 4096);
        const double copied = now_s();
        /* bench-decode: read the copy once */
        long sum = 0;
        #pragma omp parallel for schedule(static) reduction(+ : sum)
        for (size_t i = 0; i < n / 1024; i++)
            sum += read_all(b + i * 4096, 4096);
        sample_add(&copy, copied - begin);
        sample_add(&read, now_s() - copied);
        a[r] = (char)(r + sum % 2);
    }
    return (struct Ceilings){ 8.0 * (double)n / median(&copy),
                              4.0 * (double)n / median(&read) };
}


/* bench-decode: texts of a length */
static struct Decoder reader(struct Model *m, int rows, int length,
                             bool cached, const int32_t *text)
{
    struct Decoder d;
    struct Error e;
    if (!(cached ? decoder_create : decoder_create_uncached)(
            &d, m, rows, m->T, &e))
        fail("%s", e.text);
    for (int b = 0; b < rows; b++)
        if (!decoder_prefill(&d, b, text, length, NULL, &e))
            fail("%s", e.text);
    return d;
}


/* bench-decode: time steps */
/* The next tokens of `rows` texts; the logits after them. */
static struct Sample steps(struct Decoder *d, real *logits, int runs)
{
    struct Sample t = { 0 };
    struct Error e;
    int rows[8];
    int32_t token[8];
    for (int r = 0; r < runs; r++) {
        for (int b = 0; b < d->rows; b++)
            rows[b] = b, token[b] = (int32_t)(17 * r + 5) % d->m->config.V;
        const double begin = now_s();
        if (!decoder_step(d, rows, token, d->rows, logits, &e))
            fail("%s", e.text);
        sample_add(&t, now_s() - begin);
    }
    return t;
}

static void print_steps(const char *name, const struct Sample *t, int rows,
                        double bytes, struct Ceilings top)
{
    const double rate = bytes / median(t);
    printf("%-24s %9.1f ms  %9.1f - %9.1f  %6.1f tokens/s  %5.1f %% of a "
           "copy  %5.1f %% of a read\n", name, 1e3 * median(t),
           1e3 * fastest(t), 1e3 * slowest(t), rows / median(t),
           100 * rate / top.copy, 100 * rate / top.read);
    number_put(&numbers, "ms", 1e3 * median(t), "decode.cpu.%s.ms", name);
    number_put(&numbers, "%", 100 * rate / top.copy,
               "decode.cpu.%s.percent", name);
    number_put(&numbers, "%", 100 * rate / top.read,
               "decode.cpu.%s.of-read", name);
}


/* The logits of a step, and the window's for the same text. */
static void expect_near(const real *logits, const real *window, size_t V,
                        const char *how)
{
    for (size_t i = 0; i < V; i++)
        if (!(fabs((double)logits[i] - (double)window[i]) <= 1e-4))
            fail("logit %zu is %g %s and %g without", i,
                 (double)logits[i], how, (double)window[i]);
}

/* A token by codes, in groups of 64; checked against the window. */
static void time_codes(struct Model *m, const char *name,
                       enum QuantisedType type, int length,
                       const int32_t *text, real *logits,
                       struct Ceilings top)
{
    struct QuantisedModel q;
    struct Error e;
    if (!quantised_model_round(&q, m, type, 64, &e))
        fail("%s", e.text);
    struct Decoder d = reader(m, 1, length, true, text);
    struct Decoder none = reader(m, 1, length, false, text);
    decoder_quantise(&d, &q);
    /* bench-decode: compare the step by codes with the window */
    const size_t V = (size_t)m->config.V;
    real *again = calloc(V, sizeof *again);
    if (!again)
        fail("no memory for logits");
    steps(&none, again, 1);
    steps(&d, logits, 1);
    expect_near(logits, again, V, "by codes");
    free(again);
    const struct Sample t = steps(&d, logits, 21);
    double bytes = 4.0 * (double)m->table.count;
    for (int i = 0; i < m->table.n; i++)
        if (q.row[i].codes)
            bytes += (double)q.row[i].N
                   * (double)(quantised_row_bytes(&q.row[i])
                              + 2 * quantised_groups(&q.row[i]))
                   - 4.0 * (double)m->table.row[i].size;
    print_steps(name, &t, 1, bytes, top);
    decoder_free(&d);
    decoder_free(&none);
    quantised_model_free(&q);
}


int main(int argc, char **argv)
{
    static const char *out = "", *machine = "", *model = "gpt2";
    static int length = 256;
    const struct Option options[] = {
        { "model", OPT_STRING, &model, 0, 0, "NAME", "gpt2, d6, ...",
          NULL },
        { "length", OPT_INT, &length, 1, 1000, "T",
          "tokens of a text before the timed ones", NULL },
        NUMBERS_OPTIONS(out, machine),
        { .type = OPT_END },
    };
    static const struct Usage usage = { "[options]",
        "Time a token with and without a KV cache.", NULL };
    struct Config c;
    struct Error e;
    threads_stay_put(argv);
    args_options(argc, argv, options, &usage);
    if (!config_preset(&c, model, &e))
        misuse("%s", e.text);
    if (!numbers_open(&numbers, out, machine, "bench-decode", &e))
        fail("%s", e.text);
    /* bench-decode: make the model, and time it */
    struct Model m;
    if (!model_create(&m, &c, 1, c.T, false, &e))
        fail("%s", e.text);
    model_init(&m, 1);
    const size_t V = (size_t)c.V;
    int32_t *text = calloc((size_t)length, sizeof *text);
    real *logits = calloc(8 * V, sizeof *logits);
    real *again = calloc(V, sizeof *again);
    if (!text || !logits || !again)
        fail("no memory for logits");
    for (int i = 0; i < length; i++)
        text[i] = (int32_t)((size_t)i * 7919 % V);

    /* bench-decode: compare, then time */
    const struct Ceilings top = ceilings(m.table.count);
    const double weights = 4.0 * (double)m.table.count;
    printf("%s, texts of %d tokens; a copy does %.1f GB/s, reading %.1f\n",
           model, length, top.copy / 1e9, top.read / 1e9);
    number_put(&numbers, "GB/s", top.copy / 1e9, "decode.cpu.copy");
    number_put(&numbers, "GB/s", top.read / 1e9, "decode.cpu.read");
    struct Decoder one = reader(&m, 1, length, true, text);
    struct Decoder none = reader(&m, 1, length, false, text);
    const struct Sample window = steps(&none, again, 3);
    steps(&one, logits, 3);
    expect_near(logits, again, V, "with the cache");
    const struct Sample cached = steps(&one, logits, 21);
    struct Decoder many = reader(&m, 8, length, true, text);
    const struct Sample eight = steps(&many, logits, 11);
    print_steps("window", &window, 1, weights, top);
    print_steps("cached", &cached, 1, weights, top);
    print_steps("eight", &eight, 8, weights, top);
    time_codes(&m, "int8", WEIGHTS_INT8, length, text, logits, top);
    time_codes(&m, "int4", WEIGHTS_INT4, length, text, logits, top);

    /* bench-decode: clear up */
    decoder_free(&one);
    decoder_free(&none);
    decoder_free(&many);
    model_free(&m);
    free(text);
    free(logits);
    free(again);
    if (!numbers_close(&numbers, &e))
        fail("%s", e.text);
    return 0;
}
