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
#include "bench/power.h"
#include "bench/sample.h"
#include "gpt2/memory.h"
#include "gpt2/trainer.h"
#include "io/safetensors.h"
#include "io/weights.h"
#include "ops/adamw/adamw.h"
#include "ops/peak/peak.h"
#include "programs/kernels.h"
#include "programs/ranks.h"

/* bench-step: options */
static const char *model = "gpt2", *precision = "fp32", *recompute = "none",
    *out = "", *machine = "", *peer = "figures/data/torch-step.csv",
    *fixture = "tests/data/gpt2-tiny";
static int B = 4, T = 64, steps = 11, parts = 3, idle_ms;
static bool no_graph;
static const char *sum_order = "any";
static int gpus = 1, zero;
static bool apart, no_overlap, gpus_given;
static struct Ranks ranks;
static struct ModelOptions options;
static struct Numbers numbers;
static char command[160];

static const struct Option table[] = {
    { "model", OPT_STRING, &model, 0, 0, "NAME", "as for train", NULL },
    { "batch", OPT_INT, &B, 0, 1024, "B",
      "sequences; 0: as many as fit into a GPU", NULL },
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
    { "gpus", OPT_INT, &gpus, 1, GRAD_RANKS, "N",
      "ranks, one a GPU, with B sequences each", &gpus_given },
    { "zero", OPT_INT, &zero, 0, 1, "0|1", "as for train", NULL },
    { "sum-order", OPT_CHOICE, &sum_order, 0, 0, "any|fixed",
      "as for train", NULL },
    { "no-overlap", OPT_FLAG, &no_overlap, 0, 0, "", "as for train",
      NULL },
    { "apart", OPT_FLAG, &apart, 0, 0, "",
      "the ranks exchange nothing: the limit of those that do", NULL },
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

/* bench-step: how ranks share a step */
static struct ShareConfig share_of(bool together)
{
    const bool many = ranks.dist.world > 1;
    options.shards = together && many && zero ? ranks.dist.world : 0;
    return (struct ShareConfig){
        .dist = together && many ? &ranks.dist : NULL,
        .fixed = together && *sum_order == 'f', .late = no_overlap,
        .bucket_bytes = 25000000, .shards = options.shards > 0,
    };
}

static int largest_batch(void)
{
    enum { MOST = 1024, STEP = 4 };
    size_t left, all;
    struct Config c;
    struct Error e;
    int mine = STEP, each[GRAD_RANKS];
    if (!config_preset(&c, model, &e))
        misuse("--model %s", e.text);
    if (!backend_memory(&left, &all))
        misuse("--batch 0: this backend does not say how much memory it "
               "has; give a number");
    while (mine < MOST
           && (double)model_bytes(&c, mine + STEP, T, true, true, &options)
              + 2.5e9 < (double)left)     /* CUDA's, NCCL's, buckets */
        mine += STEP;
    if (!dist_exchange(&ranks.dist, each, &mine, sizeof mine, &e))
        ranks_fail(&ranks, e.text);
    for (int r = 0; r < ranks.dist.world; r++)
        mine = each[r] < mine ? each[r] : mine;
    printf("the largest batch that fits: %d sequences a GPU\n", mine);
    return mine;
}

/* bench-step: a shard of random tokens */
/* For 8 steps of so many tokens; the caller removes the file. */
static void random_shard(char *path, int V, size_t step)
{
    struct ShardWriter w;
    struct Error e;
    struct Rng r = rng_new(1, 0);
    uint16_t token[4096];
    size_t left = 8 * step + 1;
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
static void make(struct Trainer *t, const char *name, int b, int seq,
                 int accumulate, const struct ShareConfig *share)
{
    const struct TrainConfig config = {
        .B = b, .T = seq, .accumulate = accumulate, .seed = 1,
        .optimizer = { .beta1 = 0.9, .beta2 = 0.95, .eps = 1e-8,
                       .decay = 0.1, .clip = 1 },
        .schedule = { .shape = SCHEDULE_CONSTANT, .lr = 1e-4,
                      .last = 0.1, .warmup = 1, .steps = 1000 },
        .options = options, .share = *share,
    };
    char path[] = "/tmp/bench-step-XXXXXX";
    struct Config c;
    struct Error e;
    if (!config_preset(&c, name, &e))
        misuse("--model %s", e.text);
    if (seq > c.T)
        misuse("--seq %d: the model takes at most %d tokens", seq, c.T);
    random_shard(path, c.V, (size_t)b * (size_t)seq
                            * (size_t)ranks.dist.world);
    const bool made = trainer_create(t, &config, &c, path, NULL, &e);
    unlink(path);
    if (!made)
        fail("%s", e.text);
    model_init(&t->model, 1);
}

/* bench-step: several ranks beside one */
static struct StepReport two_steps(bool together)
{
    const struct ShareConfig share = share_of(together);
    struct StepReport r;
    struct Trainer t;
    struct Error e;
    make(&t, "d2", 1, 64, ranks.dist.world, &share);
    for (int i = 0; i < 2; i++)
        if (!trainer_step(&t, &r, &e))
            ranks_fail(&ranks, e.text);
    trainer_free(&t);
    return r;
}

static void check_ranks(void)
{
    const struct StepReport want = two_steps(false), r = two_steps(true);
    printf("loss of %d ranks %.6f, of one %.6f; gradient %.6f, %.6f\n",
           ranks.dist.world, r.loss, want.loss, r.norm, want.norm);
    if (!(fabs(r.loss - want.loss) <= 1e-4 * want.loss)
        || !(fabs(r.norm - want.norm) <= 1e-3 * want.norm))
        fail("several ranks are too far from one: nothing is timed");
}

/* bench-step: open the file of rows */
static void say(const char *format, int n)
{
    const size_t at = strlen(command);
    snprintf(command + at, sizeof command - at, format, n);
}

static void open_rows(void)
{
    struct Error e;
    const bool first = ranks.dist.rank == 0;
    snprintf(command, sizeof command, "%.*s --model %s --batch %d "
             "--seq %d --precision %s --recompute %s%s",
             (int)strcspn(program_name(), ":"), program_name(), model, B,
             T, precision, recompute, no_graph ? " --no-graph" : "");
    if (idle_ms)
        say(" --idle %d", idle_ms);
    if (gpus_given)
        say(" --gpus %d", gpus);
    if (zero)
        say(" --zero %d", zero);
    say(*sum_order == 'f' ? " --sum-order fixed" : "", 0);
    say(no_overlap ? " --no-overlap" : "", 0);
    say(apart ? " --apart" : "", 0);
    if (!numbers_open(&numbers, first ? out : "",
                      *machine ? machine : backend_name(), command, &e))
        fail("%s", e.text);
}

static void close_rows(void)
{
    struct Error e;
    if (!numbers_close(&numbers, &e))
        fail("%s", e.text);
}

/* bench-step: name a row */
static double step(struct Trainer *t)
{
    struct StepReport r;
    struct Error e;
    double start = now_s();
    if (!trainer_step(t, &r, &e))
        ranks_fail(&ranks, e.text);
    const double took = now_s() - start;
    usleep(1000 * (useconds_t)idle_ms);
    return took;
}

static void put(double value, const char *unit, const char *what)
{
    char length[16] = "", idle[16] = "", shared[40] = "";
    if (T != 1024)
        snprintf(length, sizeof length, ".t%d", T);
    if (idle_ms)
        snprintf(idle, sizeof idle, ".idle%d", idle_ms);
    if (gpus_given)
        snprintf(shared, sizeof shared, ".n%d%s%s%s%s", ranks.dist.world,
                 zero ? ".zero" : "", *sum_order == 'f' ? ".fixed" : "",
                 no_overlap ? ".late" : "", apart ? ".apart" : "");
    number_put(&numbers, unit, value, "step.%s.b%d%s.%s%s%s%s%s%s.%s",
               model, B, length, precision, *recompute == 'n' ? "" : ".",
               *recompute == 'n' ? "" : recompute,
               no_graph ? ".launches" : "", idle, shared, what);
}

/* bench-step: the slowest rank of each step */
/* s = for each step the longest time of all ranks; the rank whose median
 * is the longest, and that median. */
static int slowest_of_all(struct Sample *s, const double *mine,
                          double *longest)
{
    const int world = ranks.dist.world;
    double (*all)[MAX_RUNS] = calloc((size_t)world, sizeof *all);
    struct Error e;
    int worst = 0;
    if (!all)
        fail("out of memory");
    if (!dist_exchange(&ranks.dist, all, mine, sizeof *all, &e))
        ranks_fail(&ranks, e.text);
    *longest = 0;
    for (int r = 0; r < world; r++) {
        struct Sample one = {0};
        for (int i = 0; i < steps; i++)
            sample_add(&one, all[r][i]);
        if (median(&one) > *longest)
            *longest = median(&one), worst = r;
    }
    for (int i = 0; i < steps; i++) {
        double most = 0;
        for (int r = 0; r < world; r++)
            most = all[r][i] > most ? all[r][i] : most;
        sample_add(s, most);
    }
    free(all);
    return worst;
}

/* bench-step: time some steps */
/* Mean clock and power of each GPU, beside the others'. */
static void put_power(const struct Power *mine)
{
    struct Power all[GRAD_RANKS];
    struct Error e;
    char name[32];
    if (!dist_exchange(&ranks.dist, all, mine, sizeof *mine, &e))
        ranks_fail(&ranks, e.text);
    for (int r = 0; r < ranks.dist.world && all[r].readings; r++) {
        printf("GPU %d: %.0f MHz, %.0f W, mean of %d readings\n", r,
               all[r].mhz, all[r].watts, all[r].readings);
        snprintf(name, sizeof name, "clock.%d", r);
        put(all[r].mhz, "MHz", name);
        snprintf(name, sizeof name, "power.%d", r);
        put(all[r].watts, "W", name);
    }
}

static void put_times(const struct Sample *s, const struct Trainer *t)
{
    const int world = ranks.dist.world;
    double ms = 1e3 * median(s), tokens = (double)world * B * T;
    const struct Config *c = &t->model.config;
    double n = (double)config_params(c) - (double)c->T * c->C;
    double flop = tokens * (6 * n + 12.0 * c->L * c->C * T);
    char source[60];
    double peak = world * backend_peak(precision, 0.2, source,
                                       sizeof source);
    printf("%s B=%d T=%d %s: %.2f ms (%.2f to %.2f), %.0f tok/s\n",
           model, B, T, precision, ms, 1e3 * fastest(s),
           1e3 * slowest(s), 1e3 * tokens / ms);
    printf("%.1f TFLOP/s, %.1f %% of the peak %s\n", 1e-9 * flop / ms,
           1e5 * flop / ms / peak, source);
    put(ms, "ms", "time");
    put(1e3 * fastest(s), "ms", "low");
    put(1e3 * slowest(s), "ms", "high");
    put(1e3 * tokens / ms, "tok/s", "rate");
    put(1e-9 * flop / ms, "TFLOP/s", "flop");
    put(1e5 * flop / ms / peak, "%", "mfu");
}

static double time_steps(struct Trainer *t)
{
    double mine[MAX_RUNS] = {0}, longest;
    struct Sample s = {0};
    for (int i = 0; i < 5; i++)
        step(t);
    power_start();
    for (int i = 0; i < steps; i++)
        mine[i] = step(t);
    const struct Power power = power_stop();
    const int worst = slowest_of_all(&s, mine, &longest);
    put_times(&s, t);
    if (ranks.dist.world > 1)
        printf("slowest: rank %d, median %.2f ms\n", worst,
               1e3 * longest);
    put_power(&power);
    return 1e3 * median(&s);
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

/* bench-step: time the exchange alone */
static void exchange_once(struct Trainer *t)
{
    struct Error e;
    share_exchange(&t->share);
    shards_give(&t->shards);
    if (!dist_wait(&ranks.dist, &e))
        ranks_fail(&ranks, e.text);
}

static void time_exchange(struct Trainer *t)
{
    const struct ModelUse u = model_use(&t->model);
    double mine[MAX_RUNS] = {0}, longest;
    struct Sample s = {0};
    backend_zero(t->model.g.base, t->model.table.total * sizeof(real));
    exchange_once(t);
    for (int i = 0; i < steps; i++) {
        const double start = now_s();
        ranks.dist.sent = 0;
        exchange_once(t);
        mine[i] = now_s() - start;
    }
    slowest_of_all(&s, mine, &longest);
    printf("exchange alone %.3f ms (%.3f to %.3f), each rank sends "
           "%.1f MB\n", 1e3 * median(&s), 1e3 * fastest(&s),
           1e3 * slowest(&s), (double)ranks.dist.sent / 1e6);
    put(1e3 * median(&s), "ms", "exchange");
    put((double)ranks.dist.sent / 1e6, "MB", "sent");
    model_unuse(&t->model, u);
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
    const struct ShareConfig share = share_of(!apart);
    const bool alone = ranks.dist.world == 1;
    struct Trainer t;
    struct Error e;
    if (B == 0)
        B = largest_batch();
    make(&t, model, B, T, share.dist ? ranks.dist.world : 1, &share);
    open_rows();
    double ms = time_steps(&t);
    if (share.dist)
        time_exchange(&t);
    if (alone)
        time_giving(&t);
    if (alone && parts)
        take_apart(&t);
    if (!model_ok(&t.model, &e))
        fail("%s", e.text);
    if (alone)
        beside(ms);
    close_rows();
    trainer_free(&t);
}

int main(int argc, char **argv)
{
    read_options(argc, argv);
    if (!place_from_environment(&ranks.place) && gpus > 1)
        launch_ranks(argv, gpus, 0);
    ranks_join(&ranks, 300);
    check_fixture();
    if (options.precision == BF16)
        check_low();
    if (ranks.dist.world > 1)
        check_ranks();
    measure();
    ranks_leave(&ranks);
    return 0;
}
