/* Tangled from chapters/workshop/ranks.nw, "A program among others".  Edit it there. */

#include "programs/ranks.h"

#include "backend/backend.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/hash.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* leave the other ranks, or tell them */
static struct Ranks *joined;            /* until ranks_leave */
static int leave_status;

enum { ABORT_S = 2 };                   /* for collectives to end */

static void leave_now(int number)
{
    (void)number;
    _exit(leave_status);
}

/* Whatever ends this process: the others are not to wait for it.  A GPU
 * that waits for them cannot be waited for. */
static void leave(int status, void *arg)
{
    (void)arg;
    if (!joined)
        return;
    hub_abort(&joined->hub);
    fflush(NULL);
    leave_status = status;
    signal(SIGALRM, leave_now);
    alarm(ABORT_S);
    dist_abort(&joined->dist);
    _exit(status);
}

_Noreturn void ranks_fail(const struct Ranks *r, const char *text)
{
    if (r->hub.quiet)
        exit(STATUS_OTHER_FAILED);
    fail("%s", text);
}

void ranks_leave(struct Ranks *r)
{
    joined = NULL;
    dist_close(&r->dist);
    hub_close(&r->hub);
    backend_close(r->backend);
    r->backend = NULL;
}


/* open this rank's backend */
/* GPU `local` of this host; or the only one that a scheduler shows us. */
static int device_of(const struct Place *p)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    const bool one = visible && *visible && !strchr(visible, ',');
    return backend_rows->calls->kind != BACKEND_CUDA || one ? 0 : p->local;
}

static void open_backend(struct Ranks *r)
{
    struct Error e;
    r->backend = backend_open(backend_rows->calls->kind,
                              device_of(&r->place), &e);
    if (!r->backend)
        fail("%s; --gpus, or the number of processes on this host, is too "
             "large", e.text);
    backend_use(r->backend);
}


/* join the other ranks */
static void name_rank(int rank)
{
    static char name[64];
    snprintf(name, sizeof name, "%.32s: rank %d", program_name(), rank);
    program_set_name(name);
    if (rank > 0 && !freopen("/dev/null", "w", stdout))
        fail("cannot write to /dev/null");
}

void ranks_join(struct Ranks *r, double timeout_s)
{
    const struct Place *p = &r->place;
    struct Error e;
    dist_alone(&r->dist);
    if (p->world < 2)
        return;
    name_rank(p->rank);
    if (!p->address[0])
        misuse("where is rank 0?  The ranks are on several hosts: give "
               "--address HOST:PORT, a host that all can reach and a free "
               "port there");
    open_backend(r);
    joined = r;
    on_exit(leave, NULL);
    r->hub.launched = p->launched;
    if (!hub_open(&r->hub, p->rank, p->world, p->address, p->listener,
                  timeout_s, &e)
        || !dist_open(&r->dist, &r->hub, &e))
        ranks_fail(r, e.text);
}


/* compare values with rank 0 */
static void add_program(struct Agreed *a)
{
    struct Mapped program;
    struct Error e;
    if (!map_file(&program, "/proc/self/exe", &e))
        fail("%s", e.text);
    a->name = "the program";
    snprintf(a->text, sizeof a->text, "%016llx", (unsigned long long)
             hash_bytes(0, program.data, program.size));
    unmap_file(&program);
}


/* The first that differs between the ranks a and b, or -1. */
static int first_different(const char (*a)[AGREED_TEXT],
                           const char (*b)[AGREED_TEXT], int n)
{
    for (int i = 0; i < n; i++)
        if (memcmp(a[i], b[i], AGREED_TEXT) != 0)
            return i;
    return -1;
}

enum { MOST = AGREED_MOST + 1 };        /* with the program itself */

/* The first rank that differs from rank 0 says so. */
static void compare(struct Ranks *r, char (*all)[MOST][AGREED_TEXT],
                    const struct Agreed *own, int n)
{
    struct Error e;
    for (int k = 1; k < r->dist.world; k++) {
        const int i = first_different(all[0], all[k], n);
        if (i < 0)
            continue;
        r->hub.quiet = k != r->dist.rank;
        error_set(&e, "%s is %s here and %s in rank 0; start all ranks "
                  "with the same program, data and options", own[i].name,
                  all[r->dist.rank][i], all[0][i]);
        ranks_fail(r, e.text);
    }
}


void ranks_agree(struct Ranks *r, const struct Agreed *a, int n)
{
    static struct Agreed own[MOST];
    char mine[MOST][AGREED_TEXT] = { 0 }, (*all)[MOST][AGREED_TEXT];
    struct Error e;
    if (n > AGREED_MOST)
        fail("%d values to compare, and room for %d", n, AGREED_MOST);
    add_program(&own[0]);
    memcpy(own + 1, a, (size_t)n * sizeof *a);
    for (int i = 0; i <= n; i++)
        snprintf(mine[i], AGREED_TEXT, "%s", own[i].text);
    all = malloc((size_t)r->dist.world * sizeof *all);
    if (!all)
        fail("out of memory");
    if (!dist_exchange(&r->dist, all, mine, sizeof mine, &e))
        ranks_fail(r, e.text);
    compare(r, all, own, n + 1);
    free(all);
}
