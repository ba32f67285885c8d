/* Tangled from chapters/workshop/programs.nw, "train".  Edit it there. */

/* train: from shards of tokens to a model. */
#include "backend/backend.h"
#include "base/args.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/stop.h"
#include "base/text.h"
#include "base/threads.h"
#include "gpt2/memory.h"
#include "gpt2/runlog.h"
#include "gpt2/writer.h"
#include "gpt2/trainer.h"
#include "io/checkpoint.h"
#include "io/checkpoint_dir.h"
#include "io/weights.h"
#include "ops/peak/peak.h"
#include "programs/kernels.h"
#include "programs/ranks.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* the options of `train` */
enum Kind { FIXED, KEPT, LOCAL };

struct Options {
    const char *model, *init, *data, *val, *vocab, *out, *log;
    const char *schedule, *prompt;
    int layers, heads, channels, context;
    int batch, seq, accumulate, keep, sample_tokens;
    int64_t steps, warmup, seed, val_every, val_batches;
    int64_t sample_every, save_every;
    double lr, lr_last, cooldown, decay, clip, beta1, beta2, eps;
    const char *precision, *recompute, *master;
    int  logit_rows;
    bool resume, plan, profile, no_graph;
    const char *sum_order, *address;
    int gpus, rank, world, restarts, zero;
    double timeout, bucket;
    int64_t rank_times;
    bool no_overlap;
};

static struct Options o = {
    .schedule = "cosine", .prompt = "\n",
    .recompute = "none", .master = "on", .sum_order = "any",
    .gpus = 1, .timeout = 300, .bucket = 25, .rank_times = 100,
    .batch = 4, .seq = 64, .keep = 2,
    .sample_tokens = 64, .steps = 1000, .warmup = 0, .seed = 1,
    .val_every = 100, .val_batches = 20,
    .lr = 6e-4, .lr_last = 0.1, .cooldown = 0.2, .decay = 0.1, .clip = 1,
    .beta1 = 0.9, .beta2 = 0.95, .eps = 1e-8,
};

#define MANY 1e9
#define LONG 9e15

/*  kind   option          type        target   min   max    word  help  */
#define OPTIONS(X)                                                         \
  X(FIXED, "model",        OPT_STRING, model,         0, 0,    "NAME",     \
    "d1 to d48, gpt2, gpt2-medium, gpt2-large, gpt2-xl")                   \
  X(FIXED, "init",         OPT_STRING, init,          0, 0,    "FILE",     \
    "start from these weights (safetensors)")                              \
  X(FIXED, "layers",       OPT_INT,    layers,        1, 1000, "N",        \
    "instead of the model's own")                                          \
  X(FIXED, "heads",        OPT_INT,    heads,         1, 1000, "N",        \
    "instead of the model's own")                                          \
  X(FIXED, "channels",     OPT_INT,    channels,      1, 1e6,  "N",        \
    "instead of the model's own")                                          \
  X(FIXED, "context",      OPT_INT,    context,       1, 1e6,  "N",        \
    "longest text the model will take")                                    \
  X(KEPT,  "data",         OPT_STRING, data,          0, 0,    "GLOB",     \
    "shards to train on")                                                  \
  X(KEPT,  "val",          OPT_STRING, val,           0, 0,    "GLOB",     \
    "shards to validate on")                                               \
  X(KEPT,  "vocab",        OPT_STRING, vocab,         0, 0,    "DIR",      \
    "vocabulary: sets V, and is needed for samples")                       \
  X(KEPT,  "batch",        OPT_INT,    batch,         1, 65536, "B",       \
    "sequences at a time")                                                 \
  X(FIXED, "seq",          OPT_INT,    seq,           1, 1e6,  "T",        \
    "tokens of a sequence")                                                \
  X(KEPT,  "accumulate",   OPT_INT,    accumulate,    1, 1e6,  "K",        \
    "batches whose gradients make one step; default: one a GPU")           \
  X(KEPT,  "steps",        OPT_INT64,  steps,         1, LONG, "N",        \
    "length of the run")                                                   \
  X(KEPT,  "lr",           OPT_DOUBLE, lr,            0, MANY, "X",        \
    "highest learning rate")                                               \
  X(KEPT,  "schedule",     OPT_CHOICE, schedule,      0, 0,                \
    SCHEDULE_NAMES, "shape of the learning rate")                          \
  X(KEPT,  "warmup",       OPT_INT64,  warmup,        0, LONG, "N",        \
    "steps until the highest rate")                                        \
  X(KEPT,  "lr-last",      OPT_DOUBLE, lr_last,       0, 1,    "X",        \
    "where the rate ends, as a part of --lr")                              \
  X(KEPT,  "cooldown",     OPT_DOUBLE, cooldown,      1e-6, 1, "X",        \
    "wsd: the part after the warm-up in which it falls")                   \
  X(KEPT,  "weight-decay", OPT_DOUBLE, decay,         0, 1e3,  "X",        \
    "of matrices, each step times the rate")                               \
  X(KEPT,  "clip",         OPT_DOUBLE, clip,          0, MANY, "X",        \
    "longest gradient; 0: any length")                                     \
  X(KEPT,  "beta1",        OPT_DOUBLE, beta1,         0, 0.999999, "X",    \
    "memory of the mean gradient")                                         \
  X(KEPT,  "beta2",        OPT_DOUBLE, beta2,         0, 0.999999, "X",    \
    "memory of its square")                                                \
  X(KEPT,  "eps",          OPT_DOUBLE, eps,           1e-16, 1, "X",       \
    "added to the root of the square")                                     \
  X(FIXED, "seed",         OPT_INT64,  seed,          0, LONG, "S",        \
    "of the weights and of the data's order")                              \
  X(LOCAL, "out",          OPT_STRING, out,           0, 0,    "DIR",      \
    "where checkpoints go; none: nothing is saved")                        \
  X(LOCAL, "resume",       OPT_FLAG,   resume,        0, 0,    "",         \
    "go on from the newest checkpoint in --out")                           \
  X(KEPT,  "save-every",   OPT_INT64,  save_every,    0, LONG, "N",        \
    "steps between checkpoints; 0: at the end")                            \
  X(KEPT,  "keep",         OPT_INT,    keep,          0, MANY, "N",        \
    "checkpoints to keep; 0: all")                                         \
  X(KEPT,  "log",          OPT_STRING, log,           0, 0,    "FILE.csv", \
    "a row for each step")                                                 \
  X(KEPT,  "val-every",    OPT_INT64,  val_every,     1, LONG, "N",        \
    "steps between validations")                                           \
  X(KEPT,  "val-batches",  OPT_INT64,  val_batches,   0, LONG, "N",        \
    "batches of a validation; 0: all")                                     \
  X(KEPT,  "sample-every", OPT_INT64,  sample_every,  0, LONG, "N",        \
    "steps between samples of text; 0: none")                              \
  X(KEPT,  "sample-tokens", OPT_INT,   sample_tokens, 1, 1e6,  "N",        \
    "length of a sample")                                                  \
  X(KEPT,  "prompt",       OPT_STRING, prompt,        0, 0,    "TEXT",     \
    "what a sample continues")                                             \
  X(KEPT,  "precision",    OPT_CHOICE, precision,     0, 0,                \
    PRECISION_NAMES, "default: bf16 on a GPU, fp32 elsewhere")             \
  X(KEPT,  "recompute",    OPT_CHOICE, recompute,     0, 0,                \
    RECOMPUTE_NAMES, "bf16: what is computed twice, not kept")             \
  X(KEPT,  "master-weights", OPT_CHOICE, master,      0, 0,                \
    "on|off", "bf16: off rounds the weights at random")                    \
  X(KEPT,  "logit-rows",   OPT_INT,    logit_rows,    1, 1e9,  "N",        \
    "logits at a time; default: by precision")                            \
  X(LOCAL, "gpus",         OPT_INT,    gpus,          1, 1024, "N",        \
    "train on N GPUs of this host, with a process for each")               \
  X(KEPT,  "sum-order",    OPT_CHOICE, sum_order,     0, 0,                \
    "any|fixed", "fixed: the same bits on any number of GPUs")             \
  X(LOCAL, "bucket",       OPT_DOUBLE, bucket,        0, MANY, "MB",       \
    "least gradients that GPUs exchange at a time")                        \
  X(LOCAL, "no-overlap",   OPT_FLAG,   no_overlap,    0, 0,    "",         \
    "exchange gradients after the backward pass")                          \
  X(LOCAL, "zero",         OPT_INT,    zero,          0, 1,    "0|1",      \
    "1: each GPU has a part of the optimiser's arrays")                    \
  X(LOCAL, "restarts",     OPT_INT,    restarts,      0, 1e6,  "K",        \
    "with --gpus: resume so often after a failure")                        \
  X(LOCAL, "timeout",      OPT_DOUBLE, timeout,       1, 1e6,  "S",        \
    "seconds that another rank may be late")                               \
  X(LOCAL, "rank-times",   OPT_INT64,  rank_times,    0, LONG, "N",        \
    "steps between looks at the slowest rank; 0: none")                    \
  X(LOCAL, "rank",         OPT_INT,    rank,          0, 1023, "R",        \
    "of this process; mpirun and srun say it themselves")                  \
  X(LOCAL, "world",        OPT_INT,    world,         1, 1024, "N",        \
    "processes of the run, with --rank")                                   \
  X(LOCAL, "address",      OPT_STRING, address,       0, 0,  "HOST:PORT",  \
    "where rank 0 listens")                                                \
  X(LOCAL, "no-graph",     OPT_FLAG,   no_graph,      0, 0,    "",         \
    "bf16: launch each kernel of a step by itself")                        \
  X(LOCAL, "profile",      OPT_FLAG,   profile,       0, 0,    "",         \
    "print where the time of the steps went")                              \
  X(LOCAL, "plan",         OPT_FLAG,   plan,          0, 0,    "",         \
    "print what would be allocated, and stop")

#define COUNT_ROW(...) +1
enum { ROWS = OPTIONS(COUNT_ROW) };

static bool given[ROWS];
static const enum Kind kind[ROWS] = {
#define KIND_ROW(k, ...) k,
    OPTIONS(KIND_ROW)
};
static struct Option table[ROWS + 1] = {
#define OPTION_ROW(k, name, type, target, min, max, word, help) \
    { name, type, &o.target, min, max, word, help, NULL },
    OPTIONS(OPTION_ROW)
    { .type = OPT_END },
};

static const struct Usage usage = {
    "--data GLOB [--val GLOB] [--vocab DIR] --model NAME --out DIR "
    "[options]",
    "Train a GPT-2 on shards of tokens (see tokenize). A second call with\n"
    "--resume --out DIR goes on where the first one stopped.",
    "SIGINT or SIGTERM finish the step and save; a second one does not "
    "wait.",
};

/* save options and take them up again */
static char text[ROWS][FIELD_TEXT_MAX];

static int list_fields(struct Field *field)
{
    int n = 0;
    for (int i = 0; i < ROWS; i++) {
        const struct Option *p = &table[i];
        if (kind[i] == LOCAL)
            continue;
        enum FieldType type = p->type == OPT_INT ? FIELD_INT
            : p->type == OPT_INT64 ? FIELD_INT64
            : p->type == OPT_DOUBLE ? FIELD_DOUBLE : FIELD_TEXT;
        field[n++] = (struct Field){ p->name, type,
            type == FIELD_TEXT ? (void *)text[i] : p->target };
    }
    return n;
}

static bool is_text(int i)
{
    return kind[i] != LOCAL && (table[i].type == OPT_STRING
                                || table[i].type == OPT_CHOICE);
}

/* Options -> buffers, before a save. */
static void fill_texts(void)
{
    for (int i = 0; i < ROWS; i++) {
        if (!is_text(i))
            continue;
        const char *from = *(const char **)table[i].target;
        if (from && strlen(from) >= FIELD_TEXT_MAX)
            misuse("--%s: longer than %d bytes", table[i].name,
                   FIELD_TEXT_MAX - 1);
        strcpy(text[i], from ? from : "");
    }
}

/* A train.json value -> an option; the checkpoint's own reader checks
 * everything again when the numbers are loaded. */
static bool restore_option(int i, const struct Json *value)
{
    const struct Option *p = &table[i];
    if (!value)
        return false;
    if (is_text(i)) {
        if (value->type != JSON_STRING || value->length >= FIELD_TEXT_MAX)
            return false;
        memcpy(text[i], value->string, value->length + 1);
        *(const char **)p->target = value->length ? text[i] : NULL;
        return true;
    }
    if (value->type != JSON_NUMBER)
        return false;
    double x = value->number;
    bool unset = x == 0 && p->type == OPT_INT;  /* layers and the like */
    bool whole = p->type == OPT_DOUBLE || value->is_count;
    if (!whole || (!unset && !(x >= p->min && x <= p->max)))
        return false;
    if (p->type == OPT_INT)
        *(int *)p->target = (int)value->count;
    else if (p->type == OPT_INT64)
        *(int64_t *)p->target = (int64_t)value->count;
    else
        *(double *)p->target = x;
    return true;
}

/* Is option i one that runs before it did without?  They were fp32. */
static bool absent_in_old_checkpoints(int i)
{
    if (strcmp(table[i].name, "precision") == 0)
        o.precision = "fp32";
    return strcmp(table[i].name, "precision") == 0
        || strcmp(table[i].name, "recompute") == 0
        || strcmp(table[i].name, "logit-rows") == 0
        || strcmp(table[i].name, "sum-order") == 0
        || strcmp(table[i].name, "master-weights") == 0;
}

static void load_options(const char *checkpoint)
{
    char path[FILE_PATH_MAX];
    struct JsonDocument doc;
    struct Error e;
    if (!path_join(path, checkpoint, "train.json", &e)
        || !json_parse_file(&doc, path, &e))
        fail("%s", e.text);
    for (int i = 0; i < ROWS; i++) {
        const char *name = table[i].name;
        const struct Json *v = json_get(doc.root, name);
        if (!v && absent_in_old_checkpoints(i))
            continue;
        if (kind[i] != LOCAL && !restore_option(i, v))
            fail("%s: \"%s\" is missing or not a value of --%s; the "
                 "checkpoint is damaged or of another version", path,
                 name, name);
    }
    json_free(&doc);
}

static void value_text(const struct Option *p, char *out, size_t size)
{
    const char *s;
    switch (p->type) {
    case OPT_INT:
        snprintf(out, size, "%d", *(int *)p->target);
        break;
    case OPT_INT64:
        snprintf(out, size, "%lld", (long long)*(int64_t *)p->target);
        break;
    case OPT_DOUBLE:
        snprintf(out, size, "%.17g", *(double *)p->target);
        break;
    case OPT_STRING:
    case OPT_CHOICE:
        s = *(const char **)p->target;
        snprintf(out, size, "%s", s ? s : "(none)");
        break;
    case OPT_FLAG:
        snprintf(out, size, "%s", *(bool *)p->target ? "on" : "off");
        break;
    case OPT_END:
        out[0] = 0;
        break;
    }
}

/* is the log in the folder of the run? */
static bool log_in_out(void)
{
    char folder[FIELD_TEXT_MAX] = ".";
    struct stat a, b, file;
    const char *slash = strrchr(o.log, '/');
    if (slash)
        snprintf(folder, sizeof folder, "%.*s/", (int)(slash - o.log),
                 o.log);
    return stat(folder, &a) == 0 && stat(o.out, &b) == 0
        && a.st_dev == b.st_dev && a.st_ino == b.st_ino
        && !(lstat(o.log, &file) == 0 && S_ISLNK(file.st_mode));
}

static void print_change(const char *name, const char *is, const char *was)
{
    printf("note: --%s is now ", name);
    print_escaped(stdout, is, strlen(is), "");
    printf(", was ");
    print_escaped(stdout, was, strlen(was), "");
    printf("; from here on this is another run\n");
}

/* Options of the checkpoint, then those of this call on top of them. */
static void resume_options(const char *path, int argc, char **argv)
{
    static char was[ROWS][FIELD_TEXT_MAX], is[FIELD_TEXT_MAX];
    load_options(path);
    for (int i = 0; i < ROWS; i++)
        value_text(&table[i], was[i], sizeof was[i]);
    args_parse(argc, argv, table, &usage);
    for (int i = 0; i < ROWS; i++) {
        value_text(&table[i], is, sizeof is);
        if (kind[i] == LOCAL || !given[i] || strcmp(was[i], is) == 0)
            continue;
        if (kind[i] == FIXED)
            misuse("--%s %s: the run in %s has %s, and with another it "
                   "would not be the same run; leave the option out, or "
                   "start a new run with another --out", table[i].name, is,
                   o.out, was[i]);
        print_change(table[i].name, is, was[i]);
    }
    /* refuse a log elsewhere that nobody asked for */
    bool asked = false;
    for (int i = 0; i < ROWS; i++)
        asked |= given[i] && strcmp(table[i].name, "log") == 0;
    if (o.log && !asked && !log_in_out())
        misuse("--log: the run in %s has its log at %s, which is no file in "
               "that folder, and a checkpoint may not choose what is written "
               "elsewhere; give --log again, with that name or another one",
               o.out, o.log);
}

/* decide the model */
static void model_from_name(struct Config *c)
{
    struct Error e;
    if (o.model) {
        if (!config_preset(c, o.model, &e))
            misuse("--model: %s", e.text);
    } else if (o.layers && o.channels) {
        int heads = o.channels / 64;
        *c = (struct Config){ .V = 50257, .T = o.seq,
                              .NH = heads ? heads : 1 };
    } else {
        misuse("which model? give --model NAME, or --layers and "
               "--channels, or --init FILE.safetensors");
    }
    c->L = o.layers ? o.layers : c->L;
    c->NH = o.heads ? o.heads : c->NH;
    c->C = o.channels ? o.channels : c->C;
    c->T = o.context ? o.context : c->T;
}

static void check_vocab(struct Config *c, const struct Tokenizer *t,
                        bool from_file)
{
    int size = t ? t->vocab.size : c->V;
    if (from_file && size != c->V)
        fail("%s: has %d tokens, but the model was made for %d; give the "
             "vocabulary it was trained with", o.vocab, size, c->V);
    c->V = size;
}

static void decide_model(struct Config *c, const char *checkpoint,
                         const struct Tokenizer *t)
{
    struct Error e;
    bool from_file = checkpoint || o.init;
    if (checkpoint ? !checkpoint_config(c, checkpoint, &e)
        : o.init && !weights_config(c, o.init, o.heads, &e))
        fail("%s", e.text);
    if (o.init && !checkpoint
        && (o.model || o.layers || o.channels || o.context))
        misuse("--init: the file decides the model; leave out --model, "
               "--layers, --channels and --context");
    if (!from_file)
        model_from_name(c);
    check_vocab(c, t, from_file);
    if (!config_check(c, &e))
        misuse("%s", e.text);
    if (o.seq > c->T)
        misuse("--seq %d: the model takes at most %d tokens", o.seq, c->T);
}

/* prepare the run */
struct Run {
    struct Ranks ranks;
    struct Trainer trainer;
    struct Tokenizer *tokenizer;
    struct RunLog log, rank_log;
    struct RankTimes times;     /* of ranks, when they were last measured */
    struct Progress progress;
    struct Field field[ROWS];
    int    fields;
    int64_t saved;              /* step of the newest checkpoint, or -1 */
    double peak;                /* FLOP/s of this machine */
    double flop_per_token;
    size_t bytes, left;         /* that it takes, that the GPU had; or 0 */
    int64_t largest;            /* batch that fits */
    double start_s;             /* when this call began to step */
    int64_t start_step;
};

/* decide how ranks share a step */
static bool first_rank(const struct Ranks *r)
{
    return r->dist.rank == 0;
}

static void find_place(struct Place *p, char **argv)
{
    const bool known = place_from_environment(p);
    if (o.gpus > 1 && known && !p->launched)
        misuse("--gpus %d: mpirun or srun has started %d processes; leave "
               "it out", o.gpus, p->world);
    if (o.world)
        *p = (struct Place){ .rank = o.rank, .world = o.world,
                             .local = o.rank, .listener = -1 };
    if (o.address)
        snprintf(p->address, sizeof p->address, "%s", o.address);
    if (p->rank >= p->world)
        misuse("--rank %d: with --world %d ranks are 0 to %d", p->rank,
               p->world, p->world - 1);
    if (o.gpus > 1 && !known && !o.world && !o.plan)
        launch_ranks(argv, o.gpus, o.restarts);
}


/* A plan is made for ranks that are not there. */
static int ranks_of(const struct Ranks *r)
{
    return o.plan ? (o.world ? o.world : o.gpus) : r->dist.world;
}

static void share_config(struct ShareConfig *s, struct Ranks *r)
{
    const int world = ranks_of(r);
    if (o.accumulate % world)
        misuse("--accumulate %d: %d GPUs need a multiple of %d; a smaller "
               "--batch and more of them leave a step the same sequences",
               o.accumulate, world, world);
    *s = (struct ShareConfig){
        .fixed = strcmp(o.sum_order, "fixed") == 0, .late = o.no_overlap,
        .bucket_bytes = (size_t)(o.bucket * 1e6),
    };
    if (world > 1 || s->fixed)
        s->dist = &r->dist;
    s->shards = world > 1 && o.zero;
}


static void open_out(char *path);

static void take_out(struct Ranks *r, char *path)
{
    struct Error e;
    char *all = malloc((size_t)r->dist.world * FILE_PATH_MAX);
    if (!all)
        fail("out of memory");
    if (first_rank(r))
        open_out(path);
    if (!dist_exchange(&r->dist, all, path, FILE_PATH_MAX, &e))
        ranks_fail(r, e.text);
    memcpy(path, all, FILE_PATH_MAX);
    free(all);
}


static void describe_data(struct Agreed *a, const struct Loader *l)
{
    uint64_t hash = 0;
    for (size_t s = 0; s < l->shards; s++) {
        const size_t n = l->shard[s].count, step = n / 1000 + 1;
        hash = hash_bytes(hash, &n, sizeof n);
        for (size_t i = 0; i < n; i += step)
            hash = hash_bytes(hash, &l->shard[s].token[i],
                              sizeof l->shard[s].token[i]);
    }
    a->name = "the data";
    snprintf(a->text, sizeof a->text, "%zu shards, %016llx", l->shards,
             (unsigned long long)hash);
}

/* Options that are no part of a run, and have to be those of all ranks. */
static bool shared_by_ranks(int i)
{
    const void *p = table[i].target;
    return p == &o.zero || p == &o.bucket || p == &o.no_overlap
        || p == &o.rank_times;
}

/* The size of a file of weights, and a sample of its bytes. */
static void describe_weights(struct Agreed *a, const char *path)
{
    struct Mapped file;
    struct Error e;
    a->name = "the file of weights";
    if (!path) {
        snprintf(a->text, sizeof a->text, "(none)");
        return;
    }
    if (!map_file(&file, path, &e))
        fail("%s", e.text);
    const size_t step = file.size / 4000000 + 1;
    uint64_t hash = 0;
    for (size_t i = 0; i < file.size; i += step)
        hash = hash_bytes(hash, (const char *)file.data + i, 1);
    snprintf(a->text, sizeof a->text, "%zu bytes, %016llx", file.size,
             (unsigned long long)hash);
    unmap_file(&file);
}

static void agree(struct Run *r, const char *weights)
{
    static char name[ROWS][40];
    static struct Agreed a[ROWS + 2];
    int n = 0;
    for (int i = 0; i < ROWS; i++) {
        if ((kind[i] == LOCAL && !shared_by_ranks(i))
            || table[i].target == &o.log)
            continue;
        snprintf(name[n], sizeof name[n], "--%s", table[i].name);
        a[n].name = name[n];
        value_text(&table[i], a[n].text, sizeof a[n].text);
        n++;
    }
    describe_data(&a[n++], &r->trainer.data);
    describe_weights(&a[n++], weights);
    ranks_agree(&r->ranks, a, n);
}

static void make_config(struct TrainConfig *c, struct Ranks *r)
{
    if (!o.accumulate)
        o.accumulate = ranks_of(r);
    *c = (struct TrainConfig){
        .B = o.batch, .T = o.seq, .accumulate = o.accumulate,
        .seed = (uint64_t)o.seed,
        .optimizer = { .beta1 = o.beta1, .beta2 = o.beta2, .eps = o.eps,
                       .decay = o.decay, .clip = o.clip },
        .schedule = { .lr = o.lr, .last = o.lr_last,
            .cooldown = o.cooldown, .warmup = o.warmup,
            .steps = o.steps },
    };
    if (!schedule_shape(&c->schedule.shape, o.schedule))
        fail("--schedule %s: expected " SCHEDULE_NAMES, o.schedule);
    if (o.warmup > o.steps)
        misuse("--warmup %lld: the whole run has only %lld steps",
               (long long)o.warmup, (long long)o.steps);
    if ((double)o.batch * o.seq > 2e9)
        misuse("--batch %d --seq %d: more than 2^31 tokens at once",
               o.batch, o.seq);
    struct Error e;
    kernels_from_environment();
    if (!precision_options(&c->options, o.precision, o.recompute,
                           strcmp(o.master, "on") == 0, &e))
        misuse("%s", e.text);
    o.precision = precision_name(c->options.precision);
    c->options.rows = o.logit_rows;
    c->options.no_graph = o.no_graph;
    share_config(&c->share, r);
    c->options.shards = c->share.shards ? ranks_of(r) : 0;
}

/* Take --out for this run; the path of the checkpoint to resume or "". */
static void open_out(char *path)
{
    struct Error e;
    int64_t step;
    path[0] = 0;
    if (!o.out) {
        if (o.resume)
            misuse("--resume: from where? give --out DIR");
        return;
    }
    if (!make_dirs(o.out, &e) || !lock_dir(o.out, &e)
        || !checkpoint_clean(o.out, &e)
        || !checkpoint_latest(o.out, path, &step, &e))
        fail("%s", e.text);
    if (step < 0)
        path[0] = 0;
    if (step >= 0 && !o.resume)
        fail("%s: holds a run that has reached step %lld; add --resume to "
             "go on with it, or choose another --out", o.out,
             (long long)step);
    if (step < 0 && o.resume && !o.data)
        fail("%s: no checkpoint to resume from; give the options of a new "
             "run", o.out);
    if (step < 0 && o.resume)
        printf("note: no checkpoint in %s yet: starting at step 0\n",
               o.out);
}

static void check_disk(size_t parameters)
{
    struct statvfs s;
    double need = 12.0 * (double)parameters;
    if (!o.out || statvfs(o.out, &s) != 0)
        return;
    double there = (double)s.f_bavail * (double)s.f_frsize;
    if (there < need)
        fail("%s: a checkpoint takes %.1f MB and the disk has %.1f MB "
             "left; make room or choose another --out", o.out, need / 1e6,
             there / 1e6);
}

/* count the FLOP of a token */
static double count_flop(const struct Config *c)
{
    return 6 * (double)config_params(c) + 12.0 * c->L * c->C * o.seq;
}

/* without the position vectors, which are added, and half of attention's
 * square */
static double count_causal(const struct Config *c)
{
    double n = (double)config_params(c) - (double)c->T * c->C;
    return 6 * n + 7.0 * c->L * c->C * o.seq;
}

/* see that a batch fits */
#define APART 0.6e9         /* what CUDA and its libraries take */

static int64_t largest_batch(const struct Config *c,
                             const struct ModelOptions *p, size_t left)
{
    int64_t fits = 0, not = 65536;
    while (not - fits > 1) {
        int64_t B = (fits + not) / 2;
        size_t bytes = model_bytes(c, (int)B, o.seq, true, true, p);
        if (bytes && (double)bytes + APART <= (double)left)
            fits = B;
        else
            not = B;
    }
    return fits;
}

static void check_memory(struct Run *r, const struct Config *c,
                         const struct ModelOptions *p)
{
    size_t all;
    if (backend_kind() != BACKEND_CUDA || !backend_memory(&r->left, &all))
        return;
    r->bytes = model_bytes(c, o.batch, o.seq, true, true, p);
    r->largest = largest_batch(c, p, r->left);
    if (o.batch <= r->largest)
        return;
    fail("--batch %d --seq %d takes %.1f GB, and this GPU has %.1f GB "
         "left: --batch %lld is the largest that fits; --accumulate makes "
         "up for it%s", o.batch, o.seq, (double)r->bytes / 1e9,
         (double)r->left / 1e9, (long long)r->largest,
         p->precision == BF16 && p->recompute < REDO_BLOCK
         ? ", and --recompute block takes less" : "");
}

static void load_weights(struct Run *r, const char *checkpoint)
{
    struct Trainer *t = &r->trainer;
    struct Error e;
    r->saved = -1;
    if (checkpoint) {
        if (!trainer_resume(t, checkpoint, &e))
            fail("%s", e.text);
        r->saved = t->step;
    } else if (o.init) {
        if (!weights_load(&t->model, o.init, &e))
            fail("%s", e.text);
    } else {
        model_init(&t->model, (uint64_t)o.seed);
    }
}

/* What each of several ranks sends in a step, at least: the gradients as
 * often as the order of the sum wants, once more for the sums or, where
 * the optimiser is divided, for the weights. */
static void print_exchange(const struct TrainConfig *c,
                           const struct Config *model)
{
    const int N = ranks_of(NULL), K = c->accumulate;
    const double once = (N - 1.0) / N * (double)config_params(model) / 1e6;
    const double gradients = 4 * once * (c->share.fixed ? K / N : 1);
    const double rest = c->share.shards && c->options.precision == BF16
                      ? 2 * once : 4 * once;
    if (N > 1)
        printf("ranks %d, this is one: each sends %.1f MB of gradients and "
               "%.1f MB of %s in a step\n", N, gradients, rest,
               c->share.shards ? "weights" : "their sums");
}

/* Rank 0 keeps the logs.  That of the ranks is beside the other one:
 * FILE.csv has FILE-ranks.csv. */
static void open_logs(struct Run *r)
{
    struct Error e;
    char path[FILE_PATH_MAX];
    if (!o.log || !first_rank(&r->ranks))
        return;
    const size_t n = strlen(o.log);
    const int stem = (int)(n > 4 && strcmp(o.log + n - 4, ".csv") == 0
                           ? n - 4 : n);
    if (!runlog_open(&r->log, LOG_STEPS, o.log, r->trainer.step, o.resume,
                     &e))
        fail("%s", e.text);
    if (r->ranks.dist.world < 2 || o.rank_times == 0)
        return;
    if (snprintf(path, sizeof path, "%.*s-ranks.csv", stem, o.log)
        >= (int)sizeof path)
        fail("--log: the path is too long");
    if (!runlog_open(&r->rank_log, LOG_RANKS, path, r->trainer.step,
                     o.resume, &e))
        fail("%s", e.text);
}

static void prepare(struct Run *r, const char *checkpoint)
{
    char weights[FILE_PATH_MAX];
    struct TrainConfig config;
    struct Config model;
    struct Error e;
    if (!o.data && !o.plan)
        misuse("which text? give --data GLOB, shards written by tokenize");
    if (o.sample_every && !o.vocab)
        misuse("--sample-every: samples need --vocab DIR");
    make_config(&config, &r->ranks);
    if (o.vocab && !(r->tokenizer = tokenizer_read(o.vocab, &e)))
        fail("%s", e.text);
    decide_model(&model, checkpoint, r->tokenizer);
    if (o.plan) {
        if (!model_print_plan(stdout, &model, o.batch, o.seq, true, true,
                              &config.options, &e))
            fail("%s", e.text);
        print_exchange(&config, &model);
        exit(0);
    }
    if (first_rank(&r->ranks))
        check_disk(config_params(&model));
    check_memory(r, &model, &config.options);
    if (!trainer_create(&r->trainer, &config, &model, o.data, o.val, &e))
        fail("%s", e.text);
    r->fields = list_fields(r->field);
    load_weights(r, checkpoint);
    fill_texts();
    if (checkpoint && !path_join(weights, checkpoint, "model.safetensors",
                                 &e))
        fail("%s", e.text);
    if (r->ranks.dist.world > 1)
        agree(r, checkpoint ? weights : o.init);
    open_logs(r);
    r->flop_per_token = count_flop(&model);
}

/* print what a GPU is asked for */
static void print_gpu(const struct Run *r, double tokens)
{
    const struct Config *c = &r->trainer.model.config;
    printf("        in %s; 6N + 12LCT FLOP a token (%.3g GFLOP a step if "
           "attention's\n        causal half is counted)\n", o.precision,
           tokens * count_causal(c) / 1e9);
    printf("memory  %.2f GB of %.1f; the largest --batch that fits is "
           "%lld\n", (double)r->bytes / 1e9, (double)r->left / 1e9,
           (long long)r->largest);
}

/* print what the GPU gave */
static void print_end(const struct Run *r)
{
    size_t left, all;
    if (profile_enabled())
        profile_print(stdout);
    if (!r->left || !backend_memory(&left, &all) || left > r->left)
        return;
    printf("memory  %.2f GB were taken, %.2f planned\n",
           (double)(r->left - left) / 1e9, (double)r->bytes / 1e9);
}

static void print_start(struct Run *r)
{
    const struct Trainer *t = &r->trainer;
    const struct Config *c = &t->model.config;
    double tokens = (double)t->data.tokens;
    double step = (double)o.accumulate * o.batch * o.seq;
    char source[80];
    r->peak = backend_peak(o.precision, 0.05, source, sizeof source)
            * r->ranks.dist.world;
    printf("model   %.2f M parameters: L=%d NH=%d C=%d V=%d T=%d\n",
           (double)t->model.table.count / 1e6, c->L, c->NH, c->C, c->V,
           c->T);
    printf("data    %.0f tokens in %zu shard%s; %.0f a step, an epoch is "
           "%.1f steps\n", tokens, t->data.shards,
           t->data.shards == 1 ? "" : "s", step,
           (double)t->data.windows * o.seq / step);
    printf("loss    ln V = %.3f before the first step, %.3f for a model "
           "that knows only\n        how often each token occurs\n",
           log(c->V), trainer_unigram(t));
    printf("machine %.0f GFLOP/s %s; a step is %.3g GFLOP\n",
           r->peak / 1e9, source, step * r->flop_per_token / 1e9);
    if (r->left)
        print_gpu(r, step);
    if (r->ranks.dist.world > 1)
        printf("ranks   %d, by %s, each with %d of the %d batches of a "
               "step\n", r->ranks.dist.world, r->ranks.dist.calls->name,
               o.accumulate / r->ranks.dist.world, o.accumulate);
    if (!o.out)
        printf("note: no --out, so nothing will be saved\n");
    if (t->step)
        printf("resumed after step %lld\n", (long long)t->step);
    fflush(stdout);
}

/* report a step */
static void last_checkpoint_text(const struct Run *r, char *out,
                                 size_t size)
{
    if (r->saved >= 0)
        snprintf(out, size, "the last checkpoint is %s/step-%06lld", o.out,
                 (long long)r->saved);
    else
        snprintf(out, size, "no checkpoint was written");
}

static void report(struct Run *r, const struct StepReport *s, double val,
                   double step_s)
{
    const struct Trainer *t = &r->trainer;
    double tokens = (double)o.accumulate * o.batch * o.seq;
    double spent = now_s() - r->start_s;
    double left = spent / (double)(t->step - r->start_step)
                  * (double)(o.steps - t->step);
    char time[32];
    format_duration(time, sizeof time, left);
    struct ProgressField f[9] = {{0}};
    snprintf(f[0].text, 60, "%lld/%lld", (long long)t->step,
             (long long)o.steps);
    snprintf(f[1].text, 60, "loss %.4f", s->loss);
    if (!isnan(val))
        snprintf(f[2].text, 60, "val %.4f", val);
    snprintf(f[3].text, 60, "norm %.3g", s->norm);
    snprintf(f[4].text, 60, "lr %.2e", s->lr);
    snprintf(f[5].text, 60, "%.0f tok/s", tokens / step_s);
    snprintf(f[6].text, 60, "%.0f%% of peak", 100 * tokens
             * r->flop_per_token / step_s / r->peak);
    snprintf(f[7].text, 60, "%s left", time);
    if (r->times.most_s > 0)
        snprintf(f[8].text, 60, "slowest rank %d, %+.1f%%",
                 r->times.slowest, 100 * (r->times.most_s
                                          / r->times.median_s - 1));
    static const int rank[9] = { 0, 0, 1, 4, 5, 3, 6, 2, 7 };
    for (int i = 0; i < 9; i++)
        f[i].rank = rank[i];
    progress_show(&r->progress, f, 9,
                  !isnan(val) || t->step == o.steps);
}

static void log_step(struct Run *r, const struct StepReport *s, double val,
                     double step_s)
{
    struct Error e;
    struct LogRow row = {
        .step = r->trainer.step, .loss = s->loss, .val_loss = val,
        .norm = s->norm, .lr = s->lr,
        .tokens_per_s = (double)o.accumulate * o.batch * o.seq / step_s,
    };
    const struct RankRow ranks = {
        .step = r->trainer.step, .ranks = r->ranks.dist.world,
        .slowest = s->ranks.slowest, .most_s = s->ranks.most_s,
        .median_s = s->ranks.median_s, .least_s = s->ranks.least_s,
    };
    if (s->ranks.slowest >= 0)
        r->times = s->ranks;
    if (!runlog_row(&r->log, &row, &e)
        || (s->ranks.slowest >= 0
            && !runlog_ranks(&r->rank_log, &ranks, &e))) {
        char left[4200];
        last_checkpoint_text(r, left, sizeof left);
        progress_end(&r->progress);
        fail("step %lld: %s; %s", (long long)r->trainer.step, e.text,
             left);
    }
}

/* write a sample */
static void write_sample(struct Run *r)
{
    struct Trainer *t = &r->trainer;
    struct Tokens prompt = {0};
    struct Sampler s;
    struct Error e;
    size_t n = strlen(o.prompt);
    progress_end(&r->progress);
    if (!sampler_create(&s, t->model.config.V, 0.8, 0, 0.95,
                        (uint64_t)(o.seed + t->step))
        || tokenizer_encode(r->tokenizer, &prompt,
                            (const uint8_t *)o.prompt, n, 0, n) < n)
        fail("out of memory for a prompt of %zu bytes", n);
    printf("--- sample after step %lld:", (long long)t->step);
    if (o.prompt[0] != '\n')
        putchar('\n');
    show_text(stdout, o.prompt, n);
    if (!generate_text(&t->model, &r->tokenizer->vocab, &s, stdout,
                       prompt.at, prompt.count, o.sample_tokens, &e))
        fail("%s", e.text);
    printf("\n---\n");
    fflush(stdout);
    free(prompt.at);
    sampler_free(&s);
}

/* save now and then */
static void close_logs(struct Run *r)
{
    runlog_close(&r->log);
    runlog_close(&r->rank_log);
}

_Noreturn static void stop_failed(struct Run *r, const struct Error *e)
{
    char left[4200];
    last_checkpoint_text(r, left, sizeof left);
    progress_end(&r->progress);
    close_logs(r);
    if (r->ranks.hub.quiet)
        ranks_fail(&r->ranks, e->text);
    fail("%s; %s", e->text, left);
}

static void save(struct Run *r)
{
    struct Error e;
    if (!o.out || r->saved == r->trainer.step)
        return;
    if (!trainer_save(&r->trainer, o.out, r->field, r->fields, &e))
        stop_failed(r, &e);
    r->saved = r->trainer.step;
    if (first_rank(&r->ranks) && !checkpoint_prune(o.out, o.keep, &e))
        warn("%s", e.text);
}

_Noreturn static void save_and_stop(struct Run *r, int signal)
{
    progress_end(&r->progress);
    save(r);
    close_logs(r);
    printf("stopped by %s after step %lld\n", stop_name(signal),
           (long long)r->trainer.step);
    if (o.out)
        printf("go on with: %.*s --resume --out %s",
               (int)strcspn(program_name(), ":"), program_name(), o.out);
    if (o.out && o.log && !log_in_out())
        printf(" --log %s", o.log);
    if (o.out && r->ranks.place.launched)
        printf(" --gpus %d", r->ranks.dist.world);
    if (o.out)
        putchar('\n');
    fflush(stdout);
    stop_die(signal);
}

/* run all steps */
static bool is_time(int64_t step, int64_t every)
{
    return every > 0 && (step % every == 0 || step == o.steps);
}

/* All ranks end after the same step: the trainer tells them. */
static bool is_stopped(const struct Run *r)
{
    return r->ranks.dist.world > 1 ? r->trainer.stop : stop_signal() != 0;
}

static void run_steps(struct Run *r)
{
    struct Trainer *t = &r->trainer;
    r->start_s = now_s();
    r->start_step = t->step;
    while (t->step < o.steps && !is_stopped(r)) {
        struct StepReport s;
        struct Error e;
        double start = now_s(), val = NAN;
        if (o.profile && t->step == r->start_step + 3)
            profile_enable(true);
        t->share.look = r->ranks.dist.world > 1
            && is_time(t->step + 1, o.rank_times);
        if (!trainer_step(t, &s, &e))
            stop_failed(r, &e);
        double step_s = now_s() - start;
        if (o.val && is_time(t->step, o.val_every))
            val = trainer_validate(t, o.val_batches);
        if (!model_ok(&t->model, &e))
            stop_failed(r, &e);
        log_step(r, &s, val, step_s);
        report(r, &s, val, step_s);
        if (is_time(t->step, o.sample_every) && !stop_signal()
            && first_rank(&r->ranks))
            write_sample(r);
        if (is_time(t->step, o.save_every))
            save(r);
    }
}

/* main of `train` */
int main(int argc, char **argv)
{
    static struct Run run;
    static char checkpoint[FILE_PATH_MAX];
    threads_wait_politely(argv);
    for (int i = 0; i < ROWS; i++)
        table[i].given = &given[i];
    args_options(argc, argv, table, &usage);
    find_place(&run.ranks.place, argv);
    ranks_join(&run.ranks, o.timeout);
    if (o.plan)
        checkpoint[0] = 0;
    else
        take_out(&run.ranks, checkpoint);
    if (checkpoint[0])
        resume_options(checkpoint, argc, argv);
    prepare(&run, checkpoint[0] ? checkpoint : NULL);
    print_start(&run);
    if (run.trainer.step >= o.steps)
        printf("the run is complete: %lld of %lld steps; a larger --steps "
               "prolongs it\n", (long long)run.trainer.step,
               (long long)o.steps);
    stop_catch();
    progress_start(&run.progress, stdout, 10);
    run_steps(&run);
    if (is_stopped(&run))
        save_and_stop(&run, stop_signal() ? stop_signal() : SIGTERM);
    progress_end(&run.progress);
    print_end(&run);
    save(&run);
    close_logs(&run);
    if (o.out)
        printf("the model is in %s/step-%06lld\n", o.out,
               (long long)run.trainer.step);
    trainer_free(&run.trainer);
    ranks_leave(&run.ranks);
    if (run.tokenizer)
        tokenizer_free(run.tokenizer);
    return 0;
}
