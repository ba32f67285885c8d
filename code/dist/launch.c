/* Tangled from chapters/workshop/ranks.nw, "Starting ranks".  Edit it there. */

#include "dist/launch.h"

#include "base/clock.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/stop.h"
#include "dist/hub.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* learn from the environment which rank this is */
static bool number(const char *name, int *to)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text)
        return false;
    const long n = strtol(text, &end, 10);
    *to = (int)n;
    return *end == 0 && n >= 0 && n < 1000000;
}

static const struct { const char *rank, *world, *local; } starters[] = {
    { "MB_RANK", "MB_WORLD", "MB_LOCAL" },
    { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
      "OMPI_COMM_WORLD_LOCAL_RANK" },
    { "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID" },
};


/* The first host of a list of Slurm's: gpu07 of "gpu[07-09,12],login1". */
static void first_host(char *to, size_t size, const char *list)
{
    const size_t stem = strcspn(list, ",[");
    const char *in = list[stem] == '[' ? list + stem + 1 : "";
    const char *after = strchr(in, ']');
    const size_t rest = after ? strcspn(after + 1, ",[") : 0;
    snprintf(to, size, "%.*s%.*s%.*s", (int)stem, list,
             (int)strcspn(in, "-,]"), in, (int)rest,
             after ? after + 1 : "");
}


/* One of 10,000 ports, by the number of the job. */
static int port_of_job(void)
{
    static const char *const jobs[] = { "SLURM_JOB_ID", "SLURM_STEP_ID",
        "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid" };
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        const char *text = getenv(jobs[i]);
        if (text)
            hash = hash_bytes(hash, text, strlen(text));
    }
    return 20000 + (int)(hash % 10000);
}

static void find_address(struct Place *p)
{
    const char *address = getenv("MB_ADDRESS");
    const char *hosts = getenv("SLURM_STEP_NODELIST");
    const char *host = getenv("MASTER_ADDR"), *port = getenv("MASTER_PORT");
    char name[256] = "", number_text[16];
    int here;
    if (hosts)
        first_host(name, sizeof name, hosts);
    else if (number("OMPI_COMM_WORLD_LOCAL_SIZE", &here)
             && here == p->world)
        snprintf(name, sizeof name, "127.0.0.1");
    snprintf(number_text, sizeof number_text, "%d", port_of_job());
    if (address)
        snprintf(p->address, sizeof p->address, "%s", address);
    else if (host || *name)
        snprintf(p->address, sizeof p->address, "%s:%s",
                 host ? host : name, port ? port : number_text);
}

bool place_from_environment(struct Place *p)
{
    *p = (struct Place){ .world = 1, .listener = -1 };
    for (size_t i = 0; i < sizeof starters / sizeof *starters; i++) {
        struct Place q = *p;
        if (!number(starters[i].rank, &q.rank)
            || !number(starters[i].world, &q.world) || q.world < 2)
            continue;
        if (!number(starters[i].local, &q.local))
            q.local = q.rank;
        q.launched = i == 0;
        *p = q;
        number("MB_LISTENER", &p->listener);
        find_address(p);
        return true;
    }
    return false;
}


/* `struct Launch` */
struct Rank {
    pid_t pid;                  /* 0: has ended */
    int   errors;               /* what it writes to standard error; -1 */
    size_t length;
    char  line[16384];          /* of which the end has not come yet */
};

enum { LINES = 64 };

struct Launch {
    struct Rank *rank;
    int ranks, running;
    int failed, status;         /* the first to fail, or -1, and how */
    bool message;               /* a rank has written something */
    uint64_t line[LINES];       /* of the lines handed on */
    int lines;
};


/* start a rank */
static void set_number(const char *name, int n)
{
    char text[16];
    snprintf(text, sizeof text, "%d", n);
    setenv(name, text, 1);
}

/* In the new process: become rank r. */
_Noreturn static void become(char **argv, int r, int ranks, int port,
                             int listener, int errors)
{
    char address[40];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(address, sizeof address, "127.0.0.1:%d", port);
    set_number("MB_RANK", r);
    set_number("MB_LOCAL", r);
    set_number("MB_WORLD", ranks);
    setenv("MB_ADDRESS", address, 1);
    if (!getenv("OMP_NUM_THREADS"))
        set_number("OMP_NUM_THREADS", cores > ranks
                   ? (int)cores / ranks : 1);
    if (r == 0) {
        set_number("MB_LISTENER", listener);
        fcntl(listener, F_SETFD, 0);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);              /* what a terminal sends, we hand on */
    dup2(errors, 2);
    execv("/proc/self/exe", argv);
    _exit(127);
}


static void start(struct Launch *l, char **argv, int r, int port,
                  int listener)
{
    int ends[2];
    struct Rank *k = &l->rank[r];
    if (pipe2(ends, O_CLOEXEC) != 0)
        fail("cannot start rank %d: %s", r, strerror(errno));
    *k = (struct Rank){ .pid = fork(), .errors = ends[0] };
    if (k->pid < 0)
        fail("cannot start rank %d: %s", r, strerror(errno));
    if (k->pid == 0)
        become(argv, r, l->ranks, port, listener, ends[1]);
    close(ends[1]);
    l->running++;
}


/* hand on what ranks write to standard error */
/* The line without what differs between ranks: "train: rank 3: ". */
static uint64_t line_hash(const char *line, size_t n)
{
    const char *rank = memmem(line, n, ": rank ", 7);
    const char *colon = rank ? memchr(rank + 1, ':', n - (size_t)(rank + 1
                                                     - line)) : NULL;
    const size_t from = colon ? (size_t)(colon - line) : 0;
    return hash_bytes(0, line + from, n - from);
}

/* What several ranks say is said once. */
static void hand_on(struct Launch *l, const char *line, size_t n)
{
    const uint64_t hash = line_hash(line, n);
    for (int i = 0; i < l->lines && i < LINES; i++)
        if (l->line[i] == hash)
            return;
    l->line[l->lines++ % LINES] = hash;
    l->message = true;
    fwrite(line, 1, n, stderr);
    fflush(stderr);
}


static void read_errors(struct Launch *l, struct Rank *k)
{
    const ssize_t n = read(k->errors, k->line + k->length,
                           sizeof k->line - k->length);
    if (n <= 0) {
        if (k->length)
            hand_on(l, k->line, k->length);
        close(k->errors);
        k->errors = -1;
        return;
    }
    k->length += (size_t)n;
    size_t from = 0;
    for (size_t i = 0; i < k->length; i++)
        if (k->line[i] == '\n' || i + 1 == sizeof k->line) {
            hand_on(l, k->line + from, i + 1 - from);
            from = i + 1;
        }
    memmove(k->line, k->line + from, k->length - from);
    k->length -= from;
}


/* note which rank has failed */
static void signal_all(const struct Launch *l, int number)
{
    for (int r = 0; r < l->ranks; r++)
        if (l->rank[r].pid > 0)
            kill(l->rank[r].pid, number);
}

/* Note which rank failed first.  A rank that ends because of another one
 * is not it, unless nothing better is known. */
static void note_end(struct Launch *l, int r, int status)
{
    const bool other = WIFEXITED(status)
                    && WEXITSTATUS(status) == STATUS_OTHER_FAILED;
    l->rank[r].pid = 0;
    l->running--;
    if (status == 0 || (l->failed >= 0 && other))
        return;
    if (l->failed < 0 || (WIFEXITED(l->status) && WEXITSTATUS(l->status)
                          == STATUS_OTHER_FAILED)) {
        l->failed = r;
        l->status = status;
    }
}

static void collect(struct Launch *l)
{
    int status;
    for (int r = 0; r < l->ranks; r++)
        if (l->rank[r].pid > 0
            && waitpid(l->rank[r].pid, &status, WNOHANG) > 0)
            note_end(l, r, status);
}


/* wait until all ranks have ended */
static void wait_a_little(struct Launch *l)
{
    struct pollfd p[l->ranks];
    struct Rank *from[l->ranks];
    nfds_t n = 0;
    for (int r = 0; r < l->ranks; r++)
        if (l->rank[r].errors >= 0) {
            p[n] = (struct pollfd){ l->rank[r].errors, POLLIN, 0 };
            from[n++] = &l->rank[r];
        }
    if (poll(p, n, 50) <= 0)
        return;
    for (nfds_t i = 0; i < n; i++)
        if (p[i].revents)
            read_errors(l, from[i]);
}


static bool all_read(const struct Launch *l)
{
    for (int r = 0; r < l->ranks; r++)
        if (l->rank[r].errors >= 0)
            return false;
    return true;
}

/* From the first failure on, the others have so many seconds to end. */
#define GRACE_S 2

static void wait_for_all(struct Launch *l)
{
    int told = 0;
    double until = 0;
    while (l->running > 0 || !all_read(l)) {
        wait_a_little(l);
        collect(l);
        if (stop_signal() && !told)
            signal_all(l, told = stop_signal());
        if (l->failed >= 0 && until == 0)
            until = now_s() + GRACE_S;
        if (l->failed >= 0 && now_s() > until)
            signal_all(l, SIGKILL);
    }
}


/* say how a rank ended */
static void tell(const struct Launch *l, char *text, size_t size)
{
    if (WIFSIGNALED(l->status))
        snprintf(text, size, "rank %d was ended by signal %d (%s)",
                 l->failed, WTERMSIG(l->status),
                 strsignal(WTERMSIG(l->status)));
    else
        snprintf(text, size, "rank %d ended with status %d", l->failed,
                 WEXITSTATUS(l->status));
}

static bool run_once(struct Launch *l, char **argv)
{
    struct Error e;
    int port, listener = hub_listen(&port, &e);
    if (listener < 0)
        fail("%s", e.text);
    for (int r = 0; r < l->ranks; r++)
        start(l, argv, r, port, listener);
    close(listener);
    wait_for_all(l);
    return l->failed < 0;
}


/* start all ranks, and again after a failure */
/* The arguments, and --resume if it is not among them. */
static char **resuming(char **argv)
{
    int n = 0;
    while (argv[n])
        if (strcmp(argv[n++], "--resume") == 0)
            return argv;
    char **more = calloc((size_t)n + 2, sizeof *more);
    if (!more)
        fail("out of memory");
    memcpy(more, argv, (size_t)n * sizeof *more);
    static char resume[] = "--resume";
    more[n] = resume;
    return more;
}


/* Misuse fails again, and a rank that was told to stop did as it was
 * told. */
static bool is_wanted(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) == 2
         : WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGINT
        || WTERMSIG(status) == SIGHUP;
}

_Noreturn void launch_ranks(char **argv, int ranks, int restarts)
{
    struct Launch l = { .ranks = ranks };
    char text[200];
    l.rank = calloc((size_t)ranks, sizeof *l.rank);
    if (!l.rank)
        fail("no memory for %d ranks", ranks);
    stop_catch();
    for (int tries = 0; ; tries++) {
        l.failed = -1, l.status = 0, l.message = false, l.lines = 0;
        const bool good = run_once(&l, argv);
        if (stop_signal())
            stop_die(stop_signal());
        if (good)
            exit(0);
        tell(&l, text, sizeof text);
        if (tries == restarts || is_wanted(l.status))
            break;
        warn("%s; starting all %d again from the last checkpoint (restart "
             "%d of %d)", text, ranks, tries + 1, restarts);
        argv = resuming(argv);
    }
    if (WIFEXITED(l.status) && l.message)
        exit(WEXITSTATUS(l.status));
    fail("%s, and all %d were stopped; go on with --resume", text, ranks);
}
