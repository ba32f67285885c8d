/* Tangled from chapters/workshop/ranks.nw, "Collectives by NCCL".  Edit it there. */

/* Collectives by NCCL, for programs that nvcc compiles. */
#ifdef WITH_NCCL
#include <nccl.h>
#endif
#include <stdlib.h>
#include <unistd.h>
#include "backend/backend.h"
#include "backend/cuda_stream.cuh"
extern "C" {
#include "base/clock.h"
}
#include "dist/dist.h"
#include "dist/hub.h"

#ifdef WITH_NCCL

/* `struct Nccl` */
struct Nccl {
    ncclComm_t comm;
    cudaStream_t stream;                /* of the collectives */
    cudaEvent_t ready, done, all;
    bool asked;                         /* something since the last join */
};

static struct Nccl *nccl_of(struct Dist *d)
{
    return (struct Nccl *)d->state;
}


/* check a call of NCCL */
/* False, with the rank, if another one is gone within a second. */
static bool others_are_here(struct Dist *d, struct Error *e)
{
    const double until = now_s() + 1;
    do {
        if (!hub_alive(d->hub, e))
            return false;
        usleep(10000);
    } while (now_s() < until);
    return true;
}

#define NCCL_TRY(d, call) nccl_try(d, call, #call, __FILE__, __LINE__)

static bool nccl_try(struct Dist *d, ncclResult_t r, const char *call,
                     const char *file, int line)
{
    if (r == ncclSuccess || r == ncclInProgress)
        return true;
    struct Error e;
    if (!others_are_here(d, &e)) {
        backend_failed("%s", e.text);
        return false;
    }
    const char *why = ncclGetLastError(d->state ? nccl_of(d)->comm : NULL);
    backend_failed("%s:%d: %s: %s; %s", file, line, call,
                   ncclGetErrorString(r), why ? why : "");
    return false;
}


/* make a communicator of NCCL */
static bool make_streams(struct Nccl *n)
{
    int low, high;
    return CUDA_TRY(cudaDeviceGetStreamPriorityRange(&low, &high))
        && CUDA_TRY(cudaStreamCreateWithPriority(&n->stream,
                                      cudaStreamNonBlocking, high))
        && CUDA_TRY(cudaEventCreateWithFlags(&n->ready,
                                             cudaEventDisableTiming))
        && CUDA_TRY(cudaEventCreateWithFlags(&n->done,
                                             cudaEventDisableTiming))
        && CUDA_TRY(cudaEventCreateWithFlags(&n->all,
                                             cudaEventDisableTiming));
}


static bool nccl_open(struct Dist *d, struct Error *e)
{
    ncclUniqueId id = {};
    ncclUniqueId *all = (ncclUniqueId *)calloc(d->world, sizeof id);
    struct Nccl *n = (struct Nccl *)calloc(1, sizeof *n);
    d->state = n;
    if (!all || !n)
        return error_set(e, "no memory for a communicator");
    bool good = (d->rank > 0 || NCCL_TRY(d, ncclGetUniqueId(&id)))
             && hub_exchange(d->hub, all, &id, sizeof id, e);
    if (good)
        good = NCCL_TRY(d, ncclCommInitRank(&n->comm, d->world, all[0],
                                            d->rank)) && make_streams(n);
    free(all);
    return good && backend_ok(e);
}


static void nccl_close(struct Dist *d)
{
    struct Nccl *n = nccl_of(d);
    if (n->comm)
        NCCL_TRY(d, ncclCommDestroy(n->comm));
    if (n->stream)
        CUDA_TRY(cudaStreamDestroy(n->stream));
    for (cudaEvent_t e : { n->ready, n->done, n->all })
        if (e)
            CUDA_TRY(cudaEventDestroy(e));
    free(n);
}

/* Kernels that wait for a rank that is gone end with this. */
static void nccl_abort(struct Dist *d)
{
    struct Nccl *n = nccl_of(d);
    if (n && n->comm)
        ncclCommAbort(n->comm);
    if (n)
        n->comm = NULL;
}


/* order the stream of NCCL and the backend */
static bool begin(struct Dist *d)
{
    struct Nccl *n = nccl_of(d);
    n->asked = true;
    return backend_ok(NULL)
        && CUDA_TRY(cudaEventRecord(n->ready, backend_stream()))
        && CUDA_TRY(cudaStreamWaitEvent(n->stream, n->ready, 0));
}

static void nccl_join(struct Dist *d)
{
    struct Nccl *n = nccl_of(d);
    if (!n->asked || !backend_ok(NULL))
        return;
    CUDA_TRY(cudaEventRecord(n->done, n->stream));
    CUDA_TRY(cudaStreamWaitEvent(backend_stream(), n->done, 0));
    n->asked = false;
}


/* ask NCCL for a collective */
static void nccl_all_reduce(struct Dist *d, real *p, size_t n)
{
    if (begin(d))
        NCCL_TRY(d, ncclAllReduce(p, p, n, ncclFloat, ncclSum,
                                  nccl_of(d)->comm, nccl_of(d)->stream));
}

static void nccl_reduce_scatter(struct Dist *d, real *part, const real *p,
                                size_t n)
{
    if (begin(d))
        NCCL_TRY(d, ncclReduceScatter(p, part, n, ncclFloat, ncclSum,
                                      nccl_of(d)->comm,
                                      nccl_of(d)->stream));
}

static void nccl_all_gather(struct Dist *d, void *p, size_t bytes)
{
    if (begin(d))
        NCCL_TRY(d, ncclAllGather((char *)p + d->rank * bytes, p, bytes,
                                  ncclChar, nccl_of(d)->comm,
                                  nccl_of(d)->stream));
}


static void nccl_all_to_all(struct Dist *d, void *to, const void *from,
                            size_t bytes)
{
    struct Nccl *n = nccl_of(d);
    if (!begin(d) || !NCCL_TRY(d, ncclGroupStart()))
        return;
    for (int r = 0; r < d->world; r++) {
        NCCL_TRY(d, ncclSend((const char *)from + r * bytes, bytes,
                             ncclChar, r, n->comm, n->stream));
        NCCL_TRY(d, ncclRecv((char *)to + r * bytes, bytes, ncclChar, r,
                             n->comm, n->stream));
    }
    NCCL_TRY(d, ncclGroupEnd());
}


/* wait for the GPU and look for ranks that are gone */
static bool nccl_failed(struct Dist *d, struct Error *e)
{
    ncclResult_t r = ncclSuccess;
    if (ncclCommGetAsyncError(nccl_of(d)->comm, &r) == ncclSuccess
        && (r == ncclSuccess || r == ncclInProgress))
        return false;
    error_set(e, "step %lld: NCCL: %s", (long long)d->hub->step,
              ncclGetErrorString(r));
    return true;
}


static bool nccl_wait(struct Dist *d, struct Error *e)
{
    enum { LOOKS = 2000,                /* at the event, then at peers */
           ROLL_S = 5 };                /* for the others to answer */
    struct Nccl *n = nccl_of(d);
    const double until = now_s() + d->hub->timeout_s;
    if (!backend_ok(e)
        || !CUDA_TRY(cudaEventRecord(n->all, backend_stream())))
        return backend_ok(e);
    for (int i = 1; ; i++) {
        const cudaError_t r = cudaEventQuery(n->all);
        if (r == cudaSuccess)
            return true;
        if (r != cudaErrorNotReady)
            return others_are_here(d, e) && (CUDA_TRY(r) || backend_ok(e));
        if (i % LOOKS)
            continue;
        if (!hub_alive(d->hub, e) || nccl_failed(d, e))
            return false;
        if (now_s() > until)
            return hub_roll_call(d->hub, d->hub->timeout_s, ROLL_S, e);
    }
}


/* the table of the collectives by NCCL */
extern "C" const struct DistCalls dist_nccl = {
    "NCCL", true, nccl_open, nccl_close, nccl_all_reduce,
    nccl_reduce_scatter, nccl_all_gather, nccl_all_to_all, nccl_join,
    nccl_wait, nccl_abort,
};


/* say that a program has no NCCL */
#else
static bool without(struct Dist *d, struct Error *e)
{
    (void)d;
    return error_set(e, "this program was compiled without NCCL, which "
                     "several GPUs need: install it (libnccl-dev) and run "
                     "make again, or make NCCL=FOLDER, where "
                     "FOLDER/include/nccl.h is");
}

static void nothing(struct Dist *d)
{
    (void)d;
}

extern "C" const struct DistCalls dist_nccl = {
    "no NCCL", false, without, nothing,
};
#endif
