/* Tangled from chapters/workshop/ranks.nw, "The hub".  Edit it there. */

#include "dist/hub.h"

#include "base/clock.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* write the head of a message of the hub */
enum What { HELLO = 0x68756231, DATA, ROLL, ABORT };

struct Head {
    uint32_t what, count;       /* enum What; number of the exchange */
    uint64_t bytes;             /* that follow */
    int32_t rank, world;
};

static struct Head head_of(const struct Hub *h, enum What what,
                           size_t bytes)
{
    return (struct Head){ what, h->count, bytes, h->rank, h->world };
}


/* write and read all bytes of a socket */
/* 1: done; 0: the other end is gone; -1: it is late. */
static int write_all(int fd, const void *from, size_t bytes, double until)
{
    const char *at = from;
    while (bytes > 0) {
        ssize_t n = send(fd, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) {
            at += n, bytes -= (size_t)n;
            continue;
        }
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return 0;
        const double left = until - now_s();
        struct pollfd p = { .fd = fd, .events = POLLOUT };
        if (left <= 0)
            return -1;
        poll(&p, 1, left > 1 ? 1000 : 1 + (int)(left * 1000));
    }
    return 1;
}


static int read_all(int fd, void *to, size_t bytes, double until)
{
    char *at = to;
    while (bytes > 0) {
        ssize_t n = recv(fd, at, bytes, MSG_DONTWAIT);
        if (n > 0) {
            at += n, bytes -= (size_t)n;
            continue;
        }
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            return 0;
        const double left = until - now_s();
        struct pollfd p = { .fd = fd, .events = POLLIN };
        if (left <= 0)
            return -1;
        poll(&p, 1, left > 1 ? 1000 : 1 + (int)(left * 1000));
    }
    return 1;
}


/* say which rank is gone or late */
static bool gone(struct Hub *h, int rank, struct Error *e)
{
    h->quiet |= h->launched || h->rank > 1;     /* rank 1 speaks of 0 */
    return error_set(e, "step %lld: rank %d is gone: its process ended "
                     "without a message, perhaps killed for memory",
                     (long long)h->step, rank);
}

static bool late(struct Hub *h, int rank, struct Error *e)
{
    h->quiet |= h->rank > 1;
    return error_set(e, "step %lld: rank %d has not answered for %.0f s; "
                     "it hangs, or needs a longer --timeout",
                     (long long)h->step, rank, h->timeout_s + h->late_s);
}

/* Others are further than that rank, whose GPU is still at work. */
static bool stuck(struct Hub *h, int rank, struct Error *e)
{
    h->quiet |= h->rank > 1;
    return error_set(e, "step %lld: rank %d: its GPU does not end its "
                     "work; it hangs, or needs a longer --timeout",
                     (long long)h->step, rank);
}

static bool failed(struct Hub *h, int how, int rank, struct Error *e)
{
    return how > 0 || (how < 0 ? late(h, rank, e) : gone(h, rank, e));
}


/* send and receive a message of the hub */
static bool put(struct Hub *h, enum What what, int fd, int rank,
                const void *from, size_t bytes, struct Error *e)
{
    const double until = now_s() + h->timeout_s;
    const struct Head head = head_of(h, what, bytes);
    int how = write_all(fd, &head, sizeof head, until);
    if (how > 0)
        how = write_all(fd, from, bytes, until);
    return failed(h, how, rank, e);
}


static bool get(struct Hub *h, enum What what, int fd, int rank, void *to,
                size_t bytes, struct Error *e)
{
    /* rank 0 waits for others in turn, and is to speak first */
    const double until = now_s() + h->timeout_s * (h->rank ? 1.2 : 1);
    struct Head head;
    int how = read_all(fd, &head, sizeof head, until);
    if (how > 0 && head.what == ABORT) {
        h->quiet = true;
        return error_set(e, "rank %d has failed", (int)head.rank);
    }
    if (how > 0 && (head.what == ROLL || what == ROLL)
        && head.what != what)
        return stuck(h, head.what == ROLL ? rank : h->rank, e);
    if (how > 0 && (head.what != what || head.bytes != bytes
                    || head.count != h->count))
        return error_set(e, "step %lld: rank %d is at exchange %u with "
                         "%llu bytes, and rank %d at %u with %zu; they run "
                         "different programs or options",
                         (long long)h->step, rank, head.count,
                         (unsigned long long)head.bytes, h->rank, h->count,
                         bytes);
    if (how > 0)
        how = read_all(fd, to, bytes, until);
    return failed(h, how, rank, e);
}


/* exchange through rank 0 */
static bool all_say(struct Hub *h, enum What what, void *all,
                    const void *mine, size_t bytes, struct Error *e)
{
    char *to = all;
    const size_t total = bytes * (size_t)h->world;
    h->count++;
    memcpy(to + (size_t)h->rank * bytes, mine, bytes);
    if (h->rank > 0)
        return put(h, what, h->socket[0], 0, mine, bytes, e)
            && get(h, what, h->socket[0], 0, all, total, e);
    for (int r = 1; r < h->world; r++)
        if (!get(h, what, h->socket[r], r, to + (size_t)r * bytes, bytes,
                 e))
            return false;
    for (int r = 1; r < h->world; r++)
        if (!put(h, what, h->socket[r], r, all, total, e))
            return false;
    return true;
}

bool hub_exchange(struct Hub *h, void *all, const void *mine, size_t bytes,
                  struct Error *e)
{
    return all_say(h, DATA, all, mine, bytes, e);
}


/* call the roll */
bool hub_roll_call(struct Hub *h, double late_s, double wait_s,
                   struct Error *e)
{
    const double before = h->timeout_s;
    char all[h->world], mine = 0;
    h->timeout_s = h->rank ? 3 * wait_s : wait_s;   /* rank 0 decides */
    h->late_s = late_s;
    const bool answered = all_say(h, ROLL, all, &mine, 1, e);
    h->timeout_s = before;
    h->late_s = 0;
    if (!answered)
        return false;
    h->quiet |= h->rank > 0;
    return error_set(e, "step %lld: all %d ranks answer, and their GPUs "
                     "have not ended their work for %.0f s; a kernel or a "
                     "link hangs, or the step needs a longer --timeout",
                     (long long)h->step, h->world, late_s);
}


/* look for ranks that are gone */
static bool here(struct Hub *h, int fd, int rank, struct Error *e)
{
    struct pollfd p = { .fd = fd, .events = POLLIN | POLLRDHUP };
    struct Head head;
    if (poll(&p, 1, 0) <= 0 || !(p.revents & ~POLLOUT))
        return true;
    const ssize_t n = recv(fd, &head, sizeof head, MSG_DONTWAIT | MSG_PEEK);
    if (n == (ssize_t)sizeof head && head.what == ABORT) {
        h->quiet = true;
        return error_set(e, "rank %d has failed", (int)head.rank);
    }
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        return gone(h, rank, e);
    return true;                /* it is ahead of us */
}

bool hub_alive(struct Hub *h, struct Error *e)
{
    if (h->rank > 0)
        return here(h, h->socket[0], 0, e);
    for (int r = 1; r < h->world; r++)
        if (!here(h, h->socket[r], r, e))
            return false;
    return true;
}

void hub_abort(struct Hub *h)
{
    const struct Head head = head_of(h, ABORT, 0);
    for (int r = h->rank ? 0 : 1; r < (h->rank ? 1 : h->world); r++)
        if (h->socket && h->socket[r] >= 0)
            (void)!send(h->socket[r], &head, sizeof head,
                        MSG_NOSIGNAL | MSG_DONTWAIT);
}


/* listen for ranks */
static int listen_at(const struct sockaddr *a, socklen_t size, int family)
{
    const int one = 1;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0
        && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0
        && bind(fd, a, size) == 0 && listen(fd, 128) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

int hub_listen(int *port, struct Error *e)
{
    struct sockaddr_in a = { .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof a;
    int fd = listen_at((struct sockaddr *)&a, sizeof a, AF_INET);
    if (fd < 0 || getsockname(fd, (struct sockaddr *)&a, &size) != 0) {
        error_set(e, "cannot listen on this host: %s", strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    *port = ntohs(a.sin_port);
    return fd;
}


/* find the address of rank 0 */
static struct addrinfo *look_up(const char *address, bool passive,
                                struct Error *e)
{
    char host[256];
    const char *colon = strrchr(address, ':');
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
        .ai_flags = passive ? AI_PASSIVE : 0 }, *found = NULL;
    if (!colon || colon == address || !colon[1]
        || (size_t)(colon - address) >= sizeof host) {
        error_set(e, "--address %s: expected HOST:PORT, where rank 0 is",
                  address);
        return NULL;
    }
    snprintf(host, sizeof host, "%.*s", (int)(colon - address), address);
    const int why = getaddrinfo(host, colon + 1, &hints, &found);
    if (why == 0)
        return found;
    error_set(e, "--address %s: %s", address, gai_strerror(why));
    return NULL;
}


/* let the other ranks in */
static void no_delay(int fd)
{
    const int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

/* One that has come: a rank, or a stranger, whom we let go. */
static bool let_in(struct Hub *h, int fd, int *missing, struct Error *e)
{
    struct Head head;
    if (read_all(fd, &head, sizeof head, now_s() + 5) <= 0
        || head.what != HELLO || head.bytes != 0) {
        close(fd);
        return true;
    }
    if (head.world != h->world || head.rank < 1 || head.rank >= h->world
        || h->socket[head.rank] >= 0) {
        close(fd);
        return error_set(e, "rank %d of %d wants to join, but this run has "
                         "%d ranks%s", (int)head.rank, (int)head.world,
                         h->world, head.world == h->world
                         ? " and that one is there" : "");
    }
    no_delay(fd);
    h->socket[head.rank] = fd;
    --*missing;
    return true;
}


static bool first_missing(struct Hub *h, const char *address,
                          struct Error *e)
{
    int r = 1;
    while (h->socket[r] >= 0)
        r++;
    return error_set(e, "rank %d has not come to %s within %.0f s; all %d "
                     "ranks must be started", r, address, h->timeout_s,
                     h->world);
}

static bool wait_for_all(struct Hub *h, int listener, const char *address,
                         struct Error *e)
{
    int missing = h->world - 1;
    const double until = now_s() + h->timeout_s;
    while (missing > 0) {
        const double left = until - now_s();
        struct pollfd p = { .fd = listener, .events = POLLIN };
        if (left <= 0)
            return first_missing(h, address, e);
        if (poll(&p, 1, 100) <= 0)
            continue;
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0 && !let_in(h, fd, &missing, e))
            return false;
    }
    return true;
}


static bool open_first(struct Hub *h, const char *address, int listener,
                       struct Error *e)
{
    if (listener < 0) {
        struct addrinfo *a = look_up(address, true, e);
        if (!a)
            return false;
        listener = listen_at(a->ai_addr, a->ai_addrlen, a->ai_family);
        freeaddrinfo(a);
    }
    if (listener < 0)
        return error_set(e, "cannot listen at %s: %s; rank 0 must be on "
                         "that host, and the port free", address,
                         strerror(errno));
    const bool good = wait_for_all(h, listener, address, e);
    close(listener);
    return good;
}


/* go to rank 0 */
static int try_once(const struct addrinfo *a)
{
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool open_other(struct Hub *h, const char *address, struct Error *e)
{
    const double until = now_s() + h->timeout_s;
    struct addrinfo *a = look_up(address, false, e);
    if (!a)
        return false;
    while ((h->socket[0] = try_once(a)) < 0 && now_s() < until)
        usleep(20000);
    freeaddrinfo(a);
    if (h->socket[0] < 0)
        return error_set(e, "rank 0 does not answer at %s for %.0f s: %s",
                         address, h->timeout_s, strerror(errno));
    no_delay(h->socket[0]);
    const struct Head head = head_of(h, HELLO, 0);
    return failed(h, write_all(h->socket[0], &head, sizeof head, until), 0,
                  e);
}


/* open and close a hub */
bool hub_open(struct Hub *h, int rank, int world, const char *address,
              int listener, double timeout_s, struct Error *e)
{
    *h = (struct Hub){ .rank = rank, .world = world,
                       .timeout_s = timeout_s, .launched = h->launched };
    const int n = rank ? 1 : world;
    h->socket = malloc((size_t)n * sizeof *h->socket);
    if (!h->socket)
        return error_set(e, "no memory for %d sockets", n);
    for (int i = 0; i < n; i++)
        h->socket[i] = -1;
    return rank ? open_other(h, address, e)
                : open_first(h, address, listener, e);
}

void hub_close(struct Hub *h)
{
    const int n = h->rank ? 1 : h->world;
    for (int i = 0; h->socket && i < n; i++)
        if (h->socket[i] >= 0)
            close(h->socket[i]);
    free(h->socket);
    h->socket = NULL;
}
