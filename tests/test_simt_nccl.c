/* NCCL's calls for the devices of the software GPU: results, what the links
 * carried against the formulas of a ring, and misuse that must be refused. */
#include "rows.h"

#include "simt/include/nccl.h"

enum { RANKS = 4 };

static ncclComm_t comm[RANKS];

static void *device_array(int device, const void *from, size_t bytes)
{
    void *p = NULL;
    assert_int_equal(cudaSetDevice(device), cudaSuccess);
    assert_int_equal(cudaMalloc(&p, bytes), cudaSuccess);
    if (from)
        assert_int_equal(cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice),
                         cudaSuccess);
    return p;
}

static void fetch(void *to, const void *from, size_t bytes)
{
    assert_int_equal(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost),
                     cudaSuccess);
}

static void begin(int ranks)
{
    assert_int_equal(ncclCommInitAll(comm, ranks, NULL), ncclSuccess);
}

static void end(int ranks)
{
    for (int r = 0; r < ranks; r++)
        assert_int_equal(ncclCommDestroy(comm[r]), ncclSuccess);
}

enum { ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER, BROADCAST, REDUCE };

static ncclResult_t call(int kind, const float *send, float *recv, size_t n,
                         ncclRedOp_t op, int root, ncclComm_t c)
{
    switch (kind) {
    case ALL_REDUCE:
        return ncclAllReduce(send, recv, n, ncclFloat, op, c, 0);
    case REDUCE_SCATTER:
        return ncclReduceScatter(send, recv, n, ncclFloat, op, c, 0);
    case ALL_GATHER:
        return ncclAllGather(send, recv, n, ncclFloat, c, 0);
    case BROADCAST:
        return ncclBroadcast(send, recv, n, ncclFloat, root, c, 0);
    default:
        return ncclReduce(send, recv, n, ncclFloat, op, root, c, 0);
    }
}

static float number(int rank, size_t i)
{
    return (float)floor(50 * noise((uint64_t)rank + 3, i));
}

static float sum(int P, size_t i)
{
    float s = 0;
    for (int r = 0; r < P; r++)
        s += number(r, i);
    return s;
}

static float should_be(int kind, int P, int r, size_t n, size_t i, int root)
{
    switch (kind) {
    case ALL_REDUCE:     return sum(P, i);
    case REDUCE_SCATTER: return sum(P, (size_t)r * n + i);
    case ALL_GATHER:     return number((int)(i / n), i % n);
    case BROADCAST:      return number(root, i);
    default:             return r == root ? sum(P, i) : NAN;
    }
}

/* Bytes of the link from r to the next, by the formulas of a ring. */
static size_t formula(int kind, int P, int r, size_t n, int root)
{
    const size_t p = (size_t)P, q = (size_t)r, next = (q + 1) % p;
    const size_t mine = n * (q + 1) / p - n * q / p;
    const size_t theirs = n * (next + 1) / p - n * next / p;
    if (P == 1)
        return 0;
    switch (kind) {
    case ALL_REDUCE: return 4 * (2 * n - mine - theirs);
    case BROADCAST:  return next == (size_t)root ? 0 : 4 * n;
    case REDUCE:     return r == root ? 0 : 4 * n;
    default:         return 4 * n * (p - 1);
    }
}

static void collective(const struct Row *row, int kind)
{
    const int P = row_int(row, "P"), root = P - 1;
    const size_t n = (size_t)row_int(row, "n");
    const size_t sent = kind == REDUCE_SCATTER ? n * (size_t)P : n;
    const size_t got = kind == ALL_GATHER ? n * (size_t)P : n;
    float *send[RANKS], *recv[RANKS], *x = malloc(4 * (sent + got + 1));
    size_t before[RANKS];
    begin(P);
    for (int r = 0; r < P; r++) {
        for (size_t i = 0; i < sent; i++)
            x[i] = number(r, i);
        send[r] = device_array(r, x, 4 * sent);
        for (size_t i = 0; i < got; i++)
            x[i] = NAN;
        recv[r] = device_array(r, x, 4 * got);
        before[r] = simt_link_bytes(r, (r + 1) % P);
    }
    ncclGroupStart();
    for (int r = 0; r < P; r++)
        assert_int_equal(call(kind, send[r], recv[r], n, ncclSum, root,
                              comm[r]), ncclSuccess);
    assert_int_equal(ncclGroupEnd(), ncclSuccess);
    for (int r = 0; r < P; r++) {
        fetch(x, recv[r], 4 * got);
        for (size_t i = 0; i < got; i++) {
            const float s = should_be(kind, P, r, n, i, root);
            if (!(x[i] == s) && !(isnan(s) && isnan(x[i])))
                fail_msg("rank %d: [%zu] is %g, expected %g", r, i, x[i], s);
        }
        assert_int_equal(simt_link_bytes(r, (r + 1) % P) - before[r],
                         formula(kind, P, r, n, root));
        cudaSetDevice(r);
        cudaFree(send[r]);
        cudaFree(recv[r]);
    }
    free(x);
    end(P);
}

static void all_reduce(const struct Row *row) { collective(row, ALL_REDUCE); }
static void scatter(const struct Row *row) { collective(row, REDUCE_SCATTER); }
static void gather(const struct Row *row) { collective(row, ALL_GATHER); }
static void broadcast(const struct Row *row) { collective(row, BROADCAST); }
static void reduce(const struct Row *row) { collective(row, REDUCE); }

/* Source and destination are one array. */
static void in_place(const struct Row *row)
{
    const float x[4][4] = { { 1, 2, 3, 4 }, { 10, 20, 30, 40 },
                            { 100, 200, 300, 400 },
                            { 1000, 2000, 3000, 4000 } };
    float *p[RANKS], y[4];
    (void)row;
    begin(RANKS);
    for (int r = 0; r < RANKS; r++)
        p[r] = device_array(r, x[r], sizeof x[r]);
    ncclGroupStart();
    for (int r = 0; r < RANKS; r++)
        ncclReduceScatter(p[r], p[r] + r, 1, ncclFloat, ncclSum, comm[r], 0);
    for (int r = 0; r < RANKS; r++)
        ncclAllGather(p[r] + r, p[r], 1, ncclFloat, comm[r], 0);
    assert_int_equal(ncclGroupEnd(), ncclSuccess);
    for (int r = 0; r < RANKS; r++) {
        fetch(y, p[r], sizeof y);
        for (int i = 0; i < 4; i++)
            assert_float_equal(y[i], 1111 * (i + 1), 0);
    }
    end(RANKS);
}

/* The other operations and types, on two ranks with -2 and 3. */
static void operations(const struct Row *row)
{
    static const float expected[] = { 1, -6, 3, -2, 0.5f };
    (void)row;
    begin(2);
    for (int op = ncclSum; op < ncclNumOps; op++) {
        const float a[2] = { -2, NAN }, b[2] = { 3, 1 };
        float *p = device_array(0, a, 8), *q = device_array(1, b, 8), y[2];
        ncclGroupStart();
        ncclAllReduce(p, p, 2, ncclFloat, (ncclRedOp_t)op, comm[0], 0);
        ncclAllReduce(q, q, 2, ncclFloat, (ncclRedOp_t)op, comm[1], 0);
        assert_int_equal(ncclGroupEnd(), ncclSuccess);
        fetch(y, q, 8);
        if (!(y[0] == expected[op]) || !isnan(y[1]))
            fail_msg("operation %d: %g and %g, expected %g and NaN", op,
                     y[0], y[1], expected[op]);
    }
    const int64_t c = -2, d = 3;
    int64_t z;
    void *p = device_array(0, &c, 8), *q = device_array(1, &d, 8);
    ncclGroupStart();
    ncclAllReduce(p, p, 1, ncclInt64, ncclMax, comm[0], 0);
    ncclAllReduce(q, q, 1, ncclInt64, ncclMax, comm[1], 0);
    assert_int_equal(ncclGroupEnd(), ncclSuccess);
    fetch(&z, p, 8);
    assert_int_equal(z, 3);
    const uint16_t one = 0x3f80, two = 0x4000;      /* bf16 */
    uint16_t three;
    p = device_array(0, &one, 2), q = device_array(1, &two, 2);
    ncclGroupStart();
    ncclAllReduce(p, p, 1, ncclBfloat16, ncclSum, comm[0], 0);
    ncclAllReduce(q, q, 1, ncclBfloat16, ncclSum, comm[1], 0);
    assert_int_equal(ncclGroupEnd(), ncclSuccess);
    fetch(&three, p, 2);
    assert_int_equal(three, 0x4040);
    end(2);
}

/* Each rank sends its number to the next; one sends to itself, too. */
static void messages(const struct Row *row)
{
    float *p[RANKS], *q[RANKS], y;
    (void)row;
    begin(RANKS);
    for (int r = 0; r < RANKS; r++) {
        const float x = (float)r;
        p[r] = device_array(r, &x, 4);
        q[r] = device_array(r, NULL, 8);
    }
    const size_t before = simt_link_messages(1, 2);
    ncclGroupStart();
    for (int r = 0; r < RANKS; r++) {
        ncclSend(p[r], 1, ncclFloat, (r + 1) % RANKS, comm[r], 0);
        ncclRecv(q[r], 1, ncclFloat, (r + RANKS - 1) % RANKS, comm[r], 0);
    }
    ncclSend(p[2], 1, ncclFloat, 2, comm[2], 0);
    ncclRecv(q[2] + 1, 1, ncclFloat, 2, comm[2], 0);
    assert_int_equal(ncclGroupEnd(), ncclSuccess);
    for (int r = 0; r < RANKS; r++) {
        fetch(&y, q[r], 4);
        assert_float_equal(y, (float)((r + RANKS - 1) % RANKS), 0);
    }
    fetch(&y, q[2] + 1, 4);
    assert_float_equal(y, 2, 0);
    assert_int_equal(simt_link_messages(1, 2) - before, 1);
    assert_int_equal(simt_link_messages(2, 2), 0);
    end(RANKS);
}

static void said(ncclResult_t is, ncclResult_t should, const char *words)
{
    if (is != should || !strstr(ncclGetLastError(NULL), words))
        fail_msg("%s: \"%s\", expected \"%s\"", ncclGetErrorString(is),
                 ncclGetLastError(NULL), words);
}

static void refused(const struct Row *row)
{
    float *p[2], x[4] = { 0 };
    ncclUniqueId id;
    ncclComm_t c;
    (void)row;
    begin(2);
    for (int r = 0; r < 2; r++)
        p[r] = device_array(r, x, sizeof x);
    said(ncclAllReduce(p[0], p[0], 4, ncclFloat, ncclSum, comm[0], 0),
         ncclInvalidUsage, "rank 1 of 2 does not call it in this group");
    said(ncclAllReduce(p[1], p[1], 4, ncclFloat, ncclSum, comm[0], 0),
         ncclInvalidArgument, "is memory of device 1, and the rank is on "
         "device 0");
    said(ncclAllReduce(p[0], p[0], 5, ncclFloat, ncclSum, comm[0], 0),
         ncclInvalidArgument, "are not in one allocation");
    said(ncclAllReduce(x, x, 4, ncclFloat, ncclSum, comm[0], 0),
         ncclInvalidArgument, "are not in one allocation");
    said(ncclBroadcast(p[0], p[0], 4, ncclFloat, 2, comm[0], 0),
         ncclInvalidArgument, "out of range");
    said(ncclAllReduce(p[0], p[0], 4, ncclFloat, ncclSum, NULL, 0),
         ncclInvalidArgument, "communicator is NULL");
    ncclGroupStart();
    ncclAllReduce(p[0], p[0], 4, ncclFloat, ncclSum, comm[0], 0);
    ncclAllReduce(p[1], p[1], 3, ncclFloat, ncclSum, comm[1], 0);
    said(ncclGroupEnd(), ncclInvalidUsage, "ncclAllReduce of 4, rank 1 "
         "ncclAllReduce of 3");
    ncclGroupStart();
    ncclSend(p[0], 4, ncclFloat, 1, comm[0], 0);
    ncclRecv(p[1], 3, ncclFloat, 0, comm[1], 0);
    said(ncclGroupEnd(), ncclInvalidUsage, "16 bytes are sent and 12");
    said(ncclRecv(p[1], 3, ncclFloat, 0, comm[1], 0), ncclInvalidUsage,
         "there is no ncclSend for it");
    said(ncclGroupEnd(), ncclInvalidUsage, "no group was begun");
    ncclGetUniqueId(&id);
    cudaSetDevice(0);
    assert_int_equal(ncclCommInitRank(&c, 2, id, 0), ncclSuccess);
    said(ncclCommInitRank(&comm[2], 2, id, 1), ncclInvalidUsage,
         "both on device 0");
    said(ncclAllReduce(p[0], p[0], 4, ncclFloat, ncclSum, c, 0),
         ncclInvalidUsage, "has no communicator in this process");
    ncclCommDestroy(c);
    end(2);
}

int main(void)
{
    static const struct Row rows[] = {
        { "all_reduce P=4 n=1003", all_reduce, "chunks taken for equal" },
        { "all_reduce P=3 n=2", all_reduce, "fewer numbers than ranks" },
        { "all_reduce P=1 n=5", all_reduce, "one rank refused" },
        { "reduce_scatter P=4 n=33", scatter, "the chunk of the rank before" },
        { "all_gather P=3 n=33", gather, "chunks stored in the order of the sender" },
        { "broadcast P=4 n=33", broadcast, "the root taken for rank 0" },
        { "reduce P=3 n=33", reduce, "a result in every rank" },
        { "in place", in_place, "a source that is overwritten too early" },
        { "operations", operations, "a maximum that loses NaN, unsigned comparison" },
        { "messages", messages, "a message to itself counted for a link" },
        { "refused", refused, "a program that would hang or read another device" },
    };
    setenv("SIMT_DEVICES", "4", 1);
    setenv("SIMT_CHECK", "memory,init", 1);     /* rows keep their arrays */
    return rows_run("simt_nccl", rows, sizeof rows / sizeof *rows);
}
