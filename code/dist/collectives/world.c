/* Tangled from chapters/workshop/exchange.nw, "The exchange".  Edit it there. */

#include "dist/collectives/transport.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

/* a message on its way */
enum { HEADER_MAGIC = 0x6d627831 };
struct Header { uint32_t magic, from; uint64_t bytes; double start_s; };

struct Parcel {
    struct Header header;
    unsigned char *bytes;
    size_t size, moved;         /* the header is counted in both */
};


/* announce a failure, once */
void board_accuse(struct Board *b, int rank, const char *format, ...)
{
    int none = 0;
    if (!atomic_compare_exchange_strong(&b->culprit, &none, -1))
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(b->why, sizeof b->why, format, args);
    va_end(args);
    atomic_store(&b->culprit, rank + 1);
}

bool board_failed(struct Board *b, struct Error *e)
{
    const int culprit = atomic_load(&b->culprit);
    if (culprit <= 0)
        return false;
    error_set(e, "rank %d %s", culprit - 1, b->why);
    return true;
}


/* announce whom everybody waits for */
static void accuse_last(struct World *w, int rank)
{
    for (int i = 0; i < w->size; i++) {
        const int next = atomic_load(&w->board->waits_for[rank]) - 1;
        if (next < 0)
            break;
        rank = next;
    }
    board_accuse(w->board, rank, "has sent nothing for %g s: is it stopped,"
                 " or in another collective than the others?", w->limit_s);
}


/* rest, or give up */
static void wait_longer(struct World *w, int to, int from, bool gone,
                        double waited_s)
{
    const int waits = from != NOBODY ? from : to;
    if (gone && waited_s > 1)
        board_accuse(w->board, waits, "has ended, and rank %d still waits "
                     "for it: all ranks must call the same collectives",
                     w->rank);
    else if (waited_s > w->limit_s)
        accuse_last(w, waits);
    else
        w->transport->rest(w, to, from);
}


/* compare a header with what is expected */
static void check_header(struct World *w, int from, const struct Parcel *p)
{
    const struct Header *h = &p->header;
    if (h->magic != HEADER_MAGIC || h->from != (uint32_t)from)
        board_accuse(w->board, from, "sent something that is no message");
    else if (h->bytes != p->size - sizeof *h)
        board_accuse(w->board, from, "sent %llu bytes where rank %d expects"
                     " %zu: all ranks must call the same collective with "
                     "the same count", (unsigned long long)h->bytes,
                     w->rank, p->size - sizeof *h);
}


/* move a piece of a parcel */
static size_t push_piece(struct World *w, int to, struct Parcel *p)
{
    const size_t head = sizeof p->header;
    const bool first = p->moved < head;
    const unsigned char *from = first
        ? (const unsigned char *)&p->header + p->moved
        : p->bytes + (p->moved - head);
    const size_t n = first ? head - p->moved : p->size - p->moved;
    const size_t moved = n ? w->transport->push(w, to, from, n) : 0;
    p->moved += moved;
    return moved;
}


static size_t pull_piece(struct World *w, int from, struct Parcel *p)
{
    const size_t head = sizeof p->header;
    const bool first = p->moved < head;
    unsigned char *to = first ? (unsigned char *)&p->header + p->moved
                              : p->bytes + (p->moved - head);
    const size_t n = first ? head - p->moved : p->size - p->moved;
    const size_t moved = n ? w->transport->pull(w, from, to, n) : 0;
    p->moved += moved;
    if (first && p->moved == head)
        check_header(w, from, p);
    return moved;
}


/* move both until both are complete */
static bool move_both(struct World *w, int to, struct Parcel *out, int from,
                      struct Parcel *in, struct Error *e)
{
    double since = now_s();
    while (out->moved < out->size || in->moved < in->size) {
        const bool taking = in->moved < in->size;
        const int waits = taking ? from : to;
        const bool gone = atomic_load(&w->board->ended[waits]);
        const size_t sent = to < 0 ? 0 : push_piece(w, to, out);
        const size_t got = from < 0 ? 0 : pull_piece(w, from, in);
        atomic_store(&w->board->waits_for[w->rank],
                     sent || got ? 0 : waits + 1);
        if (board_failed(w->board, e))
            return false;
        if (sent || got)
            since = now_s();
        else
            wait_longer(w, out->moved < out->size ? to : NOBODY,
                        taking ? from : NOBODY, gone, now_s() - since);
    }
    atomic_store(&w->board->waits_for[w->rank], 0);
    return true;
}


/* which link joins two ranks */
static struct Link link_between(const struct Links *l, int a, int b)
{
    const bool near = l->per_host == 0
                   || a / l->per_host == b / l->per_host;
    return near ? l->near : l->far;
}

static double link_ends(const struct World *w, int other, double start_s,
                        size_t bytes)
{
    const struct Link l = link_between(&w->links, w->rank, other);
    return start_s + l.alpha_s + l.beta_s * (double)bytes;
}


/* send and receive at the same time: the call */
bool exchange(struct World *w, int to, const void *out, size_t out_bytes,
              int from, void *in, size_t in_bytes, struct Error *e)
{
    struct Parcel o = { { HEADER_MAGIC, (uint32_t)w->rank, out_bytes,
                          w->clock_s },
        (unsigned char *)(uintptr_t)out, sizeof o.header + out_bytes, 0 };
    struct Parcel i = { .bytes = in, .size = sizeof i.header + in_bytes };
    if (to == NOBODY)
        o.size = 0;
    if (from == NOBODY)
        i.size = 0;
    if (!move_both(w, to, &o, from, &i, e))
        return false;
    const double start = w->clock_s;
    /* count the message, and advance the clock */
    if (to != NOBODY) {
        w->sent[to].messages++;
        w->sent[to].bytes += out_bytes;
        w->clock_s = link_ends(w, to, start, out_bytes);
    }
    if (from != NOBODY) {
        const double both = start > i.header.start_s ? start
                                                     : i.header.start_s;
        const double there = link_ends(w, from, both, in_bytes);
        w->clock_s = there > w->clock_s ? there : w->clock_s;
    }
    return true;
}

