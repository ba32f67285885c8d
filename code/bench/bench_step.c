/* Tangled from chapters/workshop/timing-a-step.nw, "bench-step".  Edit it there. */

/* bench-step: what a whole step of training costs on this machine, and
 * which parts of it cost what.  Correctness first: no time is printed for
 * a model whose loss or gradient is wrong. */

/* bench-step: headers */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "backend/backend.h"
#include "base/args.h"
#include "base/clock.h"
#include "base/rng.h"
#include "base/text.h"
#include "bench/numbers.h"
#include "bench/sample.h"
#include "gpt2/trainer.h"
#include "io/safetensors.h"
#include "io/weights.h"
#include "ops/adamw/adamw.h"
#include "ops/peak/peak.h"
#include "programs/kernels.h"

/* bench-step: options */
static const char *model = "gpt2", *precision = "fp32", *recompute = "none",
    *out = "", *machine = "", *peer = "figures/data/torch-step.csv",
    *fixture = "tests/data/gpt2-tiny";
static int B = 4, T = 64, steps = 11, parts = 3, idle_ms;
static bool no_graph;
static struct ModelOptions options;
static struct Numbers numbers;
static char command[160];

static const struct Option table[] = {
    { "model", OPT_STRING, &model, 0, 0, "NAME", "as for train", NULL },
    { "batch", OPT_INT, &B, 1, 1024, "B", "sequences", NULL },
    { "seq", OPT_INT, &T, 1, 65536, "T", "tokens of each", NULL },
    { "precision", OPT_STRING, &precision, 0, 0, PRECISION_NAMES, "",
      NULL },
    { "recompute", OPT_STRING, &recompute, 0, 0, RECOMPUTE_NAMES, "",
      NULL },
    { "no-graph", OPT_FLAG, &no_graph, 0, 0, "",
      "launch every kernel of a step", NULL },
    { "steps", OPT_INT, &steps, 3, MAX_RUNS, "N", "timed", NULL },
    { "idle", OPT_INT, &idle_ms, 0, 1000, "MS", "idle after each step",
      NULL },
    { "parts", OPT_INT, &parts, 0, 100, "N", "steps taken apart", NULL },
    { "peer", OPT_STRING, &peer, 0, 0, "FILE.csv",
      "rows of bench_torch_gpu.py to print beside", NULL },
    { "fixture", OPT_STRING, &fixture, 0, 0, "DIR",
      "what PyTorch computed for a small model", NULL },
    { "out", OPT_STRING, &out, 0, 0, "FILE.csv", "append rows", NULL },
    { "machine", OPT_STRING, &machine, 0, 0, "TEXT",
      "what the rows say of it", NULL },
    { .type = OPT_END },
};

static void read_options(int argc, char **argv)
{
    const struct Usage usage = { "[options]", "Time whole steps of "
        "training on random tokens, and their parts.", NULL };
    struct Error e;
    program_set_name(argv[0]);
    if (args_parse(argc, argv, table, &usage) > 0)
        misuse("no arguments expected; try --help");
    kernels_from_environment();
    if (!precision_options(&options, precision, recompute, true, &e))
        misuse("%s", e.text);
    options.no_graph = no_graph;
    snprintf(command, sizeof command, "%s --model %s --batch %d --seq %d "
             "--precision %s --recompute %s%s", program_name(), model, B, T,
             precision, recompute, no_graph ? " --no-graph" : "");
    if (idle_ms)
        snprintf(command + strlen(command),
                 sizeof command - strlen(command), " --idle %d", idle_ms);
}

/* bench-step: the loss that PyTorch computed */
static const void *tensor(struct Safetensors *s, const char *file,
                          const char *name, const struct StTensor **t)
{
    char path[4096];
    struct Error e;
    snprintf(path, sizeof path, "%s/%s.safetensors", fixture, file);
    if (!safetensors_open(s, path, &e))
        fail("%s", e.text);
    *t = safetensors_find(s, name);
    if (!*t)
        fail("%s: there is no tensor '%s'", path, name);
    return s->data + (*t)->begin;
}

static void check_fixture(void)
{
    struct Safetensors in, to, want;
    const struct StTensor *shape, *t;
    struct Config c;
    struct Model m;
    struct Error e;
    char path[4096];
    real expected;
    const int32_t *tokens = tensor(&in, "batches", "inputs", &shape);
    const int32_t *targets = tensor(&to, "batches", "targets", &t);
    int b = (int)shape->shape[1], s = (int)shape->shape[2];
    tensor(&want, "expected", "loss", &t);
    snprintf(path, sizeof path, "%s/model.safetensors", fixture);
    if (!safetensors_read(&want, t, &expected, &e)
        || !weights_config(&c, path, 0, &e)
        || !model_create(&m, &c, b, s, false, &e)
        || !weights_load(&m, path, &e))
        fail("%s", e.text);
    double loss = model_loss(&m, tokens, targets, b, s);
    printf("loss of the fixture %.7f, PyTorch in float64 %.7f\n", loss,
           (double)expected);
    const double allowed = options.precision == TF32 ? 1e-3 : 2e-6;
    if (!(fabs(loss - (double)expected) <= allowed * (double)expected))
        fail("the loss is wrong: nothing is timed");
    /* close the fixture */
    model_free(&m);
    safetensors_close(&in);
    safetensors_close(&to);
    safetensors_close(&want);
}

/* bench-step: bf16 beside fp32 */
/* Loss, and length of the gradient, of a small model in one precision. */
static void small(const struct ModelOptions *o, double *loss, double *norm)
{
    enum { b = 2, t = 256 };
    static int32_t tokens[b * t], targets[b * t];
    struct Rng r = rng_new(7, 0);
    struct Config c;
    struct Model m;
    struct Error e;
    for (int i = 0; i < b * t; i++) {
        tokens[i] = (int32_t)rng_below(&r, 5000);
        targets[i] = (int32_t)rng_below(&r, 5000);
    }
    if (!config_preset(&c, "d2", &e)
        || !model_create_as(&m, &c, b, t, true, o, &e))
        fail("%s", e.text);
    model_init(&m, 7);
    *loss = model_forward_backward(&m, tokens, targets, b, t, 1, false);
    *norm = sqrt(sum_squares(m.g.base, m.table.total));
    model_free(&m);
}

static void check_low(void)
{
    const struct ModelOptions high = { .precision = FP32 };
    double loss, norm, want, want_norm;
    small(&high, &want, &want_norm);
    small(&options, &loss, &norm);
    printf("loss in bf16 %.5f, in fp32 %.5f; gradient %.5f, %.5f\n", loss,
           want, norm, want_norm);
    if (!(fabs(loss - want) <= 2e-3 * want)
        || !(fabs(norm - want_norm) <= 2e-2 * want_norm))
        fail("bf16 is too far from fp32: nothing is timed");
}

/* bench-step: a shard of random tokens */
/* Enough for a few different batches; the caller removes the file. */
static void random_shard(char *path, int V)
{
    struct ShardWriter w;
    struct Error e;
    struct Rng r = rng_new(1, 0);
    uint16_t token[4096];
    size_t left = 8 * (size_t)B * (size_t)T + 1;
    int f = mkstemp(path);
    if (f < 0 || !shard_create(&w, path, &e))
        fail("%s: cannot write", path);
    close(f);
    while (left) {
        size_t n = left < 4096 ? left : 4096;
        for (size_t i = 0; i < n; i++)
            token[i] = (uint16_t)rng_below(&r, (uint64_t)V);
        if (!shard_append(&w, token, n))
            fail("%s: cannot write", path);
        left -= n;
    }
    if (!shard_finish(&w, &e))
        fail("%s", e.text);
}

/* bench-step: a model to time */
static void make(struct Trainer *t)
{
    const struct TrainConfig config = {
        .B = B, .T = T, .accumulate = 1, .seed = 1,
        .optimizer = { .beta1 = 0.9, .beta2 = 0.95, .eps = 1e-8,
                       .decay = 0.1, .clip = 1 },
        .schedule = { .shape = SCHEDULE_CONSTANT, .lr = 1e-4,
                      .last = 0.1, .warmup = 1, .steps = 1000 },
        .options = options,
    };
    char path[] = "/tmp/bench-step-XXXXXX";
    struct Config c;
    struct Error e;
    if (!config_preset(&c, model, &e))
        misuse("--model %s", e.text);
    if (T > c.T)
        misuse("--seq %d: the model takes at most %d tokens", T, c.T);
    random_shard(path, c.V);
    if (!trainer_create(t, &config, &c, path, NULL, &e))
        fail("%s", e.text);
    unlink(path);
    model_init(&t->model, 1);
}

/* bench-step: time some steps */
static double step(struct Trainer *t)
{
    struct StepReport r;
    struct Error e;
    double start = now_s();
    if (!trainer_step(t, &r, &e))
        fail("%s", e.text);
    const double took = now_s() - start;
    usleep(1000 * (useconds_t)idle_ms);
    return took;
}

static void put(double value, const char *unit, const char *what)
{
    char length[16] = "", idle[16] = "";
    if (T != 1024)
        snprintf(length, sizeof length, ".t%d", T);
    if (idle_ms)
        snprintf(idle, sizeof idle, ".idle%d", idle_ms);
    number_put(&numbers, unit, value, "step.%s.b%d%s.%s%s%s%s%s.%s", model,
               B, length, precision, *recompute == 'n' ? "" : ".",
               *recompute == 'n' ? "" : recompute,
               no_graph ? ".launches" : "", idle, what);
}

static double time_steps(struct Trainer *t)
{
    struct Sample s = {0};
    for (int i = 0; i < 5; i++)
        step(t);
    for (int i = 0; i < steps; i++)
        sample_add(&s, step(t));
    double ms = 1e3 * median(&s), tokens = (double)B * T;
    const struct Config *c = &t->model.config;
    double n = (double)config_params(c) - (double)c->T * c->C;
    double flop = tokens * (6 * n + 12.0 * c->L * c->C * T);
    char source[60];
    double peak = backend_peak(precision, 0.2, source, sizeof source);
    printf("%s B=%d T=%d %s: %.2f ms (%.2f to %.2f), %.0f tok/s\n",
           model, B, T, precision, ms, 1e3 * fastest(&s),
           1e3 * slowest(&s), 1e3 * tokens / ms);
    printf("%.1f TFLOP/s, %.1f %% of the peak %s\n", 1e-9 * flop / ms,
           1e5 * flop / ms / peak, source);
    put(ms, "ms", "time");
    put(1e3 * fastest(&s), "ms", "low");
    put(1e3 * slowest(&s), "ms", "high");
    put(1e3 * tokens / ms, "tok/s", "rate");
    put(1e-9 * flop / ms, "TFLOP/s", "flop");
    put(1e5 * flop / ms / peak, "%", "mfu");
    return ms;
}

/* bench-step: time the giving */
static void time_giving(struct Trainer *t)
{
    struct Sample s = {0};
    for (int i = 0; i < 7; i++) {
        double start = now_s();
        model_train_start(&t->model, t->tokens, t->targets, B, T, 1, false);
        sample_add(&s, now_s() - start);
        model_train_loss(&t->model);
        backend_wait();         /* a loss may come before the gradient */
    }
    printf("forward and backward given in %.3f ms\n", 1e3 * median(&s));
    put(1e3 * median(&s), "ms", "given");
}

/* bench-step: read a row of the profile */
/* One row of profile_print: a name of several words, then calls
 * and milliseconds; false for others, and for their sum. */
static bool read_row(const char *line, char name[40], int *calls,
                     double *ms)
{
    char text[25] = "";
    if (strlen(line) < 25 || sscanf(line, "%24c", text) != 1
        || sscanf(line + 24, "%d %lf", calls, ms) != 2)
        return false;
    size_t n = strlen(text);
    while (n && text[n - 1] == ' ')
        text[--n] = 0;
    for (size_t i = 0; i <= n; i++)
        name[i] = strchr(" ,/_+", text[i]) && text[i] ? '-' : text[i];
    return n > 0 && strcmp(name, "sum") != 0;
}

/* bench-step: print the parts of a step */
static void take_apart(struct Trainer *t)
{
    char *text = NULL, *rest, name[40], row[64];
    size_t size;
    double whole = 0, sum = 0, ms;
    int calls;
    FILE *f = open_memstream(&text, &size);
    profile_enable(true);
    for (int i = 0; i < parts; i++)
        whole += 1e3 * step(t) / parts;
    profile_print(f);
    profile_enable(false);
    fclose(f);
    fputs(text, stdout);
    /* bench-step: keep each row of the table */
    for (char *l = strtok_r(text, "\n", &rest); l;
         l = strtok_r(NULL, "\n", &rest))
        if (read_row(l, name, &calls, &ms)) {
            snprintf(row, sizeof row, "part.%s", name);
            put(ms / parts, "ms", row);
            snprintf(row, sizeof row, "calls.%s", name);
            put((double)calls / parts, "", row);
            sum += ms / parts;
        }
    printf("parts %.2f ms of a step of %.2f with marks, %.2f in none\n",
           sum, whole, whole - sum);
    put(whole, "ms", "marked");
    put(whole - sum, "ms", "rest");
    free(text);
}

/* bench-step: beside PyTorch */
/* Is it of sequences of another length: .t64 and a digit more or less? */
static bool other_length(const char *name)
{
    const char *t = strstr(name, ".t");
    while (t && !isdigit((unsigned char)t[2]))
        t = strstr(t + 1, ".t");
    return t != NULL;
}

/* Rows of PyTorch in tf32 and fp32 say so in their name, those in bf16 do
 * not. */
static bool same_precision(const char *name)
{
    const bool tf32 = strstr(name, ".tf32."), fp32 = strstr(name, ".fp32.");
    return tf32 == (options.precision == TF32)
        && fp32 == (options.precision == FP32);
}

/* The rates of the same model, batch and precision in the peer's file: of
 * all rounds together, at full length. */
static void beside(double ms)
{
    char line[512], want[80], name[160];
    double rate, ours = 1e3 * B * T / ms;
    FILE *f = fopen(peer, "r");
    int n = snprintf(want, sizeof want, "torch.%s.b%d.", model, B);
    while (f && fgets(line, sizeof line, f)) {
        char *comma = strchr(line, ',');
        if (strncmp(line, want, (size_t)n) != 0 || !comma
            || sscanf(comma, ",%lf", &rate) != 1)
            continue;
        escape_text(name, sizeof name, line, (size_t)(comma - line), "");
        size_t length = strlen(name);
        if (length > 5 && strcmp(name + length - 5, ".rate") == 0
            && !strstr(name, ".round") && !other_length(name)
            && same_precision(name))
            printf("%-36s %8.0f tok/s; we are at %.2f of it\n", name, rate,
                   ours / rate);
    }
    if (f)
        fclose(f);
}

static void measure(void)
{
    struct Trainer t;
    make(&t);
    double ms = time_steps(&t);
    time_giving(&t);
    if (parts)
        take_apart(&t);
    struct Error e;
    if (!model_ok(&t.model, &e))
        fail("%s", e.text);
    beside(ms);
    trainer_free(&t);
}

int main(int argc, char **argv)
{
    struct Error e;
    read_options(argc, argv);
    check_fixture();
    if (options.precision == BF16)
        check_low();
    if (!numbers_open(&numbers, out, *machine ? machine : backend_name(),
                      command, &e))
        fail("%s", e.text);
    measure();
    if (!numbers_close(&numbers, &e))
        fail("%s", e.text);
    return 0;
}
