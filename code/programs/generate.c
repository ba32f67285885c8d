/* Tangled from chapters/workshop/programs.nw, "generate".  Edit it there. */

/* generate: text from a prompt. */
#include "base/args.h"
#include "base/text.h"
#include "base/threads.h"
#include "gpt2/sampler.h"
#include "programs/open_model.h"

#include <stdlib.h>
#include <string.h>

static struct ModelSource file;
static const char *vocab, *prompt = "\n";
static int tokens = 200, top_k, window;
static double temperature = 0.8, top_p = 0.95;
static int64_t seed = 1;

static const struct Option options[] = {
    MODEL_FILE_OPTIONS(file),
    { "vocab", OPT_STRING, &vocab, 0, 0, "DIR", "the model's vocabulary",
      NULL },
    { "prompt", OPT_STRING, &prompt, 0, 0, "TEXT", "what to continue",
      NULL },
    { "tokens", OPT_INT, &tokens, 1, 1e9, "N", "how many to write", NULL },
    { "temperature", OPT_DOUBLE, &temperature, 0, 1e6, "X",
      "below 1 sharper, 0: always the likeliest", NULL },
    { "top-k", OPT_INT, &top_k, 0, 1e9, "K",
      "choose among the K likeliest; 0: all", NULL },
    { "top-p", OPT_DOUBLE, &top_p, 0, 1, "P",
      "choose among the likeliest that reach P together", NULL },
    { "seed", OPT_INT64, &seed, 0, 9e15, "S", "of the choices", NULL },
    { "window", OPT_INT, &window, 1, 1e6, "T",
      "tokens the model looks back; default: all it can", NULL },
    { .type = OPT_END },
};

static const struct Usage usage = {
    "--init FILE.safetensors --vocab DIR [--prompt TEXT] [options]",
    "Continue a text.",
    "A text longer than the model's context is continued from its last\n"
    "part: the window slides by one token for each that is written.",
};

int main(int argc, char **argv)
{
    struct Model m;
    struct Sampler s;
    struct Tokens text = {0};
    struct Error e;
    threads_wait_politely(argv);
    args_options(argc, argv, options, &usage);
    if (!file.init || !vocab)
        misuse("give --init FILE.safetensors and --vocab DIR");
    struct Tokenizer *t = tokenizer_read(vocab, &e);
    if (!t)
        fail("%s", e.text);
    model_open(&m, &file, 1, window);
    if (t->vocab.size != m.config.V)
        fail("%s: has %d tokens, but the model in %s was made for %d; give "
             "the vocabulary it was trained with", vocab, t->vocab.size,
             file.init, m.config.V);
    size_t n = strlen(prompt);
    if (tokenizer_encode(t, &text, (const uint8_t *)prompt, n, 0, n) < n
        || !sampler_create(&s, m.config.V, temperature, top_k, top_p,
                           (uint64_t)seed))
        fail("out of memory for a prompt of %zu bytes", n);
    show_text(stdout, prompt, n);
    fflush(stdout);
    bool ok = generate_text(&m, &t->vocab, &s, stdout, text.at, text.count,
                            tokens, &e);
    putchar('\n');
    if (fflush(stdout) != 0 || ferror(stdout))
        fail("standard output: cannot write");
    sampler_free(&s);
    model_free(&m);
    tokenizer_free(t);
    free(text.at);
    if (!ok)
        fail("%s", e.text);
    return 0;
}
