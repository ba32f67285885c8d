/* Tangled from chapters/workshop/simt-cluster.nw, "Operations in a group".  Edit it there. */

#include "simt/include/nccl.h"

#include "base/fail.h"
#include "simt/executor/device_math.h"
#include "simt/sanitizer/check.h"
#include "simt/simt.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* communicators and their operations */
enum Kind {
    ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER, BROADCAST, REDUCE, SEND, RECV
};
static const char *const kind_names[] = {
    "ncclAllReduce", "ncclReduceScatter", "ncclAllGather", "ncclBroadcast",
    "ncclReduce", "ncclSend", "ncclRecv"
};

struct Operation {
    enum Kind kind;
    const void *send;
    void *recv;
    size_t count;
    ncclDataType_t type;
    ncclRedOp_t op;
    int root;                   /* or peer */
    bool done;
};

struct Clique {
    uint64_t id;
    int ranks, members;
    struct ncclComm *comm[MOST_DEVICES];
    struct Clique *next;
};

struct ncclComm {
    struct Clique *clique;
    int rank, device;
    struct Operation *queue;
    size_t n, room;
};

static struct Clique *cliques;
static int depth;                       /* of groups                     */
static uint64_t ids;
static char last_error[400];
static struct { size_t messages, bytes; } links[MOST_DEVICES][MOST_DEVICES];

/* say what is wrong with a call of NCCL */
static ncclResult_t refuse(ncclResult_t code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static ncclResult_t refuse(ncclResult_t code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
    fflush(stdout);
    fprintf(stderr, "simt: %s [%s]\n", last_error,
            ncclGetErrorString(code));
    return code;
}


/* names of results */
const char *ncclGetErrorString(ncclResult_t result)
{
    switch (result) {
    case ncclSuccess:            return "no error";
    case ncclUnhandledCudaError: return "unhandled cuda error";
    case ncclSystemError:        return "unhandled system error";
    case ncclInternalError:      return "internal error";
    case ncclInvalidArgument:    return "invalid argument";
    case ncclInvalidUsage:       return "invalid usage";
    case ncclRemoteError:        return "remote process error";
    case ncclInProgress:         return "operation in progress";
    default:                     return "unknown result code";
    }
}

const char *ncclGetLastError(ncclComm_t comm)
{
    (void)comm;
    return last_error;
}


/* make and end communicators */
ncclResult_t ncclGetVersion(int *version)
{
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    memset(id, 0, sizeof *id);
    ids++;
    memcpy(id->internal, &ids, sizeof ids);
    return ncclSuccess;
}

static struct Clique *clique_of(uint64_t id, int ranks)
{
    for (struct Clique *c = cliques; c; c = c->next)
        if (c->id == id)
            return c;
    struct Clique *c = calloc(1, sizeof *c);
    if (!c)
        fail("simt: no memory for a communicator");
    *c = (struct Clique){ .id = id, .ranks = ranks, .next = cliques };
    return cliques = c;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id,
                              int rank)
{
    uint64_t number;
    int device;
    memcpy(&number, id.internal, sizeof number);
    if (cudaGetDevice(&device) != cudaSuccess)
        return ncclUnhandledCudaError;
    /* refuse ranks that cannot be */
    if (ranks < 1 || ranks > MOST_DEVICES || rank < 0 || rank >= ranks)
        return refuse(ncclInvalidArgument, "ncclCommInitRank: rank %d of %d: "
                      "ranks are numbered from 0, and there are at most %d",
                      rank, ranks, MOST_DEVICES);
    struct Clique *c = clique_of(number, ranks);
    if (c->ranks != ranks || c->comm[rank])
        return refuse(ncclInvalidUsage, "ncclCommInitRank: rank %d of %d: %s",
                      rank, ranks, c->comm[rank] ? "this rank is there already"
                      : "other ranks gave another number of ranks");
    for (int i = 0; i < ranks; i++)
        if (c->comm[i] && c->comm[i]->device == device)
            return refuse(ncclInvalidUsage, "ncclCommInitRank: ranks %d and %d "
                          "are both on device %d: call cudaSetDevice before, "
                          "and run with SIMT_DEVICES=%d", i, rank, device,
                          ranks);
    *comm = calloc(1, sizeof **comm);
    if (!*comm)
        fail("simt: no memory for a communicator");
    **comm = (struct ncclComm){ .clique = c, .rank = rank,
                                .device = device };
    c->comm[rank] = *comm;
    c->members++;
    return ncclSuccess;
}


ncclResult_t ncclCommInitAll(ncclComm_t *comms, int ranks,
                             const int *list)
{
    ncclUniqueId id;
    int before;
    ncclResult_t result = ncclGetUniqueId(&id);
    if (cudaGetDevice(&before) != cudaSuccess)
        return ncclUnhandledCudaError;
    for (int r = 0; r < ranks && result == ncclSuccess; r++)
        result = cudaSetDevice(list ? list[r] : r) != cudaSuccess
               ? ncclUnhandledCudaError
               : ncclCommInitRank(&comms[r], ranks, id, r);
    cudaSetDevice(before);
    return result;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    if (!comm)
        return ncclSuccess;
    struct Clique *c = comm->clique;
    c->comm[comm->rank] = NULL;
    if (--c->members == 0) {
        struct Clique **at = &cliques;
        while (*at != c)
            at = &(*at)->next;
        *at = c->next;
        free(c);
    }
    free(comm->queue);
    free(comm);
    return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    return ncclCommDestroy(comm);
}

ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
    (void)comm;
    return ncclSuccess;
}


/* questions to a communicator */
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
    (void)comm;
    *error = ncclSuccess;
    return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int *count)
{
    *count = comm->clique->ranks;
    return ncclSuccess;
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device)
{
    *device = comm->device;
    return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank)
{
    *rank = comm->rank;
    return ncclSuccess;
}


/* count what a link carries */
struct Call;
static void carried(const struct Call *c, int from, int to,
                    size_t messages, size_t bytes);

size_t simt_link_messages(int from, int to)
{
    const bool there = from >= 0 && from < MOST_DEVICES && to >= 0
                    && to < MOST_DEVICES;
    return there ? links[from][to].messages : 0;
}

size_t simt_link_bytes(int from, int to)
{
    const bool there = from >= 0 && from < MOST_DEVICES && to >= 0
                    && to < MOST_DEVICES;
    return there ? links[from][to].bytes : 0;
}

static double alpha_us, rate_gbs;

static void print_links(void)
{
    fflush(stdout);
    fprintf(stderr, "%-10s %10s %14s %12s\n", "link", "messages", "bytes",
            "us");
    for (int a = 0; a < MOST_DEVICES; a++)
        for (int b = 0; b < MOST_DEVICES; b++)
            if (links[a][b].messages)
                fprintf(stderr, "%2d -> %-4d %10zu %14zu %12.4g\n", a, b,
                        links[a][b].messages, links[a][b].bytes,
                        alpha_us * (double)links[a][b].messages
                        + (double)links[a][b].bytes / rate_gbs * 1e-3);
}


static void start_counting(void)
{
    static bool started;
    const char *text = getenv("SIMT_LINKS");
    char end;
    if (started || !text || !*text)
        return;
    started = true;
    if (sscanf(text, "%lf:%lf%c", &alpha_us, &rate_gbs, &end) != 2 ||
        !(alpha_us >= 0) || !(rate_gbs > 0))
        misuse("SIMT_LINKS=%s: microseconds of a message and GB/s are "
               "expected, such as 5:450", text);
    atexit(print_links);
}


/* elements of every type */
static size_t size_of(ncclDataType_t type)
{
    static const size_t bytes[] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2 };
    return bytes[type];
}

#define REDUCE_AS(T, READ, WRITE, WIDE)                                   \
    do {                                                                  \
        T *t = to;                                                        \
        const T *f = from;                                                \
        for (size_t i = 0; i < n; i++) {                                  \
            const WIDE a = READ(t[i]), b = READ(f[i]);                    \
            t[i] = WRITE(op == ncclSum || op == ncclAvg ? a + b           \
                         : op == ncclProd ? a * b                         \
                         : op == ncclMax ? (a > b || a != a ? a : b)      \
                                         : (a < b || a != a ? a : b));    \
        }                                                                 \
    } while (0)
#define AS_IS(x) (x)
#define AS_FLOAT(x) ((float)(x))

static void combine(void *to, const void *from, size_t n,
                    ncclDataType_t type, ncclRedOp_t op)
{
    switch (type) {
    case ncclInt8:     REDUCE_AS(int8_t, AS_IS, (int8_t), int);     break;
    case ncclUint8:    REDUCE_AS(uint8_t, AS_IS, (uint8_t), int);   break;
    case ncclInt32:    REDUCE_AS(int32_t, AS_IS, (int32_t), int64_t); break;
    case ncclUint32:   REDUCE_AS(uint32_t, AS_IS, , uint32_t);      break;
    case ncclInt64:
        REDUCE_AS(int64_t, AS_IS, (int64_t), __int128);
        break;
    case ncclUint64:   REDUCE_AS(uint64_t, AS_IS, , uint64_t);      break;
    case ncclFloat32:  REDUCE_AS(float, AS_IS, AS_FLOAT, float);    break;
    case ncclFloat64:  REDUCE_AS(double, AS_IS, , double);          break;
    case ncclFloat16:
        REDUCE_AS(uint16_t, float_from_half, half_from_float, float);
        break;
    case ncclBfloat16:
        REDUCE_AS(uint16_t, float_from_bf16, bf16_from_float, float);
        break;
    default: break;
    }
}


/* carry out a reduction on a ring */
/* The operations of one collective, by rank. */
struct Call {
    struct Clique *clique;
    struct Operation *of[MOST_DEVICES];
    int ranks;
    size_t size;                        /* of an element */
};

static unsigned char *place(const void *p, size_t offset)
{
    return memory_bytes((uint64_t)(uintptr_t)p + offset);
}

static void store(void *to, size_t offset, const void *bytes, size_t n)
{
    if (n == 0)
        return;
    memmove(place(to, offset), bytes, n);
    if (simt_options.check)
        check_host_wrote((uint64_t)(uintptr_t)to + offset, n);
}

static const unsigned char *load(const void *from, size_t offset, size_t n)
{
    if (n && simt_options.check)
        check_host_reads((uint64_t)(uintptr_t)from + offset, n);
    return place(from, offset);
}


static void average(void *x, size_t n, ncclDataType_t type, int ranks)
{
    float inverse = 1 / (float)ranks;
    uint16_t narrow = type == ncclFloat16 ? half_from_float(inverse)
                                          : bf16_from_float(inverse);
    double wide = 1 / (double)ranks;
    const void *by = type == ncclFloat32 ? (void *)&inverse
                   : type == ncclFloat64 ? (void *)&wide : (void *)&narrow;
    const size_t size = size_of(type);
    for (size_t i = 0; i < n; i++)
        combine((unsigned char *)x + i * size, by, 1, type, ncclProd);
}

/* sum = elements at .. at + n - 1 of all ranks, beginning with one rank */
static void sum_up(const struct Call *c, void *sum, size_t at, size_t n,
                   int first)
{
    for (int k = 0; k < c->ranks; k++) {
        const struct Operation *o = c->of[(first + k) % c->ranks];
        const unsigned char *x = load(o->send, at * c->size, n * c->size);
        if (k == 0)
            memcpy(sum, x, n * c->size);
        else
            combine(sum, x, n, o->type, o->op);
    }
    if (c->of[0]->op == ncclAvg)
        average(sum, n, c->of[0]->type, c->ranks);
}


static void carried(const struct Call *c, int from, int to,
                    size_t messages, size_t bytes)
{
    const int P = c->ranks, a = c->clique->comm[from % P]->device,
              b = c->clique->comm[to % P]->device;
    links[a][b].messages += messages;
    links[a][b].bytes += bytes;
}


/* carry out each kind of operation */
static void *room(size_t bytes)
{
    void *p = malloc(bytes + 1);
    if (!p)
        fail("simt: no memory for a sum of %zu bytes", bytes);
    return p;
}

static void all_reduce(const struct Call *c)
{
    const size_t n = c->of[0]->count, P = (size_t)c->ranks;
    void *sum = room((n / P + 1) * c->size);
    for (size_t i = 0; i < P; i++) {
        const size_t at = n * i / P, m = n * (i + 1) / P - at;
        sum_up(c, sum, at, m, (int)i + 1);
        for (size_t r = 0; r < P; r++)
            store(c->of[r]->recv, at * c->size, sum, m * c->size);
        for (size_t r = 0; r < P; r++) {
            carried(c, (int)r, (int)r + 1, 0, r == i ? 0 : m * c->size);
            carried(c, (int)r, (int)r + 1, 0,
                    (r + 1) % P == i ? 0 : m * c->size);
        }
    }
    for (int r = 0; r < c->ranks; r++)
        carried(c, r, r + 1, 2 * (P - 1), 0);
    free(sum);
}


static void reduce_scatter(const struct Call *c)
{
    const size_t n = c->of[0]->count, steps = (size_t)c->ranks - 1;
    void *sum = room(n * c->size);
    for (int r = 0; r < c->ranks; r++) {
        sum_up(c, sum, (size_t)r * n, n, r + 1);
        store(c->of[r]->recv, 0, sum, n * c->size);
        carried(c, r, r + 1, steps, steps * n * c->size);
    }
    free(sum);
}

static void all_gather(const struct Call *c)
{
    const size_t bytes = c->of[0]->count * c->size;
    const size_t steps = (size_t)c->ranks - 1;
    for (int r = 0; r < c->ranks; r++) {
        const unsigned char *x = load(c->of[r]->send, 0, bytes);
        for (int q = 0; q < c->ranks; q++)
            store(c->of[q]->recv, (size_t)r * bytes, x, bytes);
        carried(c, r, r + 1, steps, steps * bytes);
    }
}


static void broadcast(const struct Call *c)
{
    const int root = c->of[0]->root;
    const size_t bytes = c->of[0]->count * c->size;
    const unsigned char *x = load(c->of[root]->send, 0, bytes);
    for (int r = 0; r < c->ranks; r++)
        store(c->of[r]->recv, 0, x, bytes);
    for (int k = 0; k + 1 < c->ranks; k++)
        carried(c, root + k, root + k + 1, 1, bytes);
}

static void reduce(const struct Call *c)
{
    const int root = c->of[0]->root;
    const size_t n = c->of[0]->count;
    void *sum = room(n * c->size);
    sum_up(c, sum, 0, n, root + 1);
    store(c->of[root]->recv, 0, sum, n * c->size);
    for (int k = 1; k < c->ranks; k++)
        carried(c, root + k, root + k + 1, 1, n * c->size);
    free(sum);
}

static void carry_out(const struct Call *c)
{
    static void (*const by_kind[])(const struct Call *) = {
        all_reduce, reduce_scatter, all_gather, broadcast, reduce
    };
    if (c->ranks > 0 && c->of[0]->count > 0)
        by_kind[c->of[0]->kind](c);
}


/* check one operation */
static ncclResult_t check_array(const struct ncclComm *comm,
                                const struct Operation *o,
                                const char *which, const void *p,
                                size_t elements)
{
    const uint64_t address = (uint64_t)(uintptr_t)p;
    const size_t bytes = elements * size_of(o->type);
    if (bytes == 0)
        return ncclSuccess;
    const struct Allocation *a = memory_find(address);
    if (!a || !memory_holds(address, bytes))
        return refuse(ncclInvalidArgument, "%s of rank %d: %zu bytes at the"
                      " %s array %p are not in one allocation of a device",
                      kind_names[o->kind], comm->rank, bytes, which, p);
    if (a->device >= 0 && a->device != comm->device)
        return refuse(ncclInvalidArgument, "%s of rank %d: the %s array %p "
                      "is memory of device %d, and the rank is on device "
                      "%d: allocate after cudaSetDevice(%d)",
                      kind_names[o->kind], comm->rank, which, p, a->device,
                      comm->device, comm->device);
    return ncclSuccess;
}


static ncclResult_t check_operation(const struct ncclComm *comm,
                                    const struct Operation *o)
{
    const size_t P = (size_t)comm->clique->ranks, n = o->count;
    const bool root = o->root == comm->rank;
    if ((unsigned)o->type >= ncclNumTypes || (unsigned)o->op >= ncclNumOps
        || o->root < 0 || o->root >= comm->clique->ranks
        || n > SIZE_MAX / 16 / P)
        return refuse(ncclInvalidArgument, "%s of rank %d: type %d, operati"
                      "on %d, count %zu, root or peer %d of %zu ranks: one "
                      "of them is out of range", kind_names[o->kind],
                      comm->rank, (int)o->type, (int)o->op, n, o->root, P);
    const bool sends = o->kind != RECV && (o->kind != BROADCAST || root);
    const bool receives = o->kind != SEND && (o->kind != REDUCE || root);
    if (o->op == ncclAvg && (o->type < ncclFloat16))
        return refuse(ncclInvalidArgument, "%s of rank %d: ncclAvg of "
                      "integers is not here", kind_names[o->kind],
                      comm->rank);
    ncclResult_t result = ncclSuccess;
    if (sends)
        result = check_array(comm, o, "send", o->send,
                             o->kind == REDUCE_SCATTER ? P * n : n);
    if (receives && result == ncclSuccess)
        result = check_array(comm, o, "receive", o->recv,
                             o->kind == ALL_GATHER ? P * n : n);
    return result;
}


/* match the operations of a group */
static struct Operation *next_of(const struct ncclComm *comm)
{
    for (size_t i = 0; comm && i < comm->n; i++)
        if (!comm->queue[i].done && comm->queue[i].kind < SEND)
            return &comm->queue[i];
    return NULL;
}

static ncclResult_t missing(const struct Clique *c, int there, int absent)
{
    return refuse(ncclInvalidUsage, "%s of rank %d: rank %d of %d %s: put "
                  "the calls of all ranks between ncclGroupStart and "
                  "ncclGroupEnd",
                  kind_names[next_of(c->comm[there])->kind], there, absent,
                  c->ranks, c->comm[absent] ? "does not call it in this "
                  "group" : "has no communicator in this process");
}

static bool alike(const struct Operation *a, const struct Operation *b)
{
    const bool rooted = a->kind == BROADCAST || a->kind == REDUCE;
    return a->kind == b->kind && a->count == b->count && a->type == b->type
        && a->op == b->op && (!rooted || a->root == b->root);
}


static ncclResult_t match_collectives(struct Clique *c)
{
    for (;;) {
        struct Call call = { .clique = c, .ranks = c->ranks };
        int there = -1, absent = -1;
        for (int r = 0; r < c->ranks; r++) {
            call.of[r] = next_of(c->comm[r]);
            *(call.of[r] ? &there : &absent) = r;
        }
        if (there < 0)
            return ncclSuccess;
        if (absent >= 0)
            return missing(c, there, absent);
        for (int r = 1; r < c->ranks; r++)
            if (!alike(call.of[0], call.of[r]))
                return refuse(ncclInvalidUsage, "rank 0 calls %s of %zu, "
                    "rank %d %s of %zu: all ranks must call the same "
                    "collective with the same count, type, operation and "
                    "root", kind_names[call.of[0]->kind],
                    call.of[0]->count, r, kind_names[call.of[r]->kind],
                    call.of[r]->count);
        call.size = size_of(call.of[0]->type);
        carry_out(&call);
        for (int r = 0; r < c->ranks; r++)
            call.of[r]->done = true;
    }
}


static struct Operation *counterpart(const struct Clique *c, int from,
                                     int to)
{
    const struct ncclComm *comm = c->comm[to];
    for (size_t i = 0; comm && i < comm->n; i++)
        if (!comm->queue[i].done && comm->queue[i].kind == RECV &&
            comm->queue[i].root == from)
            return &comm->queue[i];
    return NULL;
}

static ncclResult_t deliver(struct Clique *c, int from, struct Operation *o)
{
    struct Operation *in = counterpart(c, from, o->root);
    const size_t bytes = o->count * size_of(o->type);
    if (!in)
        return refuse(ncclInvalidUsage, "ncclSend of rank %d to rank %d: "
                      "there is no ncclRecv for it in this group", from,
                      o->root);
    if (in->count * size_of(in->type) != bytes)
        return refuse(ncclInvalidUsage, "ncclSend of rank %d to rank %d: "
                      "%zu bytes are sent and %zu expected", from, o->root,
                      bytes, in->count * size_of(in->type));
    const struct Call call = { .clique = c, .ranks = c->ranks, .of[0] = o };
    store(in->recv, 0, load(o->send, 0, bytes), bytes);
    if (from != o->root)
        carried(&call, from, o->root, 1, bytes);
    o->done = in->done = true;
    return ncclSuccess;
}


static ncclResult_t match_messages(struct Clique *c)
{
    for (int r = 0; r < c->ranks; r++)
        for (size_t i = 0; c->comm[r] && i < c->comm[r]->n; i++) {
            struct Operation *o = &c->comm[r]->queue[i];
            ncclResult_t result = ncclSuccess;
            if (!o->done && o->kind == SEND)
                result = deliver(c, r, o);
            if (result != ncclSuccess)
                return result;
        }
    for (int r = 0; r < c->ranks; r++)
        for (size_t i = 0; c->comm[r] && i < c->comm[r]->n; i++)
            if (!c->comm[r]->queue[i].done)
                return refuse(ncclInvalidUsage, "ncclRecv of rank %d from "
                              "rank %d: there is no ncclSend for it in "
                              "this group", r, c->comm[r]->queue[i].root);
    return ncclSuccess;
}


/* begin and end a group */
ncclResult_t ncclGroupStart(void)
{
    depth++;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void)
{
    ncclResult_t result = ncclSuccess;
    if (depth == 0)
        return refuse(ncclInvalidUsage, "ncclGroupEnd: no group was begun");
    if (--depth > 0)
        return ncclSuccess;
    for (struct Clique *c = cliques; c; c = c->next) {
        if (result == ncclSuccess)
            result = match_collectives(c);
        if (result == ncclSuccess)
            result = match_messages(c);
        for (int r = 0; r < c->ranks; r++)
            if (c->comm[r])
                c->comm[r]->n = 0;
    }
    return result;
}


/* post an operation */
static ncclResult_t post(ncclComm_t comm, struct Operation o,
                         cudaStream_t stream)
{
    start_counting();
    if (!comm)
        return refuse(ncclInvalidArgument, "%s: the communicator is NULL",
                      kind_names[o.kind]);
    if (cudaStreamQuery(stream) != cudaSuccess)
        return ncclUnhandledCudaError;
    const ncclResult_t result = check_operation(comm, &o);
    if (result != ncclSuccess)
        return result;
    if (comm->n == comm->room) {
        comm->room = comm->room ? 2 * comm->room : 16;
        comm->queue = realloc(comm->queue,
                              comm->room * sizeof *comm->queue);
        if (!comm->queue)
            fail("simt: no memory for the operations of a group");
    }
    ncclGroupStart();
    comm->queue[comm->n++] = o;
    return ncclGroupEnd();
}


ncclResult_t ncclAllReduce(const void *send, void *recv, size_t count,
                           ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream)
{
    return post(comm, (struct Operation){ ALL_REDUCE, send, recv, count,
                                          type, op, 0, false }, stream);
}

ncclResult_t ncclReduceScatter(const void *send, void *recv,
                               size_t recv_count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm,
                               cudaStream_t stream)
{
    return post(comm, (struct Operation){ REDUCE_SCATTER, send, recv,
        recv_count, type, op, 0, false }, stream);
}

ncclResult_t ncclAllGather(const void *send, void *recv, size_t send_count,
                           ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream)
{
    return post(comm, (struct Operation){ ALL_GATHER, send, recv,
        send_count, type, ncclSum, 0, false }, stream);
}


ncclResult_t ncclBroadcast(const void *send, void *recv, size_t count,
                           ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream)
{
    return post(comm, (struct Operation){ BROADCAST, send, recv, count,
                                          type, ncclSum, root, false },
                stream);
}

ncclResult_t ncclReduce(const void *send, void *recv, size_t count,
                        ncclDataType_t type, ncclRedOp_t op, int root,
                        ncclComm_t comm, cudaStream_t stream)
{
    return post(comm, (struct Operation){ REDUCE, send, recv, count, type,
                                          op, root, false }, stream);
}

ncclResult_t ncclSend(const void *send, size_t count, ncclDataType_t type,
                      int peer, ncclComm_t comm, cudaStream_t stream)
{
    return post(comm, (struct Operation){ SEND, send, NULL, count, type,
                                          ncclSum, peer, false }, stream);
}

ncclResult_t ncclRecv(void *recv, size_t count, ncclDataType_t type,
                      int peer, ncclComm_t comm, cudaStream_t stream)
{
    return post(comm, (struct Operation){ RECV, NULL, recv, count, type,
                                          ncclSum, peer, false }, stream);
}
