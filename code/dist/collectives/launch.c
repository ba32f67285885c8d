/* Tangled from chapters/workshop/exchange.nw, "Starting and ending".  Edit it there. */

#include "dist/collectives/transport.h"

#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* memory that ranks share */
void *ranks_shared(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void ranks_shared_free(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}


/* be a rank */
static void be_rank(const struct Launch *l, struct Board *board,
                    const struct Transport *t, void *state, int rank,
                    pid_t parent)
{
    struct Error e = { "" };
    struct World w = { .rank = rank, .size = l->ranks, .links = l->links,
        .limit_s = l->limit_s > 0 ? l->limit_s : 30, .board = board,
        .transport = t, .state = state };
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    const bool opened = t->open(&w, &e);
    const bool ok = opened && l->body(&w, l->argument, &e);
    if (!ok)
        board_accuse(board, rank, "failed: %.150s", e.text);
    struct Outcome *o = &board->outcome[rank];
    o->ok = ok;
    snprintf(o->text, sizeof o->text, "%.230s", e.text);
    atomic_store(&board->ended[rank], 1);
    if (opened)
        t->close(&w);
    fflush(stdout);
    _exit(!ok);
}


/* see how a rank has ended */
static void note_end(struct Board *board, int rank, int status)
{
    struct Outcome *o = &board->outcome[rank];
    if (WIFSIGNALED(status)) {
        o->signal = WTERMSIG(status);
        o->ok = false;
        snprintf(o->text, sizeof o->text, "killed by signal %d (%s)",
                 o->signal, strsignal(o->signal));
        board_accuse(board, rank, "was %.180s", o->text);
    } else if (!atomic_load(&board->ended[rank])) {
        board_accuse(board, rank, "left with exit status %d in the middle "
                     "of its work", WEXITSTATUS(status));
        snprintf(o->text, sizeof o->text, "exit status %d",
                 WEXITSTATUS(status));
    }
}


/* wait for all ranks */
static void wait_for_all(const struct Launch *l, struct Board *board,
                         pid_t *pid)
{
    const double limit_s = l->limit_s > 0 ? l->limit_s : 30;
    double failed_at = 0;
    for (int left = l->ranks; left > 0;) {
        for (int r = 0; r < l->ranks; r++) {
            int status;
            if (pid[r] <= 0 || waitpid(pid[r], &status, WNOHANG) != pid[r])
                continue;
            note_end(board, r, status);
            pid[r] = 0;
            left--;
        }
        const bool failed = board_failed(board, NULL);
        if (failed && failed_at <= 0)
            failed_at = now_s();
        for (int r = 0; r < l->ranks; r++)
            if (failed && now_s() - failed_at > limit_s && pid[r] > 0)
                kill(pid[r], SIGKILL);
        nanosleep(&(struct timespec){ 0, 500000 }, NULL);
    }
}


/* run the ranks */
bool ranks_run(const struct Launch *l, struct Outcome *outcome,
               struct Error *e)
{
    const struct Transport *t = l->over == OVER_SOCKETS
                              ? &transport_sockets : &transport_shared;
    if (l->ranks < 1 || l->ranks > RANKS_MAX)
        return error_set(e, "%d ranks: a number from 1 to %d is expected",
                         l->ranks, RANKS_MAX);
    struct Board *board = ranks_shared(sizeof *board);
    void *state = t->prepare(l->ranks);
    if (!board || !state) {
        ranks_shared_free(board, sizeof *board);
        if (state)
            t->release(state, l->ranks);
        return error_set(e, "no shared memory for %d ranks", l->ranks);
    }
    board->token = (uint64_t)(now_s() * 1e9) ^ (uint64_t)getpid() << 40;
    pid_t pid[RANKS_MAX];
    const pid_t parent = getpid();
    int started = l->ranks;
    fflush(NULL);
    /* start one process for each rank */
    for (int r = 0; r < l->ranks; r++) {
        pid[r] = fork();
        if (pid[r] == 0)
            be_rank(l, board, t, state, r, parent);
        if (pid[r] < 0) {
            board_accuse(board, r, "could not be started: %s", strerror(errno));
            for (int i = r; i < l->ranks; i++)
                pid[i] = 0;
            started = r;
            break;
        }
    }
    struct Launch running = *l;
    running.ranks = started;
    wait_for_all(&running, board, pid);
    if (outcome)
        memcpy(outcome, board->outcome,
               sizeof *outcome * (size_t)l->ranks);
    const bool ok = !board_failed(board, e);
    t->release(state, l->ranks);
    ranks_shared_free(board, sizeof *board);
    return ok;
}
