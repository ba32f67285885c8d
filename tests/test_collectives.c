/* The collectives: results for 1 to 8 ranks and hostile counts, messages and
 * bytes of every link and the seconds of the model by the formulas, and what
 * all ranks say when one of them is killed, fails, stops or disagrees.
 * No row depends on the clock except `stopped`, in which waiting must end. */
#include "rows.h"

#include "base/clock.h"
#include "dist/collectives/cost.h"

#include <signal.h>
#include <unistd.h>

enum { RANKS = 8 };

struct Job {
    const struct Collective *c;
    const int *n;               /* counts, the last one is -1 */
    int at;                     /* the rank that fails        */
    int how;
    _Atomic int *counter;
};

static bool run(int ranks, bool sockets, double limit_s, struct Links links,
                bool (*body)(struct World *, void *, struct Error *),
                struct Job *job, struct Outcome *outcome, struct Error *e)
{
    const struct Launch l = { ranks, sockets ? OVER_SOCKETS : OVER_SHARED,
                              limit_s, links, body, job };
    return ranks_run(&l, outcome, e);
}

/* ---- results, and what was sent ----------------------------------------- */

/* Small integers: their sums are exact in any order. */
static float number(int rank, size_t i)
{
    return (float)floor(100 * noise((uint64_t)rank + 7, i));
}

static float sum(int ranks, size_t i)
{
    float s = 0;
    for (int r = 0; r < ranks; r++)
        s += number(r, i);
    return s;
}

/* What x[i] of this rank should be; false if it may be anything. */
static bool expected(const struct World *w, enum CollectiveKind kind,
                     size_t n, size_t i, float *should)
{
    const int P = w->size, r = w->rank;
    const struct Chunk mine = chunk_of(n, P, r);
    int owner = 0;
    while (i >= chunk_of(n, P, owner).at + chunk_of(n, P, owner).n)
        owner++;
    const size_t each = n / (size_t)P;
    switch (kind) {
    case BROADCAST:  *should = number(0, i);        return true;
    case ALL_REDUCE: *should = sum(P, i);           return true;
    case ALL_GATHER: *should = number(owner, i);    return true;
    case REDUCE_SCATTER:
        *should = sum(P, i);
        return i >= mine.at && i < mine.at + mine.n;
    case ALL_TO_ALL:
        *should = number((int)(i / each), (size_t)r * each + i % each);
        return true;
    }
    return false;
}

/* By the formula, where the list has one. */
static bool check_sent(const struct World *w, const struct Collective *c,
                       size_t n, struct Error *e)
{
    const int P = w->size;
    struct Sent link[RANKS * RANKS] = { { 0, 0 } };
    if (!c->links)
        return true;
    c->links(link, P, n);
    for (int q = 0; q < P; q++) {
        const struct Sent is = w->sent[q], should = link[w->rank * P + q];
        if (is.messages != should.messages || is.bytes != should.bytes)
            return error_set(e, "P=%d n=%zu: to rank %d %llu messages, %llu"
                " bytes, by the formula %llu, %llu", P, n, q,
                (unsigned long long)is.messages,
                (unsigned long long)is.bytes,
                (unsigned long long)should.messages,
                (unsigned long long)should.bytes);
    }
    return true;
}

enum { GUARDS = 16 };
static bool once(struct World *w, const struct Collective *c, size_t n,
                 struct Error *e)
{
    float *x = malloc((n + GUARDS) * sizeof *x), should = 0;
    for (size_t i = 0; i < n + GUARDS; i++)
        x[i] = i < n ? number(w->rank, i) : 12345;
    memset(w->sent, 0, sizeof w->sent);
    bool ok = c->run(w, x, n, e) && check_sent(w, c, n, e);
    for (size_t i = 0; ok && i < n; i++)
        if (expected(w, c->kind, n, i, &should) && !(x[i] == should))
            ok = error_set(e, "P=%d n=%zu: x[%zu] is %g, expected %g",
                           w->size, n, i, x[i], should);
    for (size_t i = n; ok && i < n + GUARDS; i++)
        if (!(x[i] == 12345))
            ok = error_set(e, "n=%zu: element %zu was written", n, i);
    free(x);
    return ok;
}

static bool results(struct World *w, void *argument, struct Error *e)
{
    const struct Job *job = argument;
    for (const int *n = job->n; *n >= 0; n++) {
        size_t count = (size_t)*n;
        if (job->c->kind == ALL_TO_ALL)
            count -= count % (size_t)w->size;
        if (!once(w, job->c, count, e))
            return false;
    }
    return true;
}

static const struct Collective *named(const struct Row *row)
{
    char name[40], algorithm[40];
    if (sscanf(row->name, "%39s %39s", name, algorithm) != 2 ||
        !collective_named(name, algorithm))
        fail_msg("%s: no such collective", row->name);
    return collective_named(name, algorithm);
}

static const struct Links none = { { 0, 0 }, { 0, 0 }, 0 };

/* 20,011 floats are more than a pipe holds. */
static void shared(const struct Row *row)
{
    static const int n[] = { 0, 1, 2, 3, 7, 8, 64, 1003, 20011, -1 };
    struct Error e = { "" };
    struct Job job = { .c = named(row), .n = n };
    for (int P = 1; P <= RANKS; P++)
        if (!run(P, false, 15, none, results, &job, NULL, &e))
            fail_msg("%s", e.text);
}

/* 300,000 floats are more than a connection holds. */
static void sockets(const struct Row *row)
{
    static const int n[] = { 0, 3, 1003, 300000, -1 };
    const int P = row_int(row, "P");
    struct Error e = { "" };
    for (int i = 0; i < n_collectives; i++) {
        struct Job job = { .c = &collectives[i], .n = n };
        if (!run(P, true, 0, none, results, &job, NULL, &e))
            fail_msg("%s %s: %s", collectives[i].name,
                     collectives[i].algorithm, e.text);
    }
}

/* ---- roots, bits, NaN ---------------------------------------------------- */

static bool from_root(struct World *w, void *argument, struct Error *e)
{
    (void)argument;
    for (int root = 0; root < w->size; root++)
        for (int how = 0; how < 3; how++) {
            float x[11];
            for (size_t i = 0; i < 11; i++)
                x[i] = number(w->rank, i);
            if (!(how == 0 ? broadcast_flat(w, x, 11, root, e) :
                  how == 1 ? broadcast_tree(w, x, 11, root, e) :
                             broadcast_chain(w, x, 11, root, 3, e)))
                return false;
            for (size_t i = 0; i < 11; i++)
                if (!(x[i] == number(root, i)))
                    return error_set(e, "way %d, root %d: x[%zu] is %g",
                                     how, root, i, x[i]);
        }
    return true;
}

static void roots(const struct Row *row)
{
    struct Error e = { "" };
    struct Job job = { 0 };
    (void)row;
    for (int P = 1; P <= RANKS; P++)
        if (!run(P, false, 0, none, from_root, &job, NULL, &e))
            fail_msg("P=%d: %s", P, e.text);
}

/* Sums that are not exact: all ranks have the same bits, and `direct` has
 * those of adding rank after rank. */
static bool bits(struct World *w, void *argument, struct Error *e)
{
    const struct Job *job = argument;
    enum { N = 101 };
    float x[N], first[N], ordered[N];
    for (size_t i = 0; i < N; i++) {
        x[i] = (float)noise((uint64_t)w->rank, i);
        ordered[i] = (float)noise(0, i);
        for (int r = 1; r < w->size; r++)
            ordered[i] += (float)noise((uint64_t)r, i);
    }
    if (!job->c->run(w, x, N, e))
        return false;
    memcpy(first, x, sizeof x);
    if (!broadcast_flat(w, first, N, 0, e))
        return false;
    if (memcmp(first, x, sizeof x) != 0)
        return error_set(e, "%s: not the bits of rank 0",
                         job->c->algorithm);
    if (job->c->run == all_reduce_direct &&
        memcmp(ordered, x, sizeof x) != 0)
        return error_set(e, "not the bits of the order of the ranks");
    return true;
}

static void same_bits(const struct Row *row)
{
    struct Error e = { "" };
    struct Job job = { .c = named(row) };
    for (int P = 2; P <= RANKS; P++)
        if (!run(P, false, 0, none, bits, &job, NULL, &e))
            fail_msg("P=%d: %s", P, e.text);
}

/* A NaN and an infinity of one rank reach all ranks, and no other element. */
static bool special(struct World *w, void *argument, struct Error *e)
{
    const struct Job *job = argument;
    float x[9];
    for (size_t i = 0; i < 9; i++)
        x[i] = number(w->rank, i);
    if (w->rank == w->size - 1) {
        x[4] = NAN;
        x[7] = INFINITY;
    }
    if (!job->c->run(w, x, 9, e))
        return false;
    for (size_t i = 0; i < 9; i++)
        if (i == 4 ? !isnan(x[i]) : i == 7 ? !(x[i] == INFINITY)
                                           : !(x[i] == sum(w->size, i)))
            return error_set(e, "%s: x[%zu] is %g", job->c->algorithm, i,
                             x[i]);
    return true;
}

static void nan_spreads(const struct Row *row)
{
    struct Error e = { "" };
    (void)row;
    for (int i = 0; i < n_collectives; i++) {
        struct Job job = { .c = &collectives[i] };
        if (job.c->kind == ALL_REDUCE &&
            !run(3, false, 0, none, special, &job, NULL, &e))
            fail_msg("%s", e.text);
    }
}

static bool meet(struct World *w, void *argument, struct Error *e)
{
    struct Job *job = argument;
    for (int round = 1; round <= 20; round++) {
        ++*job->counter;
        if (!barrier(w, e))
            return false;
        if (*job->counter < round * w->size)
            return error_set(e, "round %d: only %d have come", round,
                             *job->counter);
        if (!barrier(w, e))
            return false;
    }
    return true;
}

static void barriers(const struct Row *row)
{
    struct Error e = { "" };
    struct Job job = { .counter = ranks_shared(sizeof(int)) };
    (void)row;
    for (int P = 1; P <= RANKS; P++) {
        *job.counter = 0;
        if (!run(P, false, 0, none, meet, &job, NULL, &e))
            fail_msg("P=%d: %s", P, e.text);
    }
    ranks_shared_free((void *)job.counter, sizeof(int));
}

/* ---- the clock of the model --------------------------------------------- */

static double *clocks;          /* [RANKS], shared */

static bool timed(struct World *w, void *argument, struct Error *e)
{
    const struct Job *job = argument;
    const size_t n = (size_t)job->n[0];
    float *x = calloc(n, sizeof *x);
    const bool ok = job->c->run(w, x, n, e);
    clocks[w->rank] = w->clock_s;
    free(x);
    return ok;
}

static double latest(int P)
{
    double last = 0;
    for (int r = 0; r < P; r++)
        last = clocks[r] > last ? clocks[r] : last;
    return last;
}

/* Where the chunks are equal, the last rank is done when the formula says. */
static void seconds(const struct Row *row)
{
    static const int n[] = { 840 * 8 };     /* a multiple of 1 .. 8 */
    const struct Links links = { { 3e-6, 2e-9 }, { 0, 0 }, 0 };
    struct Error e = { "" };
    (void)row;
    clocks = ranks_shared(RANKS * sizeof *clocks);
    for (int i = 0; i < n_collectives; i++)
        for (int P = 1; P <= RANKS; P++) {
            struct Job job = { .c = &collectives[i], .n = n };
            if (!run(P, false, 0, links, timed, &job, NULL, &e))
                fail_msg("%s", e.text);
            const double should = cost_seconds(
                collectives[i].cost(P, 4.0 * n[0]), links.near);
            if (!(fabs(latest(P) - should) <= 1e-9 * should))
                fail_msg("%s %s, P=%d: %.9g s, by the formula %.9g",
                         collectives[i].name, collectives[i].algorithm, P,
                         latest(P), should);
        }
    ranks_shared_free(clocks, RANKS * sizeof *clocks);
}

/* A ring over two hosts of four ranks waits for the slow link in each step;
 * the two links between the hosts carry their share at the same time. */
static void two_hosts(const struct Row *row)
{
    static const int n[] = { 6720 };
    const struct Links links = { { 1e-6, 1e-9 }, { 5e-6, 1e-8 }, 4 };
    struct Error e = { "" };
    struct Job job = { .c = collective_named("all-reduce", "ring"), .n = n };
    (void)row;
    clocks = ranks_shared(RANKS * sizeof *clocks);
    if (!run(8, false, 0, links, timed, &job, NULL, &e))
        fail_msg("%s", e.text);
    const double should = cost_seconds(job.c->cost(8, 4.0 * n[0]),
                                       links.far);
    if (!(fabs(latest(8) - should) <= 1e-9 * should))
        fail_msg("%.9g s, expected %.9g", latest(8), should);
    ranks_shared_free(clocks, RANKS * sizeof *clocks);
}

/* Over hosts: the sums, the same bits in all ranks, the formula's time. */
static int per_host;

static bool on_hosts(struct World *w, float *x, size_t n, struct Error *e)
{
    return all_reduce_hosts(w, x, n, per_host, e);
}

static const struct Collective hosts = { ALL_REDUCE, "all-reduce", "hosts",
                                         on_hosts, NULL, NULL };

static void hosts_sums(const struct Row *row)
{
    static const int n[] = { 0, 1, 7, 64, 1003, 20011, -1 };
    struct Error e = { "" };
    struct Job job = { .c = &hosts, .n = n };
    (void)row;
    for (int P = 1; P <= RANKS; P++)
        for (per_host = 1; per_host <= P; per_host++)
            if (P % per_host == 0 &&
                (!run(P, false, 0, none, results, &job, NULL, &e) ||
                 !run(P, false, 0, none, bits, &job, NULL, &e)))
                fail_msg("%d a host: %s", per_host, e.text);
}

static void hosts_time(const struct Row *row)
{
    static const int n[] = { 6720 };
    struct Links links = { { 1e-6, 1e-9 }, { 5e-6, 1e-8 }, 4 };
    struct Error e = { "" };
    struct Job job = { .c = &hosts, .n = n };
    (void)row;
    clocks = ranks_shared(RANKS * sizeof *clocks);
    for (per_host = 2; per_host <= 4; per_host += 2) {
        links.per_host = per_host;
        if (!run(8, false, 0, links, timed, &job, NULL, &e))
            fail_msg("%s", e.text);
        const double should = hosts_seconds(8, per_host, 4.0 * n[0],
                                            &links);
        if (!(fabs(latest(8) - should) <= 1e-9 * should))
            fail_msg("%.9g s, expected %.9g", latest(8), should);
    }
    ranks_shared_free(clocks, RANKS * sizeof *clocks);
}

/* ---- what can go wrong --------------------------------------------------- */

enum How { KILLED, LEAVES, FAILS, ENDS, STOPS, MORE };

static const struct Job *failing;
static int steps;

static void fail_here(struct World *w, const float *x, size_t n)
{
    (void)x, (void)n;
    if (w->rank != failing->at || ++steps != 2)
        return;
    if (failing->how == KILLED)
        raise(SIGKILL);
    if (failing->how == LEAVES)
        _exit(3);
    if (failing->how == STOPS)
        raise(SIGSTOP);
}

static bool troubled(struct World *w, void *argument, struct Error *e)
{
    const struct Job *job = argument;
    size_t n = (size_t)job->n[0];
    float *x = calloc(n + 1, sizeof *x);
    failing = job;
    if (!barrier(w, e))
        return false;
    if (w->rank == job->at && job->how == FAILS)
        return error_set(e, "the disk is full");
    if (w->rank == job->at && job->how == ENDS)
        return true;
    if (w->rank == job->at && job->how == MORE)
        n++;
    w->after_step = fail_here;
    bool ok = true;
    for (int i = 0; ok && i < 4; i++)
        ok = job->c->run(w, x, n, e);
    free(x);
    return ok;
}

/* Every other rank says the cause, and the cause names the rank. */
static void trouble(const struct Row *row, enum How how, const char *says)
{
    static const int n[] = { 100000 };
    static const double limit_s[] = { [KILLED] = 600, [LEAVES] = 10,
                                      [FAILS] = 600, [ENDS] = 10, [STOPS] = 2 };
    const int P = row_int(row, "P"), at = row_int(row, "rank");
    const double start = now_s();
    for (int i = 0; i < n_collectives; i++) {
        struct Job job = { .c = &collectives[i], .n = n, .at = at,
                           .how = how };
        struct Outcome outcome[RANKS];
        struct Error e = { "" };
        char wanted[100];
        if (job.c->kind != ALL_REDUCE)
            continue;
        if ((how == STOPS || how == ENDS) && job.c->run != all_reduce_ring)
            continue;
        snprintf(wanted, sizeof wanted, "rank %d %s", at, says);
        if (run(P, row_int(row, "sockets"), limit_s[how], none, troubled,
                &job, outcome, &e))
            fail_msg("%s: no failure", job.c->algorithm);
        if (strncmp(e.text, wanted, strlen(wanted)) != 0)
            fail_msg("%s: \"%s\", expected \"%s\"", job.c->algorithm,
                     e.text, wanted);
        for (int r = 0; r < P; r++)
            if (r != at && (outcome[r].ok ||
                strncmp(outcome[r].text, wanted, strlen(wanted)) != 0))
                fail_msg("%s: rank %d says \"%s\"", job.c->algorithm, r,
                         outcome[r].text);
    }
    if (!(now_s() - start < 300))
        fail_msg("it took %g s", now_s() - start);
}

static void killed(const struct Row *row)
{
    trouble(row, KILLED, "was killed by signal 9");
}

static void leaves(const struct Row *row)
{
    trouble(row, LEAVES, "left with exit status 3");
}

static void fails(const struct Row *row)
{
    trouble(row, FAILS, "failed: the disk is full");
}

static void ends(const struct Row *row)
{
    trouble(row, ENDS, "has ended, and rank ");
}

static void stops(const struct Row *row)
{
    trouble(row, STOPS, "has sent nothing for 2 s");
}

/* Any of the two that disagree may be the first to see it. */
static void other_count(const struct Row *row)
{
    static const int n[] = { 12 };
    struct Job job = { .c = collective_named("all-reduce", "tree"),
                       .n = n, .at = 1, .how = MORE };
    struct Error e = { "" };
    (void)row;
    if (run(2, false, 600, none, troubled, &job, NULL, &e))
        fail_msg("no failure");
    if (strcmp(e.text, "rank 1 sent 52 bytes where rank 0 expects 48: all "
               "ranks must call the same collective with the same count"))
        fail_msg("\"%s\"", e.text);
}

/* ---- the numbers of the chapter ------------------------------------------ */

static void same_file(const char *path, const char *text)
{
    char file[4000] = "";
    FILE *f = getenv("UPDATE_FACTS") ? fopen(path, "w") : NULL;
    if (f) {
        fputs(text, f);
        fclose(f);
    }
    f = fopen(path, "r");
    assert_non_null(f);
    file[fread(file, 1, sizeof file - 1, f)] = 0;
    fclose(f);
    if (strcmp(file, text) != 0)
        fail_msg("%s is stale; run with UPDATE_FACTS=1", path);
}

#define CSV "figures/data/collectives.csv"

static struct Sent *counted;            /* [RANKS][RANKS], shared */

static bool count(struct World *w, void *argument, struct Error *e)
{
    const struct Job *job = argument;
    float *x = calloc((size_t)job->n[0], sizeof *x);
    const bool ok = job->c->run(w, x, (size_t)job->n[0], e);
    memcpy(counted + w->rank * RANKS, w->sent, RANKS * sizeof *counted);
    clocks[w->rank] = w->clock_s;
    free(x);
    return ok;
}

/* A message takes a second, a byte nothing: the clock counts messages. */
static void facts(const struct Row *row)
{
    static const int n[] = { 6720 };
    const struct Links links = { { 1, 0 }, { 0, 0 }, 0 };
    char text[4000] = "name,value,unit,machine,command,commit,date\n";
    struct Error e = { "" };
    (void)row;
    clocks = ranks_shared(RANKS * sizeof *clocks);
    counted = ranks_shared(RANKS * RANKS * sizeof *counted);
    for (int i = 0; i < n_collectives; i++) {
        struct Job job = { .c = &collectives[i], .n = n };
        double all = 0, busiest = 0;
        int used = 0;
        if (job.c->kind != ALL_REDUCE)
            continue;
        if (!run(RANKS, false, 0, links, count, &job, NULL, &e))
            fail_msg("%s", e.text);
        for (int r = 0; r < RANKS; r++) {
            double mine = 0;
            for (int q = 0; q < RANKS; q++) {
                mine += (double)counted[r * RANKS + q].bytes;
                used += counted[r * RANKS + q].messages > 0;
            }
            all += mine;
            busiest = mine > busiest ? mine : busiest;
        }
        const double values[] = { latest(RANKS), busiest / (4 * n[0]),
                                  all / (4 * n[0]), used };
        const char *const names[] = { "steps", "busiest", "all", "links" };
        for (int k = 0; k < 4; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "collectives.%s.8.%s,%.4g,,none,build/tests-opt/"
                     "test_collectives,,2026-11-26\n", job.c->algorithm,
                     names[k], values[k]);
    }
    ranks_shared_free(clocks, RANKS * sizeof *clocks);
    ranks_shared_free(counted, RANKS * RANKS * sizeof *counted);
    same_file(CSV, text);
}

static void misuse_of(const struct Row *row)
{
    struct Error e = { "" };
    struct Job job = { .c = collective_named("all-to-all", "pairs") };
    static const int n[] = { 7, -1 };
    (void)row;
    job.n = n;
    if (run(0, false, 0, none, results, &job, NULL, &e) ||
        strcmp(e.text, "0 ranks: a number from 1 to 64 is expected"))
        fail_msg("\"%s\"", e.text);
    if (run(65, false, 0, none, results, &job, NULL, &e) ||
        strcmp(e.text, "65 ranks: a number from 1 to 64 is expected"))
        fail_msg("\"%s\"", e.text);
}

int main(void)
{
    static const struct Row rows[] = {
        { "broadcast flat", shared, "the last rank left out" },
        { "broadcast tree", shared, "ranks beyond the last power of two left out" },
        { "broadcast chain", shared, "the last piece not passed on" },
        { "reduce-scatter ring", shared, "a chunk sent a step too early" },
        { "reduce-scatter direct", shared, "the rank's own numbers not added" },
        { "all-gather ring", shared, "chunks taken for equal" },
        { "all-reduce ring", shared, "one step too few" },
        { "all-reduce tree", shared, "a sum that is overwritten" },
        { "all-reduce doubling", shared, "ranks that are too many not folded" },
        { "all-reduce halving", shared, "the wrong half sent" },
        { "all-reduce direct", shared, "not gathered" },
        { "all-to-all pairs", shared, "blocks not exchanged" },
        { "over sockets P=3", sockets, "a partial send taken for a whole one" },
        { "roots", roots, "the root taken for rank 0" },
        { "all-reduce ring same bits", same_bits, "a last sum that differs by rank" },
        { "all-reduce tree same bits", same_bits, "a last sum that differs by rank" },
        { "all-reduce doubling same bits", same_bits, "a last sum that differs by rank" },
        { "all-reduce halving same bits", same_bits, "a last sum that differs by rank" },
        { "all-reduce direct same bits", same_bits, "a sum that starts with the rank's own" },
        { "NaN", nan_spreads, "a NaN that is skipped" },
        { "barriers", barriers, "a rank that does not wait" },
        { "seconds", seconds, "a formula or a clock that is off" },
        { "hosts sums", hosts_sums, "chunks of the whole array between hosts" },
        { "hosts time", hosts_time, "a formula with the array on the slow link" },
        { "two hosts", two_hosts, "the slow link taken for a fast one" },
        { "killed P=4 rank=2 sockets=0", killed, "a death that nobody announces" },
        { "killed P=5 rank=0 sockets=1", killed, "the neighbour blamed" },
        { "leaves P=3 rank=2 sockets=0", leaves, "an exit taken for an end" },
        { "fails P=4 rank=3 sockets=1", fails, "an error that stays with its rank" },
        { "ends P=3 rank=1 sockets=0", ends, "waiting for a rank that is gone" },
        { "stopped P=4 rank=2 sockets=0", stops, "the neighbour blamed for a stopped rank" },
        { "another count", other_count, "a message of another size taken" },
        { "numbers of the chapter", facts, "stale numbers" },
        { "misuse", misuse_of, "a table that is too small" },
    };
    return rows_run("collectives", rows, sizeof rows / sizeof *rows);
}
