/* Tangled from chapters/workshop/exchange.nw, "Sockets".  Edit it there. */

#include "dist/collectives/transport.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* the connections of a rank */
struct Sockets { int fd[RANKS_MAX]; };

struct Hello { uint64_t token; int32_t rank; };

/* Wait until fd is ready, at most as long as the world allows. */
static bool ready(struct World *w, int fd, short what, struct Error *e)
{
    const double start = now_s();
    for (;;) {
        struct pollfd p = { .fd = fd, .events = what };
        const int n = poll(&p, 1, 10);
        if (n > 0)
            return true;
        if (board_failed(w->board, e))
            return false;
        if (n < 0 && errno != EINTR)
            return error_set(e, "poll: %s", strerror(errno));
        if (now_s() - start > w->limit_s)
            return error_set(e, "no connection within %g s", w->limit_s);
    }
}


/* listen, and tell where */
static int start_listening(struct World *w, struct Error *e)
{
    struct sockaddr_in a = { .sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof a;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) != 0
        || listen(fd, RANKS_MAX) != 0
        || getsockname(fd, (struct sockaddr *)&a, &size) != 0) {
        error_set(e, "cannot listen on 127.0.0.1: %s", strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    atomic_store(&w->board->port[w->rank], ntohs(a.sin_port));
    return fd;
}


/* connect to a rank that listens */
static bool wait_for_port(struct World *w, int rank, struct Error *e)
{
    const double start = now_s();
    while (!atomic_load(&w->board->port[rank])) {
        if (board_failed(w->board, e))
            return false;
        if (now_s() - start > w->limit_s)
            return error_set(e, "rank %d does not listen", rank);
        nanosleep(&(struct timespec){ 0, 200000 }, NULL);
    }
    return true;
}

static bool connect_to(struct World *w, int rank, struct Error *e)
{
    struct Sockets *s = w->state;
    const struct Hello hello = { w->board->token, w->rank };
    if (!wait_for_port(w, rank, e))
        return false;
    struct sockaddr_in a = { .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
        .sin_port = htons((uint16_t)
                          atomic_load(&w->board->port[rank])) };
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    s->fd[rank] = fd;
    if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a) != 0
        || send(fd, &hello, sizeof hello, MSG_NOSIGNAL) != sizeof hello)
        return error_set(e, "cannot connect to rank %d at port %d: %s",
                         rank, ntohs(a.sin_port), strerror(errno));
    return true;
}


/* accept a rank that connects */
static bool accept_one(struct World *w, int listening, struct Error *e)
{
    struct Sockets *s = w->state;
    struct Hello hello = { 0 };
    if (!ready(w, listening, POLLIN, e))
        return false;
    const int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return error_set(e, "accept: %s", strerror(errno));
    if (!ready(w, fd, POLLIN, e)) {
        close(fd);
        return false;
    }
    const ssize_t n = recv(fd, &hello, sizeof hello, MSG_WAITALL);
    const bool ours = n == sizeof hello && hello.token == w->board->token
        && hello.rank > w->rank && hello.rank < w->size
        && s->fd[hello.rank] < 0;
    if (!ours) {
        close(fd);                      /* a stranger: wait for another */
        return accept_one(w, listening, e);
    }
    s->fd[hello.rank] = fd;
    return true;
}


/* connect all ranks */
static bool connect_all(struct World *w, int listening, struct Error *e)
{
    struct Sockets *s = w->state;
    for (int r = 0; r < w->rank; r++)
        if (!connect_to(w, r, e))
            return false;
    for (int r = w->rank + 1; r < w->size; r++)
        if (!accept_one(w, listening, e))
            return false;
    const int on = 1;
    for (int r = 0; r < w->size; r++)
        if (r != w->rank &&
            (setsockopt(s->fd[r], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on)
             || fcntl(s->fd[r], F_SETFL, O_NONBLOCK)))
            return error_set(e, "a connection to rank %d: %s", r,
                             strerror(errno));
    return true;
}

static bool sockets_open(struct World *w, struct Error *e)
{
    struct Sockets *s = w->state;           /* this process's own copy */
    for (int r = 0; r < RANKS_MAX; r++)
        s->fd[r] = -1;
    const int listening = start_listening(w, e);
    const bool ok = listening >= 0 && connect_all(w, listening, e);
    if (listening >= 0)
        close(listening);
    return ok;
}


/* send and receive on a connection */
static size_t sockets_push(struct World *w, int to, const void *from,
                           size_t n)
{
    struct Sockets *s = w->state;
    const ssize_t done = send(s->fd[to], from, n, MSG_NOSIGNAL);
    return done > 0 ? (size_t)done : 0;
}

static size_t sockets_pull(struct World *w, int from, void *to, size_t n)
{
    struct Sockets *s = w->state;
    const ssize_t done = recv(s->fd[from], to, n, 0);
    return done > 0 ? (size_t)done : 0;
}

static void sockets_rest(struct World *w, int to, int from)
{
    struct Sockets *s = w->state;
    struct pollfd p[2] = {
        { .fd = from < 0 ? -1 : s->fd[from], .events = POLLIN },
        { .fd = to < 0 ? -1 : s->fd[to], .events = POLLOUT } };
    poll(p, 2, 2);
    if ((p[0].revents | p[1].revents) & (POLLHUP | POLLERR))
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
}


/* the calls of sockets */
static void *sockets_prepare(int ranks)
{
    (void)ranks;
    return malloc(sizeof(struct Sockets));
}

static void sockets_release(void *state, int ranks)
{
    (void)ranks;
    free(state);
}

static void sockets_close(struct World *w)
{
    struct Sockets *s = w->state;
    for (int r = 0; r < w->size; r++)
        if (s->fd[r] >= 0)
            close(s->fd[r]);
}

const struct Transport transport_sockets = {
    sockets_prepare, sockets_open, sockets_close, sockets_release,
    sockets_push, sockets_pull, sockets_rest,
};
