/* Tangled from chapters/workshop/text-tables.nw, "The program tokenize".  Edit it there. */

/* tokenize train|encode|decode|inspect: text to tokens and back. */
#include "base/args.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "data/bpe_train.h"
#include "data/shard.h"
#include "data/tokenizer.h"
#include "gpt2/sampler.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* stop when asked */
static volatile sig_atomic_t stopped;

static void note_signal(int number)
{
    stopped = number;
}

static void watch_signals(void)
{
    struct sigaction a = { .sa_handler = note_signal };
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
}

static bool go_on(struct Error *e)
{
    return !stopped || error_set(e, "stopped by a signal; nothing was "
                                 "written");
}

/* read the texts */
struct Text {
    const char *name;
    const uint8_t *data;
    size_t size;
};

static struct Text read_stdin(void)
{
    struct Text t = { .name = "standard input" };
    size_t capacity = 0, n;
    uint8_t *data = NULL;
    do {
        if (t.size == capacity) {
            capacity = capacity ? 2 * capacity : 1 << 16;
            data = realloc(data, capacity);
            if (!data)
                fail("out of memory for %zu bytes of standard input",
                     capacity);
        }
        n = fread(data + t.size, 1, capacity - t.size, stdin);
        t.size += n;
    } while (n);
    if (ferror(stdin))
        fail("standard input: cannot read: %s", strerror(errno));
    t.data = data;
    return t;
}

static struct Text *read_texts(int n, char **names, size_t *total)
{
    struct Text *t = calloc((size_t)n + 1, sizeof *t);
    if (!t)
        fail("out of memory for %d texts", n);
    if (n == 0)
        misuse("expected one or more text files (- is standard input)");
    *total = 0;
    for (int i = 0; i < n; i++) {
        struct Mapped m;
        struct Error e;
        if (strcmp(names[i], "-") == 0) {
            t[i] = read_stdin();
        } else if (map_file(&m, names[i], &e)) {
            t[i] = (struct Text){ names[i], m.data, m.size };
        } else {
            fail("%s", e.text);
        }
        *total += t[i].size;
    }
    return t;
}

/* say how far it is */
struct Progress {
    double start, last;
    bool shown;
};

static struct Progress progress_start(void)
{
    double now = now_s();
    return (struct Progress){ now, now, false };
}

static bool progress_due(struct Progress *p)
{
    bool terminal = isatty(STDERR_FILENO);
    double now = now_s();
    if (now - p->last < (terminal ? 1 : 10))
        return false;
    p->last = now;
    p->shown = terminal;
    return true;
}

static void progress_end(const struct Progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
}

static const char *line_end(const struct Progress *p)
{
    return p->shown ? "\033[K\r" : "\n";
}

/* Bytes done of total, and the rate so far. */
static void progress_bytes(struct Progress *p, size_t done, size_t total)
{
    if (progress_due(p))
        fprintf(stderr, "encoded %.1f of %.1f MB, %.1f MB/s%s",
                (double)done / 1e6, (double)total / 1e6,
                (double)done / 1e6 / (p->last - p->start), line_end(p));
}

/* tokenize train */
static struct Progress training;

static void report_merges(int done, int wanted)
{
    if (stopped)
        fail("stopped by a signal; nothing was written");
    if (progress_due(&training))
        fprintf(stderr, "merge %d of %d%s", done, wanted,
                line_end(&training));
}

static int command_train(int argc, char **argv)
{
    int size = 0;
    const char *out = NULL;
    const struct Option options[] = {
        { "vocab-size", OPT_INT, &size, 257, VOCAB_MAX, "N",
          "tokens: 256 bytes, N - 257 merges, " EOT_TEXT, NULL },
        { "out", OPT_STRING, &out, 0, 0, "DIR",
          "where to write vocab.bpe and encoder.json", NULL },
        { 0, OPT_END, 0, 0, 0, 0, 0, 0 } };
    const struct Usage usage = { "--vocab-size N --out DIR TEXT...",
        "Learn a byte-level BPE vocabulary from texts (- is standard "
        "input).", NULL };
    int n = args_parse(argc, argv, options, &usage);
    if (!size || !out)
        misuse("expected --vocab-size N and --out DIR");
    /* learn and write a vocabulary */
    size_t total;
    struct Error e;
    struct Vocab v;
    struct Text *text = read_texts(n, argv, &total);
    struct BpeTrainer *t = bpe_trainer_new();
    if (!t)
        fail("out of memory to train a vocabulary");
    training = progress_start();
    for (int i = 0; i < n; i++)
        bpe_trainer_add(t, text[i].data, text[i].size);
    if (!bpe_train(&v, t, size, report_merges, &e) || !go_on(&e)
        || !vocab_write(&v, out, &e))
        fail("%s", e.text);
    progress_end(&training);
    printf("%s: %d tokens (256 bytes, %d merges, " EOT_TEXT ") from %zu "
           "bytes in %.1f s\n", out, v.size, v.merges, total,
           now_s() - training.start);
    vocab_free(&v);
    bpe_trainer_free(t);
    free(text);
    return 0;
}

/* tokenize encode */
#define ENCODE_BLOCK ((size_t)1 << 20)

struct Encoding {
    struct Tokenizer *tokenizer;
    bool eot;
    size_t total, cut;          /* bytes; from cut on: the second shard */
    const char *out, *val_out;
    struct ShardWriter shard[2];
    struct Tokens tokens;
    struct Progress progress;
};

static bool encode_text(struct Encoding *c, const struct Text *t,
                        size_t before, struct Error *e)
{
    int to = before >= c->cut;
    for (size_t at = 0; at < t->size;) {
        size_t stop = t->size - at < ENCODE_BLOCK ? t->size
                                                  : at + ENCODE_BLOCK;
        if (!to && before + stop > c->cut)
            stop = c->cut - before;
        c->tokens.count = 0;
        at = tokenizer_encode(c->tokenizer, &c->tokens, t->data, t->size,
                              at, stop);
        if (at < stop)
            return error_set(e, "out of memory to encode the word that "
                             "begins at byte %zu", at);
        shard_append(&c->shard[to], c->tokens.at, c->tokens.count);
        to = before + at >= c->cut;
        progress_bytes(&c->progress, before + at, c->total);
        if (!go_on(e))
            return false;
    }
    uint16_t eot = (uint16_t)c->tokenizer->vocab.eot;
    if (c->eot)
        shard_append(&c->shard[before + t->size > c->cut], &eot, 1);
    return true;
}

static bool open_shards(struct Encoding *c, struct Error *e)
{
    if (!shard_create(&c->shard[0], c->out, e))
        return false;
    if (!c->val_out || shard_create(&c->shard[1], c->val_out, e))
        return true;
    shard_abandon(&c->shard[0]);
    return false;
}

static bool close_shards(struct Encoding *c, bool ok, struct Error *e)
{
    if (c->val_out && ok)
        ok = shard_finish(&c->shard[1], e);
    else if (c->val_out)
        shard_abandon(&c->shard[1]);
    if (ok)
        return shard_finish(&c->shard[0], e);
    shard_abandon(&c->shard[0]);
    return false;
}

static bool encode_all(struct Encoding *c, const struct Text *text, int n,
                       struct Error *e)
{
    if (!open_shards(c, e))
        return false;
    bool ok = true;
    size_t before = 0;
    for (int i = 0; ok && i < n; i++) {
        ok = encode_text(c, &text[i], before, e);
        before += text[i].size;
    }
    return close_shards(c, ok, e);
}

static void say_encoded(const struct Encoding *c)
{
    progress_end(&c->progress);
    size_t bytes[2] = { c->cut, c->total - c->cut };
    if (!c->val_out)
        bytes[0] = c->total;
    for (int i = 0; i < (c->val_out ? 2 : 1); i++)
        printf("%s: %zu tokens, %.2f bytes each\n",
               i ? c->val_out : c->out, c->shard[i].count,
               (double)bytes[i] / (double)(c->shard[i].count
                                           ? c->shard[i].count : 1));
    double t = now_s() - c->progress.start;
    fprintf(stderr, "%zu bytes in %.2f s, %.1f MB/s\n", c->total, t,
            (double)c->total / 1e6 / t);
}

static int run_encode(struct Encoding *c, const char *dir, double val,
                      int n, char **names)
{
    struct Error e;
    c->tokenizer = tokenizer_read(dir, &e);
    if (!c->tokenizer)
        fail("%s", e.text);
    struct Text *text = read_texts(n, names, &c->total);
    c->cut = c->val_out
           ? c->total - (size_t)(val * (double)c->total) : SIZE_MAX;
    c->progress = progress_start();
    if (!encode_all(c, text, n, &e))
        fail("%s", e.text);
    say_encoded(c);
    tokenizer_free(c->tokenizer);
    free(c->tokens.at);
    free(text);
    return 0;
}

static int command_encode(int argc, char **argv)
{
    struct Encoding c = {0};
    const char *dir = NULL;
    double val = 0.05;
    bool val_given = false;
    const struct Option options[] = {
        { "vocab", OPT_STRING, &dir, 0, 0, "DIR",
          "holds vocab.bpe and encoder.json", NULL },
        { "out", OPT_STRING, &c.out, 0, 0, "SHARD", "the shard to write",
          NULL },
        { "eot", OPT_FLAG, &c.eot, 0, 0, NULL,
          "append " EOT_TEXT " to each text", NULL },
        { "val-out", OPT_STRING, &c.val_out, 0, 0, "SHARD",
          "write the end of the texts into this shard", NULL },
        { "val", OPT_DOUBLE, &val, 0, 1, "FRACTION",
          "how much goes there, by bytes (0.05)", &val_given },
        { 0, OPT_END, 0, 0, 0, 0, 0, 0 } };
    const struct Usage usage = { "--vocab DIR --out SHARD TEXT...",
        "Turn texts (- is standard input) into a shard of tokens.", NULL };
    int n = args_parse(argc, argv, options, &usage);
    if (!dir || !c.out)
        misuse("expected --vocab DIR and --out SHARD");
    if (val_given && !c.val_out)
        misuse("--val needs --val-out SHARD");
    if (c.val_out && strcmp(c.out, c.val_out) == 0)
        misuse("--out and --val-out are the same file");
    return run_encode(&c, dir, val, n, argv);
}

/* tokenize decode */
static bool decode_shard(const struct Shard *s, const struct Vocab *v,
                         struct Writer *w, struct Error *e)
{
    bool shown = !w && isatty(STDOUT_FILENO);
    struct Waiting waiting = {0};
    for (size_t i = 0; i < s->count; i++) {
        size_t n;
        const uint8_t *b = vocab_spelling(v, s->token[i], &n);
        if (shown)
            write_spelling(stdout, &waiting, b, n);
        else if (w ? !writer_write(w, b, n) : fwrite(b, 1, n, stdout) != n)
            break;
        if (i % 65536 == 0 && !go_on(e))
            return false;
    }
    if (shown)
        show_text(stdout, waiting.bytes, waiting.n);
    if (w || (!ferror(stdout) && fflush(stdout) == 0))
        return true;
    return error_set(e, "standard output: cannot write: %s",
                     strerror(errno));
}

static void open_checked(struct Shard *s, struct Vocab *v, const char *dir,
                         const char *path)
{
    struct Error e;
    if (!vocab_read(v, dir, &e) || !shard_open(s, path, &e)
        || !shard_check(s, v->size, &e))
        fail("%s", e.text);
}

static int command_decode(int argc, char **argv)
{
    const char *dir = NULL, *out = NULL;
    const struct Option options[] = {
        { "vocab", OPT_STRING, &dir, 0, 0, "DIR",
          "holds vocab.bpe and encoder.json", NULL },
        { "out", OPT_STRING, &out, 0, 0, "FILE",
          "write here, not to standard output", NULL },
        { 0, OPT_END, 0, 0, 0, 0, 0, 0 } };
    const struct Usage usage = { "--vocab DIR [--out FILE] SHARD",
        "Turn a shard of tokens back into text.", NULL };
    int n = args_parse(argc, argv, options, &usage);
    if (!dir || n != 1)
        misuse("expected --vocab DIR and one shard");
    struct Vocab v;
    struct Shard s;
    struct Writer w;
    struct Error e;
    open_checked(&s, &v, dir, argv[0]);
    if (out && !writer_open(&w, out, &e))
        fail("%s", e.text);
    bool ok = decode_shard(&s, &v, out ? &w : NULL, &e);
    if (out && !ok)
        writer_abort(&w);
    if (!ok || (out && !writer_commit(&w, &e)))
        fail("%s", e.text);
    shard_close(&s);
    vocab_free(&v);
    return 0;
}

/* tokenize inspect */
static void print_spelling(const struct Vocab *v, int token)
{
    size_t n;
    const uint8_t *b = vocab_spelling(v, token, &n);
    printf("%6d  \"", token);
    for (size_t i = 0; i < n; i++)
        if (b[i] == '\n')
            fputs("\\n", stdout);
        else if (b[i] == '"' || b[i] == '\\')
            printf("\\%c", b[i]);
        else if (b[i] < 0x20 || b[i] >= 0x7F)
            printf("\\x%02x", b[i]);
        else
            putchar(b[i]);
    puts("\"");
}

static void print_counts(const struct Shard *s)
{
    static bool seen[65536];
    size_t different = 0, largest = 0;
    for (size_t i = 0; i < s->count; i++) {
        different += !seen[s->token[i]];
        seen[s->token[i]] = true;
        if (s->token[i] > largest)
            largest = s->token[i];
    }
    printf("version    %d\ntokens     %zu\ndifferent  %zu\n"
           "largest    %zu\n", SHARD_VERSION, s->count, different, largest);
}

static void print_text(const struct Shard *s, const struct Vocab *v,
                       int show)
{
    size_t bytes = 0, documents = 0;
    for (size_t i = 0; i < s->count; i++) {
        bool eot = s->token[i] == v->eot;
        documents += eot;
        bytes += eot ? 0 : v->length[s->token[i]];
    }
    printf("bytes      %zu, %.2f per token\n%s  %zu\n", bytes,
           (double)bytes / (double)(s->count ? s->count : 1), EOT_TEXT,
           documents);
    for (size_t i = 0; i < (size_t)show && i < s->count; i++)
        print_spelling(v, s->token[i]);
}

static int command_inspect(int argc, char **argv)
{
    const char *dir = NULL;
    int show = 16;
    const struct Option options[] = {
        { "vocab", OPT_STRING, &dir, 0, 0, "DIR",
          "check and spell the tokens with this vocabulary", NULL },
        { "show", OPT_INT, &show, 0, INT32_MAX, "N",
          "spell the first N tokens (16)", NULL },
        { 0, OPT_END, 0, 0, 0, 0, 0, 0 } };
    const struct Usage usage = { "[--vocab DIR] SHARD",
        "Check a shard and say what is in it.", NULL };
    int n = args_parse(argc, argv, options, &usage);
    if (n != 1)
        misuse("expected one shard");
    struct Vocab v = {0};
    struct Shard s;
    struct Error e;
    if (dir)
        open_checked(&s, &v, dir, argv[0]);
    else if (!shard_open(&s, argv[0], &e))
        fail("%s", e.text);
    print_counts(&s);
    if (dir)
        print_text(&s, &v, show);
    shard_close(&s);
    vocab_free(&v);
    if (fflush(stdout) != 0 || ferror(stdout))
        fail("standard output: cannot write: %s", strerror(errno));
    return 0;
}

/* choose the command */
static const char *const commands[] = { "train", "encode", "decode",
                                        "inspect", NULL };

static void print_help(void)
{
    puts("usage: tokenize train   --vocab-size N --out DIR TEXT...\n"
         "       tokenize encode  --vocab DIR --out SHARD TEXT...\n"
         "       tokenize decode  --vocab DIR SHARD\n"
         "       tokenize inspect SHARD\n\n"
         "Text to tokens and back, by byte-level BPE as in GPT-2.\n"
         "`tokenize COMMAND --help` lists the options of a command.");
}

int main(int argc, char **argv)
{
    static int (*const run[])(int, char **) = {
        command_train, command_encode, command_decode, command_inspect };
    program_set_name(argv[0]);
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "--help") == 0 || strcmp(word, "--version") == 0) {
        if (strcmp(word, "--help") == 0)
            print_help();
        else
            printf("%s %s\n", program_name(), PROGRAM_VERSION);
        return 0;
    }
    watch_signals();
    for (int i = 0; commands[i]; i++) {
        if (strcmp(word, commands[i]))
            continue;
        char name[32];
        snprintf(name, sizeof name, "tokenize %s", word);
        program_set_name(name);
        return run[i](argc - 1, argv + 1);
    }
    const char *near = nearest_word(word, commands);
    if (near)
        misuse("unknown command \"%s\"; did you mean %s?", word, near);
    misuse("expected a command: train, encode, decode or inspect; --help "
           "says more");
}
