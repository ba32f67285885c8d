/* Tangled from chapters/workshop/ptx.nw, "Statements become instructions".  Edit it there. */

/* Inside the software GPU: what decode.c puts into instructions, and the
 * functions that execute them. */
#ifndef SIMT_EXECUTOR_EXECUTE_H
#define SIMT_EXECUTOR_EXECUTE_H

#include "simt/reader/ptx.h"

/* flags of an instruction */
enum {
    FLAG_A64  = 1,              /* address a is a 64-bit register         */
    FLAG_B64  = 2,              /* address b is                           */
    FLAG_WIDE = 4,              /* data registers are 64-bit ...          */
    FLAG_SIGNED = 8,            /* ... and a narrow load extends its sign */
    FLAG_NOT    = 16,           /* the predicate is negated               */
    FLAG_STRONG = 32,           /* volatile, relaxed, acquire or release  */
    FLAG_RELEASE = 64,          /* release, or acq_rel                    */
    FLAG_POLLS  = 128,          /* a strong load, and a test of the value */
    FLAG_BLOCK  = 256,          /* a fence, or release, within the block  */
    FLAG_EARLY  = 512,          /* a load that need not be a use          */
};

/* Function k of a text has this address, plus 16 (k + 1). */
#define FUNCTION_WINDOW ((uint64_t)3 << 48)

/* Whom an instruction waits for: the lanes that its mask names, in c[1],
 * or all of the warp that have not returned. */
enum Sync { SYNC_NONE, SYNC_MASK, SYNC_ALL };

/* What the lanes bring that take part in an instruction from several
 * places in the code. */
struct Exchange { uint32_t lanes, yes; uint64_t value[LANES]; };

/* operations of an instruction */
enum Op {
    OP_NONE, OP_AND, OP_OR, OP_XOR, OP_ADD, OP_INC, OP_DEC, OP_MIN, OP_MAX,
    OP_EXCH, OP_CAS, OP_UP, OP_DOWN, OP_BFLY, OP_IDX, OP_ALL, OP_ANY,
    OP_UNI, OP_BALLOT, OP_POPC, OP_TRANS,
};

/* constants of a kernel */
enum ConstantKind {
    CONSTANT_WORD, CONSTANT_LONG, CONSTANT_BITS,
    CONSTANT_TID_X, CONSTANT_TID_Y, CONSTANT_TID_Z, CONSTANT_NTID_X,
    CONSTANT_NTID_Y, CONSTANT_NTID_Z, CONSTANT_CTAID_X, CONSTANT_CTAID_Y,
    CONSTANT_CTAID_Z, CONSTANT_CLUSTER_X, CONSTANT_CLUSTER_Y,
    CONSTANT_CLUSTER_Z, CONSTANT_NCTAID_X, CONSTANT_NCTAID_Y,
    CONSTANT_NCTAID_Z, CONSTANT_LANEID, CONSTANT_WARPID, CONSTANT_NWARPID,
    CONSTANT_MASK_EQ, CONSTANT_MASK_LE, CONSTANT_MASK_LT, CONSTANT_MASK_GE,
    CONSTANT_MASK_GT, CONSTANT_DYNAMIC_SHARED, CONSTANT_TOTAL_SHARED,
    CONSTANT_ZERO,              /* %smid and others: there is one        */
    CONSTANT_ONE,
    /* constants of a cluster */
    CONSTANT_CLUSTER_CTAID_X, CONSTANT_CLUSTER_CTAID_Y,
    CONSTANT_CLUSTER_CTAID_Z, CONSTANT_CLUSTER_NCTAID_X,
    CONSTANT_CLUSTER_NCTAID_Y, CONSTANT_CLUSTER_NCTAID_Z,
    CONSTANT_NCLUSTER_X, CONSTANT_NCLUSTER_Y, CONSTANT_NCLUSTER_Z,
    CONSTANT_CLUSTER_RANK, CONSTANT_CLUSTER_BLOCKS, CONSTANT_IS_CLUSTER,
    /* constants of a cooperative grid */
    CONSTANT_WORKSPACE_LOW, CONSTANT_WORKSPACE_HIGH,
};

/* A register that the kernel only reads: a number, or %tid.x and such. */
struct Constant { enum ConstantKind kind; uint32_t unit; uint64_t value; };

/* the executor's functions */
Handler run_branch, run_branch_table, run_which, run_no_function,
    run_malloc, run_free, run_exit, run_trap, run_nothing, run_setp,
    run_select4, run_select8, run_logic_pred, run_mov_pred, run_pack,
    run_unpack, run_param, run_param_at, run_frame_load, run_frame_store,
    run_frame_at, run_to_window, run_from_window, run_is_space, run_atomic,
    run_async, run_async_commit, run_async_wait, run_ldmatrix, run_stmatrix,
    run_shuffle, run_vote, run_match, run_redux, run_activemask, run_clock,
    run_barrier, run_warp_sync, run_mma, run_printf, run_assert, run_child,
    run_fence,
    run_wgmma, run_wgmma_fence, run_wgmma_commit, run_wgmma_wait, run_elect,
    run_setmaxnreg, run_movmatrix;
extern Handler *const run_load[2], *const run_store[2];  /* plain, wide  */

/* execute.h: what Hopper adds */
Handler run_mbarrier, run_mbarrier_pending, run_mbarrier_wait, run_bulk,
    run_bulk_commit, run_bulk_wait, run_async_arrive, run_proxy_fence;
/* The warp waits for an mbarrier in vain: its turn ends soon; it waits no
 * more. */
void warp_waits(struct Warp *);
void warp_waited(struct Warp *);

/* to[i] = to[i] op from[i]: numbers of this type, in these bytes. */
void combine_bytes(enum Op, enum Type, unsigned char *to,
                   const unsigned char *from, size_t bytes);

Handler run_cluster_arrive, run_cluster_wait, run_mapa, run_getctarank;
extern uint64_t clock_base;         /* see run_clock */

/* Where branches meet again, and which instructions end a straight run:
 * flow.c. */
bool find_meeting_points(struct Instruction *code, int n, struct Pool *,
                         struct Error *);
/* Run a warp until it waits, has returned, failed or used its slice. */
void warp_run(struct Warp *, int slice);
/* Paths of a warp: one more, its index; and the end of one. */
int path_new(struct Warp *, struct Path);
void path_end(struct Warp *, int k);
void path_idle(struct Warp *, int k);   /* ends if it waits for nobody */
/* The running instruction has looked at memory and found this. */
void warp_looked(struct Warp *, uint64_t address, uint64_t value);

/* Lanes that wait for lanes, sync.c.  May the running path execute this
 * instruction now?  False: another path has to go on.  Lanes may have
 * joined it, or have executed the instruction already. */
bool sync_ready(struct Warp *, const struct Instruction *);
/* Those of some lanes that pass the mask of the first of them. */
uint32_t same_mask(const struct Warp *, const struct Instruction *,
                   uint32_t lanes);
void sync_lanes_left(struct Warp *, uint32_t lanes);    /* they returned */
void sync_force(struct Warp *); /* who waited longest goes on alone      */
/* Run all warps of a cluster, already set up, to their end: block.c. */
void run_cluster(struct Cluster *);
bool launch_fault(struct Warp *, enum Fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What memory instructions of other files share with loads and stores. */
void lane_addresses(const struct Warp *, uint32_t unit, bool wide,
                    int64_t offset, uint64_t *to);
bool access_look(struct Warp *, struct Access *);
void access_count(struct Warp *, const struct Access *);
uint32_t access_outside(struct Warp *, const struct Access *);
void access_complain(struct Warp *, const struct Access *);
void atomic_lanes(struct Warp *, const struct Instruction *,
                  const struct Access *, unsigned char *base);
void async_end(struct Warp *);  /* its copies arrive                     */
void async_finish(struct Warp *, int lane);      /* those of a lane      */
void async_free(struct Async *);

#define NOBODY 0x7fffffffu      /* what a lane that is not there says    */

/* what wgmma shares with the executor */
/* An instruction that has registers of a wgmma is about to be executed. */
void wgmma_look(struct Warp *, const struct Instruction *, uint32_t on);
/* A block ends: complain of a warpgroup that is not complete. */
void wgmma_block_end(struct Block *);
/* The sanitizer's: may wgmma see the 16 bytes at this offset?  False, and a
 * report, if a thread has written them and not fenced. */
bool check_operand_fenced(struct Warp *, uint64_t at);
bool check_wants_sync(void);    /* does SIMT_CHECK ask for it?         */
bool check_wants_races(void);

#endif
