/* Tangled from chapters/workshop/simt-hopper.nw, "Barriers, bulk copies and clusters".  Edit it there. */

/* Barriers with phases, and copies that go on by themselves. */
#ifndef SIMT_EXECUTOR_HOPPER_H
#define SIMT_EXECUTOR_HOPPER_H

#include "simt/executor/execute.h"
#include "simt/executor/tensor_map.h"

/* an mbarrier */
struct Mbarrier {
    uint32_t pending;           /* arrivals that this phase still needs  */
    uint32_t expected;          /* arrivals of every phase               */
    int32_t bytes;              /* announced, and not yet come           */
    uint32_t parity;            /* of the phase that is under way        */
};
/* False: there is none at this offset of shared memory. */
bool mbarrier_read(const struct Block *, uint32_t at, struct Mbarrier *);
void mbarrier_write(struct Block *, uint32_t at, struct Mbarrier);

/* operations of an mbarrier */
enum MbarrierOp {
    MBARRIER_INIT, MBARRIER_INVAL, MBARRIER_ARRIVE, MBARRIER_DROP,
    MBARRIER_EXPECT, MBARRIER_COMPLETE, MBARRIER_TEST, MBARRIER_TRY,
    MBARRIER_PENDING,
};
/* Bits of an instruction's type. */
enum { BY_PARITY = 1, ANNOUNCES = 2 };

/* what a bulk copy is asked to do */
enum BulkWay {
    BULK_LOAD,                  /* global to shared; an mbarrier counts  */
    BULK_STORE,                 /* shared to global; a group of copies   */
    BULK_ACROSS,                /* shared to shared of the cluster       */
    BULK_ARRIVE,                /* no bytes: cp.async.mbarrier.arrive    */
};

/* The operands: b[0] shared memory, a[0] global memory or the map, c[0] the
 * size in bytes, c[2] the barrier, b[3] the mask of a multicast; the
 * coordinates a[1], a[2], a[3], b[1], b[2]. */
struct BulkForm {
    enum BulkWay way;
    int rank;                   /* of the tensor; 0: plain bytes         */
    bool multicast, bar_wide;
    int64_t bar_offset;
    enum Op op;                 /* OP_NONE: copy                         */
    enum Type type;             /* of the numbers, if they are combined  */
};

/* a copy on its way */
struct BulkCopy {
    const struct BulkForm *form;
    int pc;                     /* of its instruction                    */
    struct Warp *warp;          /* the thread that has asked for it      */
    int lane;
    uint64_t global;            /* address; of a tensor, in the map      */
    uint32_t shared, bytes;     /* where in shared memory; how many      */
    uint32_t room;              /* bytes there, with gaps between rows   */
    struct TensorMap map;
    int32_t at[MAX_RANK];       /* of the box's first element            */
    struct Block *to;           /* the block it writes to, if any        */
    uint32_t across;            /*   where, of BULK_ACROSS               */
    uint32_t bar, phase;        /* barrier; its phase at the start       */
    uint32_t group;             /* of the thread's groups                */
    unsigned char *kept;        /* what a store has read; NULL: nothing  */
};

/* what a block keeps of barriers and copies */
struct Tracked {
    uint32_t at;                /* offset in shared memory               */
    uint32_t phase;             /* 0, 1, ...: phases that are over       */
    int init;                   /* the instruction                       */
    uint32_t made;              /* when, for the sanitizer; 0: not known */
    bool live;                  /* initialised, and not invalidated      */
};

struct Hopper {
    struct Tracked *barrier;
    int barriers, barrier_room;
    struct BulkCopy *copy;      /* on their way, oldest first            */
    int copies, copy_room;
    uint32_t group[MAX_WARPS][LANES];   /* that a thread has committed   */
    bool grouped;               /* some of them is not 0                 */
};

/* functions of barriers and copies */
/* NULL: none was initialised there. */
struct Tracked *mbarrier_tracked(const struct Block *, uint32_t at);
/* So many threads arrive, and so many bytes: announced, or come if it is
 * negative.  May end the phase. */
void mbarrier_count(struct Block *, uint32_t at, uint32_t arrivals,
                    int32_t bytes);
/* A thread's place in the memory of its own or another block of the
 * cluster; NULL, and a fault of the launch: there is none. */
struct Block *shared_place(struct Warp *, const struct Instruction *,
                           int lane, uint64_t address, bool generic,
                           uint32_t align, uint32_t *at);
void hopper_begin(struct Block *);      /* a block begins                */
void hopper_end(struct Block *);        /* all its warps have returned   */
void hopper_free(struct Block *);

struct Hopper *hopper_of(struct Block *);       /* made if need be       */

/* Let the copies arrive that count on this barrier. */
void copies_arrive(struct Block *, uint32_t bar);

/* Call each for the parts of a copy's shared memory from this offset on. */
typedef void EachPart(const struct BulkCopy *, uint32_t at, uint32_t bytes,
                      void *to);
void copy_parts(const struct BulkCopy *, uint32_t from, EachPart *each,
                void *to);

/* Call each for the rows of a copy; see execute_bulk.c. */
struct CopyRow {
    const struct BulkCopy *copy;
    uint64_t global;            /* 0: outside of the tensor              */
    uint32_t shared;            /* from the copy's first byte on         */
    uint32_t bytes;
};
typedef void EachCopyRow(const struct CopyRow *, void *to);
void copy_rows(const struct BulkCopy *, EachCopyRow *each, void *to);

#endif
