/* Tangled from chapters/workshop/programs.nw, "generate".  Edit it there. */

/* generate: text from prompts. */
#include "base/args.h"
#include "base/file.h"
#include "base/text.h"
#include "base/threads.h"
#include "gpt2/writer.h"
#include "programs/open_model.h"

#include <stdlib.h>
#include <string.h>

/* the options of generate */
static struct ModelSource file;
static const char *vocab, *prompt = "\n", *prompts, *stop;
static int tokens = 200, top_k, window, samples = 1, batch = 8;
static double temperature = 0.8, top_p = 0.95, penalty = 1;
static int64_t seed = 1;

static const struct Option options[] = {
    MODEL_FILE_OPTIONS(file),
    { "vocab", OPT_STRING, &vocab, 0, 0, "DIR", "the model's vocabulary",
      NULL },
    { "prompt", OPT_STRING, &prompt, 0, 0, "TEXT", "what to continue",
      NULL },
    { "prompts", OPT_STRING, &prompts, 0, 0, "FILE",
      "instead: a prompt in each line", NULL },
    { "samples", OPT_INT, &samples, 1, 1e6, "N",
      "texts for each prompt", NULL },
    { "batch", OPT_INT, &batch, 1, 4096, "B",
      "texts that are written at once", NULL },
    { "tokens", OPT_INT, &tokens, 1, 1e9, "N", "how many to write", NULL },
    { "stop", OPT_STRING, &stop, 0, 0, "TEXT",
      "end a text before this token", NULL },
    /* the options of the choice */
    { "temperature", OPT_DOUBLE, &temperature, 0, 1e6, "X",
      "below 1 sharper, 0: always the likeliest", NULL },
    { "top-k", OPT_INT, &top_k, 0, 1e9, "K",
      "choose among the K likeliest; 0: all", NULL },
    { "top-p", OPT_DOUBLE, &top_p, 0, 1, "P",
      "choose among the likeliest that reach P together", NULL },
    { "repetition-penalty", OPT_DOUBLE, &penalty, 1, 1e6, "X",
      "make tokens of the text less likely; 1: do not", NULL },
    { "seed", OPT_INT64, &seed, 0, 9e15, "S", "of the choices", NULL },
    { "window", OPT_INT, &window, 1, 1e6, "T",
      "tokens the model looks back; default: all it can", NULL },
    { .type = OPT_END },
};

static const struct Usage usage = {
    "--init FILE.safetensors --vocab DIR [--prompt TEXT] [options]",
    "Continue a text, or several.",
    "Text i of several (from 0) has the seed S + i, and says what it\n"
    "would say alone.  A text longer than the model's context is\n"
    "continued from its last part: the window slides by one token for\n"
    "each that is written.",
};

static struct Tokenizer *tokenizer;

/* the prompts of generate */
struct Prompt { const char *text; size_t length; struct Tokens tokens; };

static struct Prompt *prompt_list;
static int prompt_count;

static void add_prompt(const char *text, size_t n)
{
    struct Prompt p = { .text = text, .length = n };
    struct Prompt *more = realloc(prompt_list, (size_t)(prompt_count + 1)
                                               * sizeof *more);
    if (!more || tokenizer_encode(tokenizer, &p.tokens,
                                  (const uint8_t *)text, n, 0, n) < n)
        fail("out of memory for a prompt of %zu bytes", n);
    prompt_list = more;
    prompt_list[prompt_count++] = p;
}


static void read_prompts(struct Mapped *m)
{
    struct Error e;
    if (!prompts) {
        add_prompt(prompt, strlen(prompt));
        return;
    }
    if (!map_file(m, prompts, &e))
        fail("%s", e.text);
    const char *at = (const char *)m->data, *end = at + m->size;
    for (int line = 1; at < end; line++) {
        const char *stop_at = memchr(at, '\n', (size_t)(end - at));
        stop_at = stop_at ? stop_at : end;
        if (stop_at == at)
            fail("%s: line %d is empty; a prompt has at least one "
                 "character", prompts, line);
        add_prompt(at, (size_t)(stop_at - at));
        at = stop_at + 1;
    }
    if (!prompt_count)
        fail("%s: is empty; write a prompt in each line", prompts);
}


/* the output of generate */
struct Output { char *bytes; size_t size; FILE *stream; };

static void open_texts(struct Continuation *t, struct Output *out, int n)
{
    for (int i = 0; i < n; i++) {
        const struct Prompt *p = &prompt_list[i / samples];
        if (i > 0)
            out[i].stream = open_memstream(&out[i].bytes, &out[i].size);
        t[i] = (struct Continuation){ .prompt = p->tokens.at,
            .n = p->tokens.count, .seed = (uint64_t)seed + (uint64_t)i,
            .out = i > 0 ? out[i].stream : stdout };
        if (!t[i].out)
            fail("out of memory for %d texts", n);
        show_text(t[i].out, p->text, p->length);
    }
    fflush(stdout);
}

static void print_texts(struct Output *out, int n)
{
    putchar('\n');
    for (int i = 1; i < n; i++) {
        fclose(out[i].stream);
        printf("---\n");
        fwrite(out[i].bytes, 1, out[i].size, stdout);
        putchar('\n');
        free(out[i].bytes);
    }
    if (fflush(stdout) != 0 || ferror(stdout))
        fail("standard output: cannot write");
}


/* the token at which a text of generate stops */
static int32_t stop_token(void)
{
    struct Tokens t = { 0 };
    const size_t n = stop ? strlen(stop) : 0;
    if (!stop)
        return -1;
    if (tokenizer_encode(tokenizer, &t, (const uint8_t *)stop, n, 0, n)
        < n)
        fail("out of memory for --stop");
    if (t.count != 1)
        misuse("--stop: '%s' is %zu tokens of this vocabulary, and has to "
               "be one", stop, t.count);
    const int32_t token = t.at[0];
    free(t.at);
    return token;
}


int main(int argc, char **argv)
{
    struct Model m;
    struct Decoder d;
    struct Sampler s;
    struct Error e;
    threads_wait_politely(argv);
    args_options(argc, argv, options, &usage);
    if (!file.init || !vocab)
        misuse("give --init FILE.safetensors and --vocab DIR");
    tokenizer = tokenizer_read(vocab, &e);
    if (!tokenizer)
        fail("%s", e.text);
    /* read the prompts, open the model, and write */
    struct Mapped lines = { 0 };
    struct QuantisedModel q = { .m = &m };
    char path[FILE_PATH_MAX];
    const struct WriteOptions o = { .count = tokens, .stop = stop_token() };
    read_prompts(&lines);
    const int n = prompt_count * samples, rows = batch < n ? batch : n;
    model_open(&m, &file, 1, window);
    if (tokenizer->vocab.size != m.config.V)
        fail("%s: has %d tokens, but the model in %s was made for %d; give "
             "the vocabulary it was trained with", vocab,
             tokenizer->vocab.size, file.init, m.config.V);
    struct Continuation *t = calloc((size_t)n, sizeof *t);
    struct Output *out = calloc((size_t)n, sizeof *out);
    if (!t || !out || !sampler_create(&s, m.config.V, temperature, top_k, top_p,
                                      (uint64_t)seed))
        fail("out of memory for %d texts", n);
    s.penalty = penalty;
    if (!decoder_create(&d, &m, rows, m.T, &e)
        || (d.cache && !quantised_model_read(&q, &m,
                                             model_file(path, file.init), &e)))
        fail("%s", e.text);
    if (d.cache)
        decoder_quantise(&d, &q);

    /* write the texts of generate, and clear up */
    open_texts(t, out, n);
    const bool ok = write_texts(&d, &tokenizer->vocab, &s, t, n, &o, &e);
    print_texts(out, n);
    decoder_free(&d);
    quantised_model_free(&q);
    sampler_free(&s);
    model_free(&m);
    tokenizer_free(tokenizer);
    for (int i = 0; i < prompt_count; i++)
        free(prompt_list[i].tokens.at);
    free(prompt_list);
    unmap_file(&lines);
    free(t);
    free(out);
    if (!ok)
        fail("%s", e.text);
    return 0;
}
