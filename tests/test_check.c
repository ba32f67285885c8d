/* The sanitizer, fed with accesses that no kernel made.  A row is a story in
 * steps separated by ';' and the reports it must lead to, each as
 * "kind LINE" or "race LINE with LINE".  The steps:
 *
 *   launch W B        a launch: blocks of W warps, B bytes of shared memory
 *   next              its next block
 *   barrier           __syncthreads
 *   wN sync MASK      __syncwarp by warp N, hexadecimal mask
 *   wN alive MASK     the other lanes have returned
 *   wN fence          __threadfence, by all lanes; wN block: _block
 *   wN commit         cp.async.commit_group
 *   wN wait G         cp.async.wait_group G
 *   wN OP S B+D xZ MASK @LINE
 *                     lane l of warp N touches Z bytes at B + D l in space
 *                     S: s shared, g global, l local
 *                     OP: ld, st (lanes store their own numbers), sc (all
 *                     store the same), at (atomic), ex (atomicExch), cp
 *                     (cp.async to S, from byte 0 on of global memory), lm
 *                     (ldmatrix.x4), vl, vs (volatile), ca (atomicCAS),
 *                     rs, rb (st.release for the device, for the block)
 *   cas               the kernel has an atomicCAS; before its launch
 *   written           the host fills global memory
 *   copies            the host reads it back
 */
#include "simt/sanitizer/check.h"
#include "simt/executor/execute.h"
#include "simt/sanitizer/shadow.h"

#include "rows.h"

enum { GLOBAL = 1 << 16, SHARED = 8192, LINES = 100 };

static struct Instruction code[LINES];
static const char *file = "k.cu";
static struct Kernel kernel = {
    .name = "_Z5storyPf", .code = code, .instructions = LINES,
    .files = &file, .n_files = 1, .local_bytes = 64,
};
static struct Launch launch;
static struct Block block;
static struct Warp warps[4];
static uint32_t registers[4][256];
static unsigned char shared[SHARED];
static uint64_t global;
static char told[4000];

/* "k.cu:7: race: ... at k.cu:5.  Do ..." -> "race 7 with 5; " */
static void listen(const char *report)
{
    char text[3000];            /* with every space and newline one space */
    size_t length = 0;
    for (const char *p = report; *p && length + 1 < sizeof text; p++)
        if (*p != ' ' && *p != '\n')
            text[length++] = *p;
        else if (length && text[length - 1] != ' ')
            text[length++] = ' ';
    text[length] = 0;
    int line = 0, other = 0;
    char kind[40] = "";
    const char *at = strstr(text, " at k.cu:");
    sscanf(text, "k.cu:%d: %39[^:]", &line, kind);
    if (!line)
        sscanf(text, "the host: %39[^:]", kind);
    size_t n = strlen(told);
    if (at && sscanf(at, " at k.cu:%d", &other) == 1)
        snprintf(told + n, sizeof told - n, "%s %d with %d; ", kind, line,
                 other);
    else
        snprintf(told + n, sizeof told - n, "%s %d; ", kind, line);
}

static void start_block(void)
{
    for (int i = 0; i < block.warps; i++)
        warps[i] = (struct Warp){ .block = &block, .index = i,
                                  .active = ALL_LANES, .alive = ALL_LANES,
                                  .file = registers[i] };
    check_block_begin(&block);
}

static void start(int n_warps, int shared_bytes)
{
    launch = (struct Launch){ .kernel = &kernel, .grid = { 1000, 1, 1 },
                              .block = { 32u * (unsigned)n_warps, 1, 1 },
                              .cluster = { 1, 1, 1 },
                              .number = launch.number + 1, .check = true };
    block = (struct Block){ .launch = &launch, .shared = shared,
                            .shared_bytes = (size_t)shared_bytes,
                            .threads = 32 * n_warps, .warps = n_warps,
                            .warp = warps };
    static struct Cluster alone;
    alone = (struct Cluster){ .launch = &launch, .n = 1, .block = &block };
    block.cluster = &alone;
    check_launch_begin(&launch);
    start_block();
}

/* What the executor would do with a store: move the data. */
static void move(const struct Access *a, const struct Warp *w)
{
    for (int l = 0; l < LANES; l++) {
        unsigned char *to = a->space == SPACE_SHARED
            ? shared + a->address[l] : memory_bytes(a->address[l]);
        for (int k = 0; a->lanes >> l & 1 && k < a->size; k += 4)
            memcpy(to + k, w->file + l, a->size < 4 ? (size_t)a->size : 4);
    }
}

static void access(struct Warp *w, const char *op, char space, long base,
                   long step, int size, uint32_t lanes, int line)
{
    struct Access a = {
        .kind = ACCESS_LOAD, .lanes = lanes, .size = size, .matrices = 4,
        .space = space == 's' ? SPACE_SHARED
               : space == 'g' ? SPACE_GLOBAL : SPACE_LOCAL,
        .contiguous = step == size, .uniform = step == 0,
    };
    bool same = strcmp(op, "sc") == 0, cas = strcmp(op, "ca") == 0;
    bool release = *op == 'r';
    bool store = same || release || *op == 's' || strcmp(op, "vs") == 0;
    if (store)
        a.kind = ACCESS_STORE;
    else if (strcmp(op, "at") == 0 || strcmp(op, "ex") == 0 || cas)
        a.kind = ACCESS_RED;
    else if (strcmp(op, "cp") == 0)
        a.kind = ACCESS_ASYNC_CG;
    else if (strcmp(op, "lm") == 0)
        a.kind = ACCESS_LDMATRIX;
    a.atomic = strcmp(op, "ex") ? ATOMIC_ADD : ATOMIC_EXCH;
    for (int l = 0; l < LANES; l++) {
        uint64_t at = (uint64_t)(base + step * l);
        bool copy = a.kind == ACCESS_ASYNC_CG;
        a.address[l] = copy ? global + (uint64_t)(size * l)
                            : space == 'g' ? global + at : at;
        a.to[l] = at;
        a.bytes[l] = (uint8_t)size;
        w->file[l] = same ? 7 : (uint32_t)(32 * w->index + l + 100);
        if (space == 's' && at + (unsigned)size > block.shared_bytes)
            a.illegal |= lanes & 1u << l;
        if (space == 'g' && !memory_holds(a.address[l], (size_t)size))
            a.illegal |= lanes & 1u << l;
        if (at % (unsigned)size)
            a.misaligned |= lanes & 1u << l;
    }
    code[line] = (struct Instruction){ .line = line, .access = a.kind,
                                       .width = 1, .size = size,
                                       .op = cas ? OP_CAS : OP_NONE,
                                       .b = { 0 } };
    code[line].flags = (*op == 'v' || release ? FLAG_STRONG : 0)
                       | (release ? FLAG_RELEASE : 0)
                       | (strcmp(op, "rb") == 0 ? FLAG_BLOCK : 0);
    w->pc = line;
    a.lanes = check_access(w, &a);
    if (store && a.space != SPACE_LOCAL)
        move(&a, w);
}

static void step(const char *s)
{
    int n = 0, w = 0, size = 0, line = 0;
    long base = 0, by = 0;
    unsigned lanes = 0;
    char op[8] = "", space = 0;
    if (sscanf(s, "launch %d %d", &n, &size) == 2)
        start(n, size);
    else if (strcmp(s, "next") == 0) {
        check_block_end(&block);
        block.linear = ++block.index.x;
        start_block();
    } else if (strcmp(s, "barrier") == 0)
        check_barrier(&block);
    else if (strcmp(s, "written") == 0)
        check_host_wrote(global, GLOBAL);
    else if (strcmp(s, "copies") == 0)
        check_host_reads(global, GLOBAL);
    else if (sscanf(s, "w%d sync %x", &w, &lanes) == 2)
        check_warp_sync(&warps[w], lanes);
    else if (sscanf(s, "w%d alive %x", &w, &lanes) == 2)
        warps[w].alive = lanes;
    else if (sscanf(s, "w%d wait %d", &w, &n) == 2)
        check_async_wait(&warps[w], n);
    else if (sscanf(s, "w%d %7s %c %ld+%ld x%d %x @%d", &w, op, &space,
                    &base, &by, &size, &lanes, &line) == 8)
        access(&warps[w], op, space, base, by, size, lanes, line);
    else if (sscanf(s, "w%d %7s", &w, op) == 2 && strcmp(op, "commit") == 0)
        check_async_commit(&warps[w]);
    else if (strcmp(s, "cas") == 0)
        code[LINES - 1].op = OP_CAS;
    else if (sscanf(s, "w%d %7s", &w, op) == 2 && strcmp(op, "block") == 0)
        check_fence(&warps[w], ALL_LANES, false);
    else if (sscanf(s, "w%d %7s", &w, op) == 2 && strcmp(op, "fence") == 0)
        check_fence(&warps[w], ALL_LANES, true);
    else
        fail_msg("no such step: '%s'", s);
}

static const struct Story { const char *name, *steps, *reports; } stories[] = {
#define ALL "ffffffff"
/* ---- shared memory, between warps ---- */
{ "silent: each thread its own word",
  "launch 2 1024; w0 st s 0+4 x4 " ALL " @1; w1 st s 128+4 x4 " ALL " @1;"
  "w0 ld s 0+4 x4 " ALL " @2; w1 ld s 128+4 x4 " ALL " @2", "" },
{ "read after write, no barrier",
  "launch 2 1024; w0 st s 0+4 x4 " ALL " @5; w1 ld s 0+4 x4 " ALL " @7",
  "race 7 with 5; " },
{ "read after write, barrier",
  "launch 2 1024; w0 st s 0+4 x4 " ALL " @5; barrier;"
  "w1 ld s 0+4 x4 " ALL " @7", "" },
{ "write after read, no barrier",
  "launch 2 1024; w0 st s 0+4 x4 " ALL " @5; barrier;"
  "w0 ld s 0+4 x4 " ALL " @6; w1 st s 0+4 x4 " ALL " @7",
  "race 7 with 6; " },
{ "write after write, no barrier",
  "launch 2 1024; w0 st s 0+4 x4 " ALL " @5; w1 st s 0+4 x4 " ALL " @7",
  "race 7 with 5; " },
{ "write after write of the same value",
  "launch 2 1024; w0 sc s 0+4 x4 " ALL " @5; w1 sc s 0+4 x4 " ALL " @7",
  "" },
{ "write after two readers, the second of which is the writer",
  "launch 2 1024; w0 st s 0+4 x4 " ALL " @4; barrier;"
  "w0 ld s 0+4 x4 " ALL " @5; w1 ld s 0+4 x4 " ALL " @6;"
  "w1 st s 0+4 x4 " ALL " @7", "race 7 with 5; " },
{ "the reader of an earlier era does not count",
  "launch 2 1024; w0 st s 0+4 x4 " ALL " @4; barrier;"
  "w0 ld s 0+4 x4 " ALL " @5; barrier; w1 st s 0+4 x4 " ALL " @7", "" },
{ "a barrier orders, the next block starts afresh",
  "launch 2 1024; w0 st s 0+4 x4 " ALL " @4; next;"
  "w1 st s 0+4 x4 " ALL " @5; barrier; w0 ld s 0+4 x4 " ALL " @6", "" },
{ "scattered: column written, row read, no barrier",
  "launch 2 8192; w0 st s 0+132 x4 " ALL " @5; w1 ld s 0+4 x4 1 @7",
  "race 7 with 5; " },
{ "scattered words, no race",
  "launch 2 8192; w0 st s 0+132 x4 " ALL " @5; w1 st s 4+132 x4 " ALL " @6;"
  "barrier; w1 ld s 0+132 x4 " ALL " @7; w0 ld s 4+132 x4 " ALL " @8", "" },
{ "one word read by all, then written by another warp",
  "launch 2 1024; w0 st s 0+4 x4 1 @5; barrier; w0 ld s 0+0 x4 " ALL " @6;"
  "w1 st s 0+4 x4 1 @7", "race 7 with 6; " },
{ "float4 beside float: one word of four",
  "launch 2 1024; w0 st s 0+16 x16 " ALL " @5; w1 ld s 60+4 x4 1 @7",
  "race 7 with 5; " },
{ "double against the upper half",
  "launch 2 1024; w0 st s 0+8 x8 " ALL " @5; w1 ld s 4+8 x4 " ALL " @7",
  "race 7 with 5; " },
{ "misplaced row across two lines of shadow",
  "launch 2 1024; w0 st s 64+4 x4 " ALL " @5; w1 ld s 128+4 x4 ffff @7",
  "race 7 with 5; " },
{ "neighbours across two lines of shadow",
  "launch 2 1024; w0 st s 64+4 x4 " ALL " @5; w1 st s 192+4 x4 " ALL " @7",
  "" },
/* ---- within a warp ---- */
{ "neighbour's word without syncwarp",
  "launch 1 1024; w0 st s 0+4 x4 " ALL " @5; w0 ld s 4+4 x4 7fffffff @7",
  "race 7 with 5; " },
{ "neighbour's word after syncwarp",
  "launch 1 1024; w0 st s 0+4 x4 " ALL " @5; w0 sync " ALL ";"
  "w0 ld s 4+4 x4 7fffffff @7", "" },
{ "a sync of the lower half, and the upper has returned",
  "launch 1 1024; w0 st s 0+4 x4 " ALL " @5; w0 alive ffff; w0 sync ffff;"
  "w0 ld s 64+4 x4 ffff @6", "race 6 with 5; " },
{ "syncwarp is no barrier for others",
  "launch 2 1024; w0 st s 0+4 x4 " ALL " @5; w0 sync " ALL ";"
  "w1 sync " ALL "; w1 ld s 0+4 x4 " ALL " @7", "race 7 with 5; " },
{ "half a warp synchronises, the other half reads",
  "launch 1 1024; w0 st s 0+4 x4 " ALL " @5; w0 sync ffff;"
  "w0 ld s 0+4 x4 ffff @6; w0 ld s 4+4 x4 ffff @7", "race 7 with 5; " },
{ "half a warp synchronises and reads within the half",
  "launch 1 1024; w0 st s 0+4 x4 " ALL " @5; w0 sync ffff;"
  "w0 ld s 4+4 x4 7fff @7", "" },
{ "order passes from half to half",
  "launch 1 1024; w0 st s 0+4 x4 1 @5; w0 sync 3; w0 sync 6;"
  "w0 ld s 0+0 x4 4 @7", "" },
{ "order does not pass backwards",
  "launch 1 1024; w0 st s 0+4 x4 4 @5; w0 sync 3; w0 sync 6;"
  "w0 ld s 8+0 x4 1 @7", "race 7 with 5; " },
{ "all read one word, then the last lane writes it",
  "launch 1 1024; w0 st s 0+0 x4 80000000 @5; w0 sync " ALL ";"
  "w0 ld s 0+0 x4 " ALL " @6; w0 st s 0+0 x4 80000000 @7",
  "race 7 with 6; " },
{ "all read one word, then the first lane writes it",
  "launch 1 1024; w0 st s 0+0 x4 1 @5; w0 sync " ALL ";"
  "w0 ld s 0+0 x4 " ALL " @6; w0 st s 0+0 x4 1 @7", "race 7 with 6; " },
{ "one instruction, one place, two values",
  "launch 1 1024; w0 st s 0+0 x4 3 @5", "race 5 with 5; " },
{ "one instruction, one place, one value",
  "launch 1 1024; w0 sc s 0+0 x4 " ALL " @5", "" },
{ "two syncs, the second of one half",
  "launch 1 1024; w0 st s 0+4 x4 " ALL " @5; w0 sync " ALL ";"
  "w0 sync ffff; w0 ld s 64+4 x4 ffff @6", "" },
/* ---- bytes and halves ---- */
{ "bytes of one word by four lanes",
  "launch 1 1024; w0 st s 0+1 x1 " ALL " @5", "" },
{ "bytes of one word by two warps",
  "launch 2 1024; w0 st s 0+4 x1 " ALL " @5; w1 st s 1+4 x1 " ALL " @6",
  "" },
{ "a byte by two warps",
  "launch 2 1024; w0 st s 0+1 x1 " ALL " @5; w1 ld s 31+1 x1 1 @6",
  "race 6 with 5; " },
{ "halves: own, then the neighbour's",
  "launch 2 1024; w0 st s 0+2 x2 " ALL " @5; w1 st s 64+2 x2 " ALL " @5;"
  "w1 ld s 62+2 x2 1 @6", "race 6 with 5; " },
{ "word written, its upper half read by another warp",
  "launch 2 1024; w0 st s 0+4 x4 " ALL " @5; w1 ld s 2+4 x2 " ALL " @6",
  "race 6 with 5; " },
{ "byte written, the word around it read by another warp",
  "launch 2 1024; w0 st s 0+4 x4 1 @4; barrier; w0 st s 3+4 x1 1 @5;"
  "w1 ld s 0+4 x4 1 @6", "race 6 with 5; " },
{ "byte written, the half beside it read",
  "launch 2 1024; w0 st s 0+4 x4 1 @4; barrier; w0 st s 3+4 x1 1 @5;"
  "w1 ld s 0+4 x2 1 @6", "" },
{ "halves first, then bytes of the same words",
  "launch 2 1024; w0 st s 0+2 x2 " ALL " @4; w0 st s 0+1 x1 1 @5;"
  "w1 ld s 2+1 x1 1 @6", "race 6 with 4; " },
{ "split words forget the launch before",
  "launch 1 1024; written; w0 st g 0+1 x1 " ALL " @5; launch 1 1024;"
  "w0 ld g 4+4 x4 1 @6; w0 st g 4+4 x4 1 @7", "" },
/* ---- atomics ---- */
{ "atomics of all lanes on one word",
  "launch 2 1024; w0 st s 0+0 x4 1 @4; barrier; w0 at s 0+0 x4 " ALL " @5;"
  "w1 at s 0+0 x4 " ALL " @5", "" },
{ "set by thread 0, then atomics, no barrier",
  "launch 2 1024; w0 st s 0+0 x4 1 @4; w0 at s 0+0 x4 1 @5;"
  "w1 at s 0+0 x4 1 @5", "race 5 with 4; " },
{ "read while others add",
  "launch 2 1024; w0 st s 0+0 x4 1 @4; barrier; w0 at s 0+0 x4 1 @5;"
  "w1 ld s 0+0 x4 1 @6", "race 6 with 5; " },
{ "added by all, then read by the one that added last",
  "launch 2 1024; w0 st s 0+0 x4 1 @4; barrier; w0 at s 0+0 x4 1 @5;"
  "w1 at s 0+0 x4 1 @5; w1 ld s 0+0 x4 1 @6", "race 6 with 5; " },
{ "added, barrier, read",
  "launch 2 1024; w0 st s 0+0 x4 1 @4; barrier; w0 at s 0+0 x4 1 @5;"
  "barrier; w1 ld s 0+0 x4 " ALL " @6", "" },
{ "written over while others add",
  "launch 1 1024; written; w0 at g 0+0 x4 1 @4; next;"
  "w0 st g 0+0 x4 1 @5", "race 5 with 4; " },
/* ---- global memory ---- */
{ "all blocks read, each writes its own",
  "launch 1 0; written; w0 ld g 0+4 x4 " ALL " @4; w0 st g 4096+4 x4 " ALL
  " @5; next; w0 ld g 0+4 x4 " ALL " @4; w0 st g 4224+4 x4 " ALL " @5", "" },
{ "written by one block, read by the next",
  "launch 1 0; written; w0 st g 0+4 x4 " ALL " @4; next;"
  "w0 ld g 0+4 x4 " ALL " @5", "race 5 with 4; " },
{ "read by one block, written by the next",
  "launch 1 0; written; w0 ld g 0+4 x4 " ALL " @4; next;"
  "w0 st g 0+4 x4 " ALL " @5", "race 5 with 4; " },
{ "read by two blocks, written by the second",
  "launch 1 0; written; w0 ld g 0+4 x4 " ALL " @4; next;"
  "w0 ld g 0+4 x4 " ALL " @5; w0 st g 0+4 x4 " ALL " @6",
  "race 6 with 4; " },
{ "another launch is another day",
  "launch 1 0; written; w0 st g 0+4 x4 " ALL " @4; launch 1 0;"
  "w0 ld g 4+4 x4 " ALL " @5; w0 st g 0+4 x4 " ALL " @6", "race 6 with 5; " },
{ "another launch, the same words",
  "launch 1 0; written; w0 st g 0+4 x4 " ALL " @4; launch 1 0; next;"
  "w0 ld g 0+4 x4 " ALL " @5; w0 st g 0+4 x4 " ALL " @6", "" },
{ "barriers do not order blocks",
  "launch 2 0; written; w0 st g 0+4 x4 " ALL " @4; barrier; next; barrier;"
  "w0 ld g 0+4 x4 " ALL " @5", "race 5 with 4; " },
{ "a barrier orders the block's own global words",
  "launch 2 0; written; w0 st g 0+4 x4 " ALL " @4; barrier;"
  "w1 ld g 0+4 x4 " ALL " @5", "" },
{ "no barrier, global words of one block",
  "launch 2 0; written; w0 st g 0+4 x4 " ALL " @4;"
  "w1 ld g 0+4 x4 " ALL " @5", "race 5 with 4; " },
{ "a fence and an atomic order two blocks",
  "launch 1 0; written; w0 st g 0+4 x4 1 @4; w0 fence;"
  "w0 at g 4096+4 x4 1 @5; next; w0 st g 4+4 x4 1 @4; w0 fence;"
  "w0 at g 4096+4 x4 1 @5; w0 ld g 0+4 x4 3 @6", "race 6 with 4; " },
{ "a fence and an atomic order two blocks and their warps",
  "launch 1 0; written; w0 st g 0+4 x4 1 @4; w0 fence;"
  "w0 at g 4096+4 x4 1 @5; next; w0 st g 4+4 x4 1 @4; w0 fence;"
  "w0 at g 4096+4 x4 1 @5; barrier; w0 ld g 0+4 x4 3 @6", "" },
#define TOLD "next; w0 at g 4096+4 x4 1 @8; w0 ld g 0+4 x4 1 @9"
{ "what comes after the fence is not published to other blocks",
  "launch 1 0; written; w0 fence; w0 st g 0+4 x4 1 @4;"
  "w0 at g 4096+4 x4 1 @5; " TOLD, "race 9 with 4; " },
{ "what came before it is",
  "launch 1 0; written; w0 st g 0+4 x4 1 @4; w0 fence;"
  "w0 at g 4096+4 x4 1 @5; " TOLD, "" },
{ "a fence of the block orders no blocks",
  "launch 1 0; written; w0 st g 0+4 x4 1 @4; w0 block;"
  "w0 at g 4096+4 x4 1 @5; " TOLD, "race 9 with 4; " },
{ "all threads put a fence before the barrier, one tells the others",
  "launch 2 0; written; w1 st g 0+4 x4 1 @4; w1 fence; barrier;"
  "w0 at g 4096+4 x4 1 @5; " TOLD, "" },
{ "the same with a fence of the block",
  "launch 2 0; written; w1 st g 0+4 x4 1 @4; w1 block; barrier;"
  "w0 at g 4096+4 x4 1 @5; " TOLD, "race 9 with 4; " },
{ "each block has to look for itself",
  "launch 1 0; written; w0 st g 0+4 x4 1 @4; w0 fence;"
  "w0 at g 4096+4 x4 1 @5; next; w0 at g 4096+4 x4 1 @5; next;"
  "w0 ld g 0+4 x4 1 @6", "race 6 with 4; " },
{ "knowledge passes from block to block",
  "launch 1 0; written; w0 st g 0+4 x4 1 @4; w0 fence;"
  "w0 at g 8192+4 x4 1 @5; next; w0 at g 8192+4 x4 1 @5; w0 fence;"
  "w0 at g 4096+4 x4 1 @6; " TOLD, "" },
{ "not without a fence of its own",
  "launch 1 0; written; w0 st g 0+4 x4 1 @4; w0 fence;"
  "w0 at g 8192+4 x4 1 @5; next; w0 at g 8192+4 x4 1 @5;"
  "w0 at g 4096+4 x4 1 @6; " TOLD, "race 9 with 4; " },
{ "nor with a fence of the block",
  "launch 1 0; written; w0 st g 0+4 x4 1 @4; w0 fence;"
  "w0 at g 8192+4 x4 1 @5; next; w0 at g 8192+4 x4 1 @5; w0 block;"
  "w0 at g 4096+4 x4 1 @6; " TOLD, "race 9 with 4; " },
{ "a thread with an older fence takes nothing back",
  "launch 2 0; written; w1 fence; w0 st g 0+4 x4 1 @4; w0 fence;"
  "w0 at g 4096+4 x4 1 @5; w1 at g 4096+4 x4 1 @6; " TOLD, "" },
{ "a fence before the barrier and one after it",
  "launch 2 0; written; w1 fence; barrier; w0 st g 0+4 x4 1 @4; w0 fence;"
  "w0 at g 4096+4 x4 1 @5; " TOLD, "" },
{ "what another launch has published is forgotten",
  "launch 1 0; written; w0 fence; w0 at g 4096+4 x4 1 @2; launch 1 0;"
  "w0 st g 0+4 x4 1 @4; w0 fence; w0 at g 8192+4 x4 1 @5; " TOLD,
  "race 9 with 4; " },
{ "a release of the device orders blocks",
  "launch 1 0; written; w0 st g 0+4 x4 1 @4; w0 rs g 4096+4 x4 1 @5; " TOLD,
  "" },
{ "a release of the block orders no blocks",
  "launch 1 0; written; w0 st g 0+4 x4 1 @4; w0 rb g 4096+4 x4 1 @5; " TOLD,
  "race 9 with 4; " },
/* ---- locks and flags ---- */
#define DATA "launch 3 64; written; w0 st g 0+4 x4 1 @4;"
#define FLAG "g 4096+4 x4 1"
#define READ "w1 ld g 0+4 x4 1 @7"
{ "lanes that read one word, and have synchronised in part before",
  "launch 1 1024; w0 st s 0+0 x4 1 @5; w0 sync " ALL "; w0 sync ffff;"
  "w0 ld s 0+0 x4 " ALL " @6; w0 st s 0+0 x4 1 @7", "race 7 with 6; " },
{ "a flag behind a fence orders two threads",
  DATA "w0 fence; w0 vs " FLAG " @5; w1 vl " FLAG " @6;" READ, "" },
{ "so does a fence of the block", DATA "w0 block; w0 vs " FLAG " @5;"
  "w1 vl " FLAG " @6;" READ, "" },
{ "a flag in shared memory", DATA "w0 fence; w0 vs s 0+4 x4 1 @5;"
  "w1 vl s 0+4 x4 1 @6;" READ, "" },
{ "a flag without a fence orders nothing",
  DATA "w0 vs " FLAG " @5; w1 vl " FLAG " @6;" READ, "race 7 with 4; " },
{ "a fence before the data covers nothing",
  "launch 2 0; written; w0 fence; w0 st g 0+4 x4 1 @4; w0 vs " FLAG " @5;"
  "w1 vl " FLAG " @6;" READ, "race 7 with 4; " },
{ "nor does a __syncwarp behind the fence cover anything",
  "launch 2 0; written; w0 fence; w0 st g 0+4 x4 2 @4; w0 sync " ALL ";"
  "w0 vs " FLAG " @5; w1 vl " FLAG " @6; w1 ld g 4+4 x4 1 @7",
  "race 7 with 4; " },
{ "a plain flag orders nothing",
  DATA "w0 fence; w0 st " FLAG " @5; w1 vl " FLAG " @6;" READ,
  "race 6 with 5; race 7 with 4; " },
{ "a plain flag at one address for all lanes orders nothing",
  DATA "w0 fence; w0 st g 4096+0 x4 1 @5; w1 vl g 4096+0 x4 1 @6;" READ,
  "race 6 with 5; race 7 with 4; " },
{ "who does not look at the flag knows nothing",
  DATA "w0 fence; w0 vs " FLAG " @5; w1 vl g 8192+4 x4 1 @6;" READ,
  "race 7 with 4; " },
{ "another lane has looked", DATA "w0 fence; w0 vs " FLAG " @5;"
  "w1 vl g 4092+4 x4 2 @6;" READ, "race 7 with 4; " },
{ "and told the warp", DATA "w0 fence; w0 vs " FLAG " @5;"
  "w1 vl g 4092+4 x4 2 @6; w1 sync " ALL ";" READ, "" },
{ "and told half of the warp", DATA "w0 fence; w0 vs " FLAG " @5;"
  "w1 vl g 4092+4 x4 2 @6; w1 sync 6;" READ, "race 7 with 4; " },
{ "the other lanes of who publishes are not published",
  "launch 2 0; written; w0 st g 0+4 x4 3 @4; w0 fence; w0 vs " FLAG " @5;"
  "w1 vl " FLAG " @6; w1 ld g 4+4 x4 1 @7", "race 7 with 4; " },
{ "unless they have synchronised before",
  "launch 2 0; written; w0 st g 0+4 x4 3 @4; w0 sync " ALL "; w0 fence;"
  "w0 vs " FLAG " @5; w1 vl " FLAG " @6; w1 ld g 4+4 x4 1 @7", "" },
{ "knowledge passes through two locks",
  DATA "w0 fence; w0 at " FLAG " @5; w1 at " FLAG " @6; w1 fence;"
  "w1 at g 8192+4 x4 1 @8; w2 at g 8192+4 x4 1 @9;"
  "w2 ld g 0+4 x4 1 @7", "" },
{ "and not against their order",
  DATA "w1 fence; w1 at g 8192+4 x4 1 @8; w2 at g 8192+4 x4 1 @9; w0 fence;"
  "w0 at " FLAG " @5; w1 at " FLAG " @6; w2 ld g 0+4 x4 1 @7",
  "race 7 with 4; " },
{ "what was read under a lock may be written under it",
  "launch 2 0; written; w0 at " FLAG " @4; w0 ld g 0+4 x4 1 @5; w0 fence;"
  "w0 at " FLAG " @6; w1 at " FLAG " @7; w1 st g 0+4 x4 1 @8", "" },
{ "a lock of lanes in one warp",
  "launch 1 0; written; w0 at g 4096+0 x4 1 @3; w0 st g 0+0 x4 1 @4;"
  "w0 fence; w0 at g 4096+0 x4 1 @5; w0 at g 4096+0 x4 2 @6;"
  "w0 st g 0+0 x4 2 @7", "" },
{ "who has learned from a flag may reset it",
  DATA "w0 fence; w0 at " FLAG " @5; w1 at " FLAG " @6; w1 st " FLAG " @7",
  "" },
{ "a block that has learned from a flag may reset it",
  "launch 1 0; written; w0 st g 0+4 x4 1 @4; w0 fence; w0 at " FLAG " @5;"
  "next; w0 fence; w0 at " FLAG " @6; w0 st " FLAG " @7", "" },
{ "a block that has learned nothing may not",
  "launch 1 0; written; w0 st g 0+4 x4 1 @4; w0 at " FLAG " @5;"
  "next; w0 fence; w0 at " FLAG " @6; w0 st " FLAG " @7",
  "race 7 with 5; " },
{ "who has learned nothing may not",
  DATA "w0 at " FLAG " @5; w1 at " FLAG " @6; w1 st " FLAG " @7",
  "race 7 with 5; " },
{ "an older flag takes no knowledge back",
  "launch 2 0; written; w0 fence; w0 vs g 8192+4 x4 1 @3;"
  "w0 st g 0+4 x4 1 @4; w0 fence; w0 vs " FLAG " @5; w1 vl " FLAG " @6;"
  "w1 vl g 8192+4 x4 1 @6;" READ, "" },
{ "two lanes publish at one flag",
  DATA "w0 fence; w0 at g 4096+0 x4 1 @5; w0 at g 4096+0 x4 2 @5;"
  "w1 at " FLAG " @6;" READ, "" },
{ "what a thread has learned says nothing of another block",
  "launch 2 0; written; w0 vs " FLAG " @4; next; w0 fence;"
  "w0 vs g 8192+4 x4 1 @5; w1 vl g 8192+4 x4 1 @6; w1 st " FLAG " @7",
  "race 7 with 4; " },
{ "a flag is void behind a barrier, and so is the need of it",
  DATA "w0 fence; w0 vs " FLAG " @5; barrier; w1 vl " FLAG " @6;" READ,
  "" },
{ "a thread that looks at a flag publishes nothing",
  DATA "w0 fence; w0 vl " FLAG " @5; w1 vl " FLAG " @6;" READ,
  "race 7 with 4; " },
{ "a thread that sets a flag learns nothing",
  DATA "w0 fence; w0 vs " FLAG " @5; w1 vs " FLAG " @6;" READ,
  "race 7 with 4; " },
{ "a release is a fence of its own", DATA "w0 rs " FLAG " @5;"
  "w1 vl " FLAG " @6;" READ, "" },
{ "a fence before a barrier publishes nothing after it",
  DATA "w0 fence; barrier; w0 st g 0+4 x4 1 @4; w0 vs " FLAG " @5;"
  "w1 vl " FLAG " @6; w1 st " FLAG " @8;" READ,
  "race 8 with 5; race 7 with 4; " },
{ "volatile accesses of two warps", "launch 2 0; written;"
  "w0 vs " FLAG " @4; w1 vl " FLAG " @5; w0 vs " FLAG " @6", "" },
{ "volatile accesses of two blocks", "launch 1 0; written;"
  "w0 vs " FLAG " @4; next; w0 vl " FLAG " @5", "" },
{ "volatile stores of two lanes", "launch 1 0; written;"
  "w0 vs g 0+4 x4 2 @4; w0 vs g 4+4 x4 1 @5", "" },
{ "an atomic and a volatile load of two lanes", "launch 1 0; written;"
  "w0 at g 0+4 x4 2 @4; w0 vl g 4+4 x4 1 @5", "" },
{ "volatile accesses of two lanes", "launch 1 0; written;"
  "w0 vs g 0+4 x4 2 @4; w0 vl g 4+4 x4 1 @5", "race 5 with 4; " },
{ "volatile accesses of two lanes, behind a fence", "launch 1 0; written;"
  "w0 fence; w0 vs g 0+4 x4 2 @4; w0 vl g 4+4 x4 1 @5", "" },
{ "a flag of two lanes that is looked at before it is set",
  "launch 1 0; written; w0 fence; w0 vl g 4+4 x4 1 @4; w0 vs g 0+4 x4 2 @5",
  "" },
{ "volatile accesses of two lanes, after a fence of another era",
  "launch 1 0; written; w0 fence; w0 vs g 0+4 x4 2 @4; barrier;"
  "w0 vs g 0+4 x4 2 @5; w0 vl g 4+4 x4 1 @6", "race 6 with 5; " },
/* ---- guesses ---- */
{ "a read before an atomicCAS is a guess",
  "cas; launch 2 0; written; w0 ld " FLAG " @4; w0 ca " FLAG " @5;"
  "w1 ld " FLAG " @4; w1 ca " FLAG " @5; next", "" },
{ "a read without one is a race, told at the end of the block",
  "cas; launch 2 0; written; w0 at " FLAG " @4; w1 ld " FLAG " @5;"
  "w1 ca g 8192+4 x4 1 @6; next", "race 5 with 4; " },
{ "a read in a kernel without one is a race at once",
  "launch 2 0; written; w0 at " FLAG " @4; w1 ld " FLAG " @5;"
  "w1 st g 65536+4 x4 1 @6", "race 5 with 4; out of bounds 6; " },
{ "a guess is checked by the thread that made it",
  "cas; launch 2 0; written; w0 at " FLAG " @4; w1 ld " FLAG " @5;"
  "w0 ca " FLAG " @6; next", "race 5 with 4; race 6 with 5; " },
{ "a guess is checked at the word that was read",
  "cas; launch 2 0; written; w0 ld " FLAG " @4; w1 at " FLAG " @5;"
  "w0 ca g 8192+4 x4 1 @6; next", "race 5 with 4; " },
{ "a guess is checked by an atomicCAS only",
  "cas; launch 2 0; written; w0 at " FLAG " @4; w1 ld " FLAG " @5;"
  "w1 at " FLAG " @6; next", "race 5 with 4; " },
{ "a guess that another thread has checked",
  "cas; launch 2 0; written; w0 ld " FLAG " @4; w0 ca " FLAG " @5;"
  "w1 ld " FLAG " @4; next", "" },
{ "a guess that a lane at some address has checked",
  "cas; launch 2 0; written; w0 ld " FLAG " @4; w0 ca g 4096+0 x4 1 @5;"
  "w1 ld " FLAG " @4; next", "" },
{ "a guess of another block is not checked in this one",
  "cas; launch 1 0; written; w0 ld " FLAG " @4; next; w0 at " FLAG " @5;"
  "w0 ca " FLAG " @6; next", "race 5 with 4; race 6 with 4; " },
{ "a guess is checked in its launch",
  "cas; launch 2 0; written; w0 ld " FLAG " @4; w0 ca " FLAG " @5; launch 2 0;"
  "w0 at " FLAG " @6; w1 ld " FLAG " @4; next", "race 4 with 6; " },
{ "a guess may be checked after another's atomic",
  "cas; launch 2 0; written; w0 ld " FLAG " @4; w1 at " FLAG " @5;"
  "w0 ca " FLAG " @6; next", "" },
{ "a guess is about atomics, not about stores",
  "cas; launch 2 0; written; w0 st " FLAG " @4; w1 ld " FLAG " @5;"
  "w1 ca " FLAG " @6; next", "race 5 with 4; race 6 with 4; " },
{ "an atomic without a fence orders nothing",
  "launch 1 0; written; w0 st g 0+4 x4 1 @4; w0 at g 4096+4 x4 1 @5;"
  "next; w0 at g 4096+4 x4 1 @5; w0 ld g 0+4 x4 1 @6", "race 6 with 4; " },
/* ---- never written ---- */
{ "shared memory read before written",
  "launch 1 1024; w0 st s 0+4 x4 ffff @4; w0 ld s 0+4 x4 " ALL " @5",
  "uninitialised 5; " },
{ "one byte of the word is missing",
  "launch 1 1024; w0 st s 0+1 x1 7 @4; w0 sync " ALL "; w0 ld s 0+4 x4 1 @5",
  "uninitialised 5; " },
{ "the next block's shared memory is empty again",
  "launch 1 1024; w0 st s 0+4 x4 " ALL " @4; next; w0 ld s 0+4 x4 " ALL " @5",
  "uninitialised 5; " },
{ "global memory nobody wrote",
  "launch 1 0; w0 st g 0+4 x4 7fffffff @4; w0 sync " ALL ";"
  "w0 ld g 0+4 x4 " ALL " @5", "uninitialised 5; " },
{ "a counter that nobody set to zero",
  "launch 1 0; w0 at g 0+0 x4 " ALL " @5", "uninitialised 5; " },
{ "atomicExch does not read",
  "launch 1 0; w0 ex g 0+0 x4 1 @5; w0 ld g 0+0 x4 1 @6", "" },
{ "written in one launch, read in another",
  "launch 1 0; w0 st g 0+4 x4 " ALL " @4; launch 1 0;"
  "w0 ld g 0+4 x4 " ALL " @5", "" },
{ "the host reads what no thread wrote",
  "launch 1 0; w0 st g 0+4 x4 " ALL " @4; copies", "uninitialised 0; " },
{ "local memory of another thread",
  "launch 1 0; w0 st l 0+0 x4 ffff @4; w0 ld l 0+0 x4 ffff @5;"
  "w0 ld l 0+0 x4 10000 @6", "uninitialised 6; " },
{ "a gap in a structure in local memory",
  "launch 1 0; w0 st l 0+0 x8 1 @4; w0 st l 8+0 x1 1 @4;"
  "w0 ld l 8+0 x8 1 @5; w0 ld l 0+0 x16 1 @6", "" },
{ "a half of a vector in local memory",
  "launch 1 0; w0 st l 0+0 x8 1 @4; w0 ld l 0+0 x16 1 @5",
  "uninitialised 5; " },
{ "local memory after what was written",
  "launch 1 0; w0 st l 0+0 x4 1 @4; w0 ld l 4+0 x4 1 @5",
  "uninitialised 5; " },
/* ---- bounds ---- */
{ "beyond shared memory",
  "launch 1 64; w0 st s 0+4 x4 " ALL " @4", "out of bounds 4; " },
{ "beyond the allocation",
  "launch 1 64; w0 st g 65536+4 x4 1 @4", "out of bounds 4; " },
{ "before the allocation",
  "launch 1 64; w0 st g -4+4 x4 1 @4", "out of bounds 4; " },
{ "a float4 at a multiple of 4",
  "launch 1 1024; w0 st s 4+16 x16 1 @4", "misaligned 4; " },
/* ---- cp.async ---- */
{ "copied, waited for, synchronised",
  "launch 2 1024; written; w0 cp s 0+16 x16 ffff @4; w0 commit; w0 wait 0;"
  "barrier; w1 ld s 0+4 x4 " ALL " @6", "" },
{ "copied, not waited for",
  "launch 1 1024; written; w0 cp s 0+16 x16 ffff @4; w0 commit;"
  "w0 ld s 0+16 x16 ffff @6", "copy not waited for 6; " },
{ "waited for, not synchronised",
  "launch 2 1024; written; w0 cp s 0+16 x16 ffff @4; w0 commit; w0 wait 0;"
  "w1 ld s 0+4 x4 " ALL " @6", "race 6 with 4; " },
{ "waited for after the barrier",
  "launch 2 1024; written; w0 cp s 0+16 x16 ffff @4; w0 commit; barrier;"
  "w0 wait 0; w1 ld s 0+4 x4 " ALL " @6", "race 6 with 4; " },
{ "waited for the group before",
  "launch 1 1024; written; w0 cp s 0+16 x16 ffff @4; w0 commit;"
  "w0 cp s 256+16 x16 ffff @5; w0 commit; w0 wait 1;"
  "w0 ld s 0+16 x16 ffff @6; w0 ld s 256+16 x16 ffff @7",
  "copy not waited for 7; " },
{ "copied over what others still read",
  "launch 2 1024; written; w0 cp s 0+16 x16 ffff @4; w0 commit; w0 wait 0;"
  "barrier; w1 ld s 0+4 x4 " ALL " @6; barrier; w1 ld s 0+4 x4 " ALL " @7;"
  "w0 cp s 0+16 x16 ffff @8", "race 8 with 7; " },
{ "ldmatrix of rows another lane wrote",
  "launch 1 1024; w0 st s 0+16 x16 " ALL " @4; w0 lm s 0+16 x16 " ALL " @5",
  "race 5 with 4; " },
{ "written by the warp after its ldmatrix",
  "launch 1 1024; w0 st s 0+16 x16 " ALL " @4; w0 sync " ALL ";"
  "w0 lm s 0+16 x16 " ALL " @5; w0 st s 0+4 x4 " ALL " @6", "" },
{ "written by another warp after an ldmatrix",
  "launch 2 1024; w0 st s 0+16 x16 " ALL " @4; barrier;"
  "w0 lm s 0+16 x16 " ALL " @5; w1 st s 0+4 x4 " ALL " @6",
  "race 6 with 5; " },
};

static void tell(void **state)
{
    const struct Story *story = *state;
    char steps[1000];
    struct Error e;
    assert_true(check_configure("on", &e));
    assert_true(memory_alloc(&global, GLOBAL, NULL, &e));
    told[0] = 0;
    memset(code, 0, sizeof code);
    check_reports_to(listen);
    snprintf(steps, sizeof steps, "%s", story->steps);
    for (char *s = strtok(steps, ";"); s; s = strtok(NULL, ";"))
        step(s + strspn(s, " "));
    check_block_end(&block);
    check_launch_end(&launch);
    assert_true(memory_free(global));
    assert_string_equal(told, story->reports);
}

/* The number that the text names. */
static void size_of_a_line(void **state)
{
    (void)state;
    char row[200];
    double bytes = 0;
    FILE *f = fopen("figures/data/sanitizer.csv", "r");
    assert_non_null(f);
    while (fgets(row, sizeof row, f))
        sscanf(row, "sanitizer.line.bytes,%lf", &bytes);
    fclose(f);
    assert_true(bytes == sizeof(struct Line));
}

int main(void)
{
    enum { N = sizeof stories / sizeof *stories };
    static struct CMUnitTest tests[N + 1] = {
        [N] = cmocka_unit_test(size_of_a_line),
    };
    for (int i = 0; i < N; i++)
        tests[i] = (struct CMUnitTest){ stories[i].name, tell, NULL, NULL,
                                        (void *)(uintptr_t)&stories[i] };
    return _cmocka_run_group_tests("check", tests, N + 1, NULL, NULL);
}
