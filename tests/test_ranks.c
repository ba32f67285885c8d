/* Ranks: which windows each gets, which gradients are sent when, which
 * parameters each moves, and what a hub exchanges.  The collectives are a
 * list that is kept: nobody is on the other side. */
#include "rows.h"

#include "dist/dist.h"
#include "dist/hub.h"
#include "dist/launch.h"
#include "gpt2/model.h"
#include "gpt2/shards.h"
#include "gpt2/trainer.h"

#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"

/* ---- a rank that writes down what it is asked for --------------------- */
enum { MOST = 200 };
static struct Asked { size_t from, n; } asked[MOST];
static int asks, joins;
static const real *base;

static void note(const real *p, size_t n)
{
    assert_true(asks < MOST);
    asked[asks++] = (struct Asked){ (size_t)(p - base), n };
}

static void note_sum(struct Dist *d, real *p, size_t n)
{
    (void)d;
    note(p, n);
}

static void note_part(struct Dist *d, real *part, const real *p, size_t n)
{
    (void)part;
    note(p, n * (size_t)d->world);
}

static void note_join(struct Dist *d)
{
    (void)d;
    joins++;
}

static const struct DistCalls noted = {
    .name = "a list", .overlaps = true, .all_reduce = note_sum,
    .reduce_scatter = note_part, .join = note_join,
};

static void make(struct Model *m, int shards)
{
    const struct Config c = { .V = 65, .T = 16, .L = 3, .NH = 3, .C = 45 };
    const struct ModelOptions o = { .shards = shards };
    struct Error e;
    if (!model_create_as(m, &c, 1, 16, true, &o, &e))
        fail_msg("%s", e.text);
    base = m->g.base;
}

/* ---- each number is sent once, and not before it is final -------------- */
static void buckets(const struct Row *row)
{
    const int N = row_int(row, "N");
    struct Dist d = { .calls = &noted, .rank = N - 1, .world = N };
    struct ShareConfig c = { .dist = &d, .shards = row_int(row, "parts"),
                             .bucket_bytes = (size_t)row_int(row, "B") };
    struct Model m;
    struct Share s;
    struct Error e;
    make(&m, 0);
    if (!share_create(&s, &c, &m, &e))
        fail_msg("%s", e.text);
    share_begin(&s, true);
    asks = joins = 0;
    size_t done = 0, top = m.table.total + (size_t)N * GRAD_UNIT;
    for (int l = m.config.L - 1; l >= -1; l--) {
        const size_t from = l < 0 ? 0 : (size_t)(m.g.h[l].ln_1_w - base);
        assert_int_equal(joins, 0);
        m.ready.call(m.ready.arg, from);
        for (; done < (size_t)asks; done++) {
            assert_true(asked[done].from >= from);
            assert_int_equal(asked[done].n % ((size_t)N * GRAD_UNIT), 0);
            assert_true(asked[done].from + asked[done].n <= top);
            top = asked[done].from;
            assert_true(done == 0 || top + asked[done].n
                                     == asked[done - 1].from);
        }
    }
    assert_int_equal(top, 0);
    assert_true(asked[0].n + asked[0].from >= m.table.total);
    assert_int_equal(joins, 1);
    share_end(&s, 0, true);
    assert_int_equal(asks, done);
    share_free(&s);
    model_free(&m);
}

/* ---- each parameter belongs to one rank ------------------------------- */
static void parts(const struct Row *row)
{
    const int N = row_int(row, "N");
    struct Model m;
    struct Error e;
    make(&m, N);
    int *owners = calloc(m.table.total, sizeof *owners);
    assert_non_null(owners);
    for (int r = 0; r < N; r++) {
        struct Dist d = { .calls = &noted, .rank = r, .world = N };
        struct ShareConfig c = { .dist = &d, .shards = true,
                                 .bucket_bytes = 40000 };
        struct Optimizer o;
        struct Share share;
        struct Shards s;
        if (!optimizer_create(&o, &m, &(struct OptimizerConfig){ 0 }, 1,
                              &e)
            || !share_create(&share, &c, &m, &e)
            || !shards_create(&s, &o, &share, &e))
            fail_msg("%s", e.text);
        assert_int_equal(share.own, share_part(&m.table, N));
        for (int i = 0; i < share.buckets; i++) {
            const struct Bucket *b = &share.bucket[i];
            const size_t n = (b->to - b->from) / (size_t)N;
            for (int k = s.first[i]; k < s.first[i + 1]; k++) {
                assert_true(s.span[k].offset + s.span[k].size <= n);
                for (size_t j = 0; j < s.span[k].size; j++)
                    owners[b->from + (size_t)r * n + s.span[k].offset
                           + j] += s.span[k].decays ? 2 : 1;
            }
        }
        shards_free(&s), share_free(&share), optimizer_free(&o);
    }
    for (int i = 0; i < m.table.n; i++)
        for (size_t j = 0; j < m.table.row[i].size; j++)
            assert_int_equal(owners[m.table.row[i].offset + j],
                             m.table.row[i].decay ? 2 : 1);
    free(owners);
    model_free(&m);
}

/* ---- three ranks of a hub, in threads ---------------------------------- */
struct Member {
    int rank, listener; char address[40];
    bool leaves, said;              /* rank 2, and says so */
    int absent, exchange;           /* ranks that do not answer, or -1 */
};

static void in_threads(void *(*body)(void *), struct Member all)
{
    pthread_t thread[3];
    struct Member k[3];
    struct Error e;
    int port, listener = hub_listen(&port, &e);
    assert_true(listener >= 0);
    snprintf(all.address, sizeof all.address, "127.0.0.1:%d", port);
    for (int r = 0; r < 3; r++) {
        k[r] = all;
        k[r].rank = r, k[r].listener = r ? -1 : listener;
        assert_int_equal(pthread_create(&thread[r], NULL, body, &k[r]), 0);
    }
    const char *why[3];
    for (int r = 0; r < 3; r++)
        pthread_join(thread[r], (void **)&why[r]);
    for (int r = 0; r < 3; r++)
        if (why[r])
            fail_msg("rank %d: %s", r, why[r]);
}

static void *member(void *arg)
{
    struct Member *k = arg;
    struct Hub h = { 0 };
    struct Error e = { "" };
    int all[3] = { 0 }, mine = 10 + k->rank;
    if (!hub_open(&h, k->rank, 3, k->address, k->listener, 20, &e))
        return (void *)"it was not opened";
    const char *why = NULL;
    if (!hub_exchange(&h, all, &mine, sizeof mine, &e)
        || all[0] != 10 || all[1] != 11 || all[2] != 12)
        why = "the exchange is wrong";
    if (k->leaves && k->rank == 2 && k->said)
        hub_abort(&h);
    if (k->leaves && k->rank < 2) {
        const bool good = hub_exchange(&h, all, &mine, sizeof mine, &e);
        if (good)
            why = "a rank that is gone took part";
        else if (k->rank == 0 && !strstr(e.text, "rank 2 "))
            why = "rank 2 is not named";
        else if (k->rank == 0 && h.quiet != k->said)
            why = "who is to speak is wrong";
    }
    hub_close(&h);
    return (void *)(uintptr_t)why;
}

static void hub(const struct Row *row)
{
    in_threads(member, (struct Member){
        .leaves = row_int(row, "leaves") == 1,
        .said = row_int(row, "says") == 1 });
}

/* ---- three ranks that wait for their GPUs call the roll ---------------- */
static pthread_barrier_t all_done;

static const char *judge(const struct Member *k, const struct Hub *h,
                         const char *text)
{
    const int named = k->absent >= 0 ? k->absent : k->exchange == 0 ? 1
                    : k->exchange > 0 ? 0 : -1;
    char want[64];
    snprintf(want, sizeof want, named < 0 ? "all 3 ranks answer"
             : k->absent >= 0 ? "rank %d has not answered for 9 s"
             : "rank %d: its GPU does not end", named);
    if (k->rank > 0)
        return h->quiet || k->absent == 0 ? NULL : "two that speak";
    return h->quiet ? "rank 0 is quiet"
         : strstr(text, want) ? NULL : "the message is another";
}

static const char *call(const struct Member *k, struct Hub *h)
{
    struct Error e = { "" };
    int all[3], mine = 0;
    if (!hub_open(h, k->rank, 3, k->address, k->listener, 20, &e))
        return "it was not opened";
    if (k->rank == k->absent) {
        for (int i = 0; i < 6000 && hub_alive(h, &e); i++)
            usleep(10000);
        return NULL;
    }
    const bool good = k->rank == k->exchange
                    ? hub_exchange(h, all, &mine, sizeof mine, &e)
                    : hub_roll_call(h, 7, 2, &e);
    const char *why = good ? "the wait was said to be over"
                    : judge(k, h, e.text);
    hub_abort(h);
    return why;
}

static void *caller(void *arg)
{
    struct Hub h = { 0 };
    const char *why = call(arg, &h);
    pthread_barrier_wait(&all_done);
    hub_close(&h);
    return (void *)(uintptr_t)why;
}

static void roll(const struct Row *row)
{
    assert_int_equal(pthread_barrier_init(&all_done, NULL, 3), 0);
    in_threads(caller, (struct Member){
        .absent = row_int(row, "absent") - 1,
        .exchange = row_int(row, "exchange") - 1 });
    pthread_barrier_destroy(&all_done);
}

/* ---- two ranks, and one has a number that is not finite ---------------- */
enum { V = 37, LENGTH = 11, WINDOWS = 20 };

static void write_shard(const char *path)
{
    uint16_t token[WINDOWS * LENGTH + 1];
    struct ShardWriter w;
    struct Error e;
    for (size_t i = 0; i < WINDOWS * LENGTH + 1; i++)
        token[i] = (uint16_t)((i * i * 7 + i / 3) % V);
    if (!shard_create(&w, path, &e)
        || !shard_append(&w, token, WINDOWS * LENGTH + 1)
        || !shard_finish(&w, &e))
        fail_msg("%s", e.text);
}

/* NaN spreads; 2e38 is finite, and the logits behind it are not. */
static void poison(struct Model *m, const char *name, real x)
{
    real *host = model_borrow(m);
    for (int i = 0; host && i < m->table.n; i++)
        if (strcmp(m->table.row[i].name, name) == 0)
            host[m->table.row[i].offset + 3] = x;
    model_return(m, host, true);
}

/* A link that makes an error in one number. */
static void bad_sum(struct Dist *d, real *p, size_t n)
{
    dist_host.all_reduce(d, p, n);
    p[n / 2] = INFINITY;
}

struct Trial { int listener, kind, shards; char address[40], *shard; };

/* Is the step refused, with the words, by the rank that is to say it? */
static bool refused(const struct Trial *k, int rank)
{
    static const char *const words[] = { "the gradients of all ranks are",
        "rank 1 has the first number that is not finite, in the weights "
        "h.1.ln_2.weight", "rank 1 has the first number that is not finite,"
        " in the gradient of ln_f.bias" };
    const struct Config c = { .V = V, .T = LENGTH, .L = 2, .NH = 2,
                              .C = 16 };
    struct Hub h = { 0 };
    struct Dist d;
    struct Trainer t;
    struct StepReport r;
    struct Error e = { "" };
    omp_set_num_threads(1);
    if (!hub_open(&h, rank, 2, k->address, k->listener, 20, &e)
        || !dist_open(&d, &h, &e))
        return false;
    const struct TrainConfig config = { .B = 2, .T = LENGTH,
        .accumulate = 4, .seed = 3, .optimizer = { .beta1 = 0.9,
            .beta2 = 0.95, .eps = 1e-8, .clip = 1 },
        .schedule = { SCHEDULE_LINEAR, 1e-2, 0.1, 1, 2, 12 },
        .share = { .dist = &d, .bucket_bytes = 1000,
                   .shards = k->shards }, .options = { .shards =
                   k->shards ? 2 : 0 } };
    if (!trainer_create(&t, &config, &c, k->shard, NULL, &e))
        return false;
    model_init(&t.model, 3);
    if (rank == 1 && k->kind == 1)
        poison(&t.model, "h.1.ln_2.weight", NAN);
    if (rank == 1 && k->kind == 2)
        poison(&t.model, "ln_f.weight", 2e38f);
    struct DistCalls bad = *d.calls;
    bad.all_reduce = bad_sum;
    if (k->kind == 0)
        d.calls = &bad;
    const bool good = trainer_step(&t, &r, &e);
    const bool speaks = rank == (k->kind ? 1 : 0);
    if (good || !strstr(e.text, words[k->kind]) || h.quiet == speaks)
        fprintf(stderr, "rank %d, quiet %d: %s\n", rank, h.quiet, e.text);
    return !good && strstr(e.text, words[k->kind]) && h.quiet != speaks;
}

static void fault(const struct Row *row)
{
    char path[64];
    struct Trial k = { .kind = row_int(row, "kind"),
                       .shards = row_int(row, "zero"), .shard = path };
    struct Error e;
    int port, bad = 0, status;
    snprintf(path, sizeof path, "%s/s.bin", dir);
    write_shard(path);
    k.listener = hub_listen(&port, &e);
    snprintf(k.address, sizeof k.address, "127.0.0.1:%d", port);
    for (int r = 0; r < 2; r++)
        if (fork() == 0) {
            if (r)
                k.listener = -1;
            _exit(refused(&k, r) ? 0 : 1);
        }
    close(k.listener);
    for (int r = 0; r < 2; r++)
        bad += wait(&status) < 0 || status != 0;
    assert_int_equal(bad, 0);
}

/* ---- what a launcher says in the environment --------------------------- */
struct Given { const char *name, *value; };
static const struct Case {
    struct Given given[6];
    const char *address;            /* without a port that is computed */
    int rank, world;
} cases[] = {
    { { { "SLURM_PROCID", "3" }, { "SLURM_STEP_NUM_TASKS", "4" },
        { "SLURM_STEP_NODELIST", "gpu[07-09,12],login1" } },
      "gpu07:2", 3, 4 },
    { { { "SLURM_PROCID", "0" }, { "SLURM_STEP_NUM_TASKS", "2" },
        { "SLURM_STEP_NODELIST", "a1,b[2-3]" } }, "a1:2", 0, 2 },
    { { { "SLURM_PROCID", "0" }, { "SLURM_NTASKS", "2" } }, "", 0, 1 },
    { { { "OMPI_COMM_WORLD_RANK", "1" }, { "OMPI_COMM_WORLD_SIZE", "2" },
        { "OMPI_COMM_WORLD_LOCAL_SIZE", "2" } }, "127.0.0.1:2", 1, 2 },
    { { { "OMPI_COMM_WORLD_RANK", "1" }, { "OMPI_COMM_WORLD_SIZE", "4" },
        { "OMPI_COMM_WORLD_LOCAL_SIZE", "2" } }, "", 1, 4 },
    { { { "OMPI_COMM_WORLD_RANK", "1" }, { "OMPI_COMM_WORLD_SIZE", "4" },
        { "MASTER_ADDR", "host7" }, { "MASTER_PORT", "29400" } },
      "host7:29400", 1, 4 },
    { { { "SLURM_PROCID", "0" }, { "SLURM_STEP_NUM_TASKS", "2" },
        { "SLURM_STEP_NODELIST", "r[1-2]-ib,x" } }, "r1-ib:2", 0, 2 },
};

static void place(const struct Row *row)
{
    const struct Case *c = &cases[row_int(row, "case")];
    struct Place p;
    static const char *const known[] = { "MB_RANK", "MB_ADDRESS",
        "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_NODELIST",
        "SLURM_NTASKS", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_LOCAL_SIZE", "MASTER_ADDR", "MASTER_PORT" };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        unsetenv(known[i]);
    for (int i = 0; i < 6 && c->given[i].name; i++)
        setenv(c->given[i].name, c->given[i].value, 1);
    assert_int_equal(place_from_environment(&p), c->world > 1);
    assert_int_equal(p.rank, c->rank);
    assert_int_equal(p.world, c->world);
    assert_memory_equal(p.address, c->address, strlen(c->address));
    assert_true(*c->address || !*p.address);
}

static const struct Row rows[] = {
    { "buckets N=1 B=1 parts=0", buckets, "a bucket sent twice" },
    { "buckets N=2 B=1 parts=1", buckets, "a bucket sent too early" },
    { "buckets N=3 B=100000 parts=0", buckets, "limits not multiples" },
    { "buckets N=8 B=1000000 parts=1", buckets, "no join" },
    { "parts N=2", parts, "a parameter that nobody moves" },
    { "parts N=3", parts, "a part that begins inside a tensor" },
    { "parts N=8", parts, "the part of another rank" },
    { "hub leaves=0 says=0", hub, "the value of another rank" },
    { "hub leaves=1 says=0", hub, "a dead rank that is not named" },
    { "hub leaves=1 says=1", hub, "two that speak" },
    { "roll absent=3 exchange=0", roll, "a rank that hangs, not named" },
    { "roll absent=0 exchange=3", roll, "the caller blames another" },
    { "roll absent=0 exchange=1", roll, "other programs, it says" },
    { "roll absent=0 exchange=0", roll, "a hang that ends as a success" },
    { "place case=0", place, "the range as the name of a host" },
    { "place case=1", place, "the bracket of another host" },
    { "place case=2", place, "a batch script taken for a rank" },
    { "place case=3", place, "an address asked for on one host" },
    { "place case=4", place, "127.0.0.1 for ranks on other hosts" },
    { "place case=5", place, "a port that was given, not taken" },
    { "place case=6", place, "what follows the bracket lost" },
    { "fault kind=0 zero=0", fault, "a sum at fault, and nobody says so" },
    { "fault kind=1 zero=0", fault, "NaN in a weight, found by rank 0" },
    { "fault kind=2 zero=0", fault, "the parameter where it ended" },
    { "fault kind=2 zero=1", fault, "the same, of a divided optimiser" },
};

int main(void)
{
    if (make_dir(NULL) != 0)
        return 1;
    const int failed = rows_run("ranks", rows, sizeof rows / sizeof *rows);
    return remove_dir(NULL) ? 1 : failed;
}
