/* Tangled from chapters/workshop/simt-executor.nw, "The header".  Edit it there. */

#ifndef SIMT_SIMT_H
#define SIMT_SIMT_H

/* The software GPU: what its parts know of each other.  One warp
 * instruction becomes lane addresses, a struct Access; the sanitizer looks
 * at it, the data moves, the counters look at it. */

#include "base/fail.h"
#include "simt/counters/count.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* sizes of the machine */
enum { LEAVES_IF_TAKEN = 1, LEAVES_IF_NOT = 2 };
enum {
    LANES       = 32,           /* threads of a warp                     */
    MAX_THREADS = 1024,         /* of a block                            */
    MAX_WARPS   = MAX_THREADS / LANES,
    MAX_SHARED  = 227 * 1024,   /* bytes a block may have, as on an H200 */
    MAX_STATIC_SHARED = 48 * 1024,
    BARRIERS    = 16,           /* named barriers of a block             */
    MAX_PATHS   = 64,           /* of a warp; fewer than 2 LANES         */
    HITS        = 64,           /* allocations remembered by a launch    */
    MAX_CLUSTER = 16,           /* blocks                                */
    RANK_SHIFT  = 24,           /* of a block, in a shared address       */
};
#define ALL_LANES 0xffffffffu

struct Dim3 { uint32_t x, y, z; };

/* spaces and addresses */
/* A device pointer is a number: the host cannot dereference it.  Shared
 * and local memory are windows of the same 64-bit generic space; inside
 * the windows, and in ld.shared and ld.local, an address is an offset.
 * __constant__ variables live in device memory and have device
 * addresses. */
#define SPACE_GENERIC SPACES     /* of an instruction, not an access     */
#define SHARED_WINDOW ((uint64_t)1 << 48)
#define LOCAL_WINDOW  ((uint64_t)2 << 48)

/* an instruction */
struct Warp;
struct Instruction;
typedef void Handler(struct Warp *, const struct Instruction *,
                     uint32_t on);

struct Instruction {
    Handler *run;               /* works on the lanes in `on`            */
    /* what the loop looks at */
    /* Registers are named by their place in the warp's file, in units of 4
     * bytes: a 32-bit register takes 32 of them, a 64-bit one 64, a predicate
     * one, a bit for each lane.  Constants are registers, too. */
    uint32_t guard, guard_not;      /* lanes on: file[guard] ^ guard_not     */
    bool ends;                      /* last of a straight run                */
    bool guarded, is_float, is_64;
    unsigned char sync;             /* enum Sync: waits for other lanes      */
    unsigned char leaves;           /* branch: who returns by it             */
    bool near_wgmma;                /* has registers of a wgmma, see there   */
    uint32_t flags;                 /* what else the handler wants to know   */
    /* operands of an instruction */
    uint32_t d[4], a[4], b[4], c[4]; /* destination and sources; vectors     */
    int width;                      /* of a vector; 1 otherwise              */

    /* where a branch leads */
    int target;                     /* branch: index of an instruction       */
    int meet;                       /* branch: where its lanes meet again    */

    /* what an access asks for */
    enum Space space;               /* memory: as written, may be generic    */
    enum AccessKind access;
    enum AtomicKind atomic;
    int size;                       /* memory: bytes of one element          */
    int64_t offset;                 /* memory: added to the address          */
    int64_t offset2;                /* cp.async: the same of b               */

    /* what else the handler wants to know */
    int type, op;                   /* enum Type, enum Op: inside the machine */
    int *table;                     /* brx: where to                         */
    const struct Mma *mma;
    const struct BulkForm *bulk;     /* see hopper.h                         */
    const struct Wgmma *wgmma;
    uint32_t metadata;              /* of mma.sp, whose selector is op       */
    uint32_t (*compare)(const struct Warp *, const struct Instruction *);
    const char *name;           /* as in the text: "ld.global.v4.f32"    */
    int file, line;             /* of the source; index in kernel->files;
                                 * line 0: nobody knows                  */
    int ptx_line;
    enum Work work;             /* what it counts as, see count.h; and   */
    int flop;                   /*   the third argument of totals_add    */
};

/* a kernel and its module */
struct Param { uint32_t offset, size, align; };

struct Kernel {
    const char *name;           /* as in the text, mangled               */
    const struct Instruction *code;
    int instructions;
    const char *const *files;   /* source files, see Instruction         */
    int n_files;
    /* what a launch must know of a kernel */
    const struct Param *params;
    int n_params;
    uint32_t param_bytes;
    uint32_t static_shared;     /* bytes                                 */
    uint32_t local_bytes;       /* a thread                              */
    uint32_t dynamic_align;
    uint32_t max_threads;       /* __launch_bounds__; 0: not given       */
    uint32_t units;             /* of the register file of a warp        */
    const struct Constant *constants;
    int n_constants;
    const char *refused;        /* why it cannot be launched; NULL: it can */
    const struct Module *module;
};

/* A __device__ or __constant__ variable. */
struct Symbol { const char *name; uint64_t address; size_t bytes;
                enum Space space; };

struct Module {
    const struct Kernel *kernels;
    int n_kernels;
    const struct Symbol *symbols;
    int n_symbols;
    void *pool;                 /* owns everything above                 */
};

/* what can go wrong in a launch */
/* The runtime turns these into CUDA's error codes. */
enum Fault {
    FAULT_NONE,
    FAULT_CONFIGURATION,        /* 0 blocks, 2048 threads, 300 KB shared */
    FAULT_ILLEGAL_ADDRESS, FAULT_MISALIGNED_ADDRESS,
    FAULT_TRAP,                 /* the kernel gave up                    */
    FAULT_ASSERT,               /* its assert() failed                   */
    FAULT_BARRIER,              /* warps wait for each other for ever    */
    FAULT_TIMEOUT,              /* more than simt_options.step_limit     */
    FAULT_INSTRUCTION,          /* asked of the machine what it cannot   */
};

/* what the machine is asked to do besides */
struct Options {
    bool count, check;          /* default: both                         */
    bool plain;                 /* not the functions for 256-bit vectors */
    uint64_t step_limit;        /* warp instructions of one block        */
    uint64_t sample;            /* count and check every k-th block; 0
                                 * and 1: each                           */
    size_t heap_bytes;          /* for malloc in kernels: 8 MB           */
    /* Called before each instruction of a warp, with the lanes that will
     * execute it; NULL: nobody. */
    void (*step)(const struct Warp *, uint32_t on);
    /* Called after each access of a launch that counts; NULL: nobody. */
    void (*access)(const struct Warp *, const struct Access *);
};
extern struct Options simt_options;
/* Of all launches that were a sample: blocks, and how many were seen. */
extern struct Sampled { uint64_t blocks, seen; } simt_sampled;
size_t simt_heap_used(void);    /* bytes that kernels hold by malloc     */

/* a launch, a block */
struct Launch {
    const struct Kernel *kernel;
    struct Dim3 grid, block;
    struct Dim3 cluster;        /* blocks of a cluster                   */
    bool clustered;             /* clusters were asked for               */
    uint64_t workspace;         /* of a cooperative grid, all of whose
                                 * blocks are one cluster; 0: not so     */
    size_t dynamic_shared;
    uint64_t number;            /* 1 for the first launch of the process */
    int device;                 /* that it runs on                       */
    /* does anybody count, or check? */
    struct Site *site;          /* [kernel->instructions]; NULL: nobody
                                 * counts; complete at launch_ended      */
    struct Touched *touched;    /* or NULL                               */
    bool check;                 /* ask the sanitizer                     */
    uint64_t sample;            /* they look at every sample-th cluster, */
    uint64_t seen;              /*   which so far are so many blocks     */
    bool wide;                  /* this processor has 256-bit vectors    */
    enum Fault fault;           /* set once; nothing runs after it       */
    struct Error error;         /* the message of the fault              */
    unsigned char *params;
    void *sanitizer;            /* for check.c                           */
    struct Hit { uint64_t low, high; } hit[HITS];
};

struct Block {
    struct Launch *launch;
    struct Dim3 index;
    uint64_t linear;            /* index as one number, x fastest        */
    unsigned char *shared;      /* static, then dynamic                  */
    size_t shared_bytes;
    int threads, warps;
    struct Warp *warp;          /* [warps]                               */
    uint64_t steps;
    struct Barrier { uint32_t arrived, expected, votes, voters; }
        barrier[BARRIERS];
    struct Cluster *cluster;    /* of which it is a part, and            */
    uint32_t rank;              /*   its number there                    */
    struct Hopper *hopper;      /* NULL: no mbarrier yet; see hopper.h   */
    struct WgmmaGroup *wgmma;   /* a warpgroup each; NULL: none needed   */
};

/* a cluster */
/* Blocks that run at the same time: those of a cluster, or one. */
struct Cluster {
    struct Launch *launch;
    struct Dim3 index;          /* in the grid of clusters               */
    int n;
    struct Block *block;        /* [n]                                   */
    uint64_t moved;             /* counts what may let somebody go on    */
    uint32_t arrived, phase;    /* of barrier.cluster                    */
};

/* The block of a rank in the same cluster; NULL: there is none. */
static inline struct Block *cluster_block(const struct Block *b,
                                          uint32_t rank)
{
    return rank < (uint32_t)b->cluster->n ? &b->cluster->block[rank] : NULL;
}

/* a warp */
struct Path {
    int pc, meet;               /* where it is; where it ends            */
    uint32_t lanes;             /* its own, and those of its sides       */
    int parent;                 /* whose side it is; -1: nobody's        */
    int sides;                  /* that it waits for at pc; 0: a leaf    */
    uint32_t age;               /* larger: made later                    */
    /* what a path waits for */
    bool ran;                   /* it has had its turn                   */
    bool waits;                 /* at a .sync, for lanes of other paths  */
    bool forced;                /* it goes on, as they will never come   */
    bool woken;                 /* it goes on, as they have returned     */
    uint32_t since;             /* order in which paths began to wait    */
    uint32_t passed;            /* lanes that have gone past it          */
    uint32_t missed;            /* those that returned while it waited   */
};
enum WarpState {
    WARP_READY, WARP_AT_BARRIER, WARP_DONE,
    WARP_YIELDS,                /* ready, after the others' turn         */
};

struct Warp {
    struct Block *block;
    int index;
    /* who runs, and where */
    uint32_t active;            /* lanes of the path that runs now       */
    uint32_t alive;             /* lanes that have not returned          */
    int pc, next;               /* instruction that runs, and after it   */
    int now;                    /* the path that runs; -1: none          */
    enum WarpState state;
    int waits_for;              /* number of a barrier                   */
    /* what a warp owns */
    uint32_t *file;             /* registers                             */
    unsigned char *local;       /* [LANES][local_bytes]                  */
    struct Path *path;          /* [MAX_PATHS]                           */
    uint64_t used;              /* which of them exist, a bit for each   */
    uint32_t ages;              /* paths made so far                     */

    /* what a warp remembers of waiting */
    int polls, repeats;         /* looks at memory in this turn; and     */
                                /*   those that found what the last did  */
    int turns;                  /* that ended before their path did      */
    int patience;               /* how long no path has ended            */
    int waiting;                /* paths that wait at a .sync            */
    struct Poll { int pc; uint64_t address, value; } poll[4];
    const struct Exchange *exchange;        /* or NULL: see sync.c       */
    struct Async *async;        /* cp.async copies on their way          */

    /* what a warp remembers of an mbarrier */
    struct MbarrierWait {
        const struct Block *block;  /* whose barrier; NULL: waits for none   */
        int pc;
        uint32_t at, parity;
    } waits;
    bool stuck;                     /* its last turn ended in a wait         */

    uint32_t cluster_phase[LANES];  /* at its last barrier.cluster.arrive    */
    struct WgmmaState *wgmma;   /* wgmmas in flight; NULL: never any     */
};
/* The linear thread index in its block of a lane, and its threadIdx. */
struct Dim3 thread_index(const struct Warp *, int lane);

/* The frame of a lane: its local memory. */
static inline unsigned char *frame_of(const struct Warp *w, int lane)
{
    return w->local + (size_t)lane * w->block->launch->kernel->local_bytes;
}

/* device memory */
/* The bytes of device memory as the host may touch them lie at a constant
 * distance from the device addresses: memory_bytes(address).  Allocations
 * are aligned to 256 bytes, and at least 256 bytes that belong to nobody
 * lie between two of them. */
struct Allocation {
    uint64_t address;
    size_t bytes;
    const char *name;           /* of a variable; NULL: cudaMalloc       */
    uint64_t room;              /* bytes to where the next may begin     */
    uint64_t serial;            /* 1, 2, ... in order of allocation      */
    int device;                 /* whose memory it is; -1: a variable    */
};
extern struct Memory { uint64_t base; size_t bytes; int64_t delta; } memory;

enum { MOST_DEVICES = 16 };
extern int devices;                     /* how many there are            */
extern _Thread_local int device_current;

bool memory_alloc(uint64_t *address, size_t bytes, const char *name,
                  struct Error *e);
/* The same, of whole pages that it shares with no other allocation. */
bool memory_alloc_pages(uint64_t *address, size_t bytes, const char *name,
                        struct Error *e);
bool memory_free(uint64_t address);     /* false: not the start of one   */
/* The allocation that holds the address, or NULL. */
const struct Allocation *memory_find(uint64_t address);
/* The nearest one below, for messages; NULL if there is none. */
const struct Allocation *memory_before(uint64_t address);
bool memory_holds(uint64_t address, size_t bytes);  /* inside one       */
/* Fresh pages of so much memory are to be large, if the system has such. */
void memory_in_large_pages(void *p, size_t bytes);
void memory_totals(size_t *used, size_t *total);

static inline unsigned char *memory_bytes(uint64_t address)
{
    return (unsigned char *)(uintptr_t)(address + (uint64_t)memory.delta);
}

/* Is this an address of the device? */
static inline bool on_device(const void *p)
{
    return (uint64_t)(uintptr_t)p - memory.base < memory.bytes;
}

/* reading and launching */
/* Read PTX.  The text is not trusted: whatever is in it, this returns,
 * with a message that names the line if it cannot be run.  A module of
 * which some kernels can run is read; the others are marked as refused. */
bool module_read(struct Module *m, const char *text, size_t bytes,
                 struct Error *e);
void module_free(struct Module *m);
const struct Kernel *module_kernel(const struct Module *,
                                   const char *name);
const struct Symbol *module_symbol(const struct Module *,
                                   const char *name);

/* contracts of a launch */
/* Called at the end of every launch that counts, faulty or not (report.c;
 * NULL: nobody).  l->site goes away afterwards. */
extern void (*launch_ended)(const struct Launch *l);

/* Run a kernel to its end.  args[i] points at argument i.  On failure
 * *fault says what CUDA would call it and e says it in words; either may
 * be NULL.  A block's limits are those of an H200. */
bool simt_launch(const struct Kernel *k, struct Dim3 grid,
                 struct Dim3 block, size_t dynamic_shared, void **args,
                 enum Fault *fault, struct Error *e);
/* The same with blocks in clusters of this size; 0 x 0 x 0: without. */
bool simt_launch_cluster(const struct Kernel *k, struct Dim3 grid,
                         struct Dim3 block, struct Dim3 cluster,
                         size_t dynamic_shared, void **args,
                         enum Fault *fault, struct Error *e);
/* The same with all blocks at once: a cooperative grid.  At the address
 * workspace is a 32-bit counter, 0, for grid.sync(). */
bool simt_launch_cooperative(const struct Kernel *k, struct Dim3 grid,
                             struct Dim3 block, uint64_t workspace,
                             size_t dynamic_shared, void **args,
                             enum Fault *fault, struct Error *e);

/* a launch that a kernel has asked for */
/* From the oldest on; its parameters are the caller's to free. */
struct Child {
    const struct Kernel *kernel;
    struct Dim3 grid, block;
    size_t dynamic_shared;
    unsigned char *params;
    struct Child *next;
};
struct Child *child_next(void);         /* NULL: there is none           */
/* Bytes of shared memory that a block of the kernel has. */
size_t shared_of(const struct Kernel *, size_t dynamic);

/* what the sanitizer provides */
/* check.c; called only if launch->check.  check_access returns the lanes
 * that may go on; those in illegal and misaligned never do. */
void check_launch_begin(struct Launch *);
void check_launch_end(struct Launch *);
void check_block_begin(struct Block *);
void check_block_end(struct Block *);
uint32_t check_access(struct Warp *, const struct Access *);
void check_barrier(struct Block *);     /* everybody has arrived, nobody  */
                                        /*   has gone on                  */
/* A warp comes to a barrier that says how many come; they have, and not all
 * warps of the block wait. */
void check_part_arrive(struct Warp *, int id);
void check_part_barrier(struct Block *, int id);
void check_warp_sync(struct Warp *, uint32_t lanes);
/* A fence by these lanes: __threadfence, or only __threadfence_block. */
void check_fence(struct Warp *, uint32_t lanes, bool device);

/* of copies, and of what the host does */
void check_async_commit(struct Warp *);
void check_async_wait(struct Warp *, int groups_left);  /* -1: for all   */
void check_allocated(uint64_t address, size_t bytes);
void check_freed(uint64_t address);
void check_host_wrote(uint64_t address, size_t bytes);
void check_host_reads(uint64_t address, size_t bytes);

/* reports */
enum ProblemKind {
    PROBLEM_BARRIER,            /* a barrier not all lanes reached      */
    PROBLEM_LANES,              /* shuffle, vote, match: absent lane    */
    PROBLEM_OUT_OF_BOUNDS, PROBLEM_MISALIGNED, PROBLEM_UNINITIALISED,
    PROBLEM_RACE, PROBLEM_ASYNC, PROBLEM_LEAK, PROBLEM_FREED,
    PROBLEM_LAUNCH, PROBLEM_PHASE, PROBLEM_PROXY,
    PROBLEM_WGMMA,              /* what one in flight uses was touched  */
};

/* One report, about the instruction at w->pc and these lanes.  The
 * executor calls it for the first two kinds. */
void check_problem(enum ProblemKind, const struct Warp *, uint32_t lanes,
                   const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void check_exit(void);

#endif
