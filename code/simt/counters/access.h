/* Tangled from chapters/workshop/simt-counters.nw, "An access and its counts".  Edit it there. */

/* What one warp instruction asks of memory, and what we keep of it. */
#ifndef SIMT_COUNTERS_ACCESS_H
#define SIMT_COUNTERS_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

/* where an access can lead */
enum Space {                    /* after generic addresses are resolved  */
    SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST, SPACE_PARAM,
    SPACES
};

/* what an access can do */
enum AccessKind {
    ACCESS_LOAD, ACCESS_STORE,
    ACCESS_ATOM,            /* read, modify, write; the result is used  */
    ACCESS_RED,             /* the same; the result is never read       */
    ACCESS_ASYNC_CA,        /* cp.async.ca: address = source in global, */
    ACCESS_ASYNC_CG,        /*   to = destination in shared             */
    ACCESS_LDMATRIX, ACCESS_STMATRIX,
    ACCESS_TMA_LOAD, ACCESS_TMA_STORE,      /* bulk copies: only their  */
    ACCESS_TMA_RED, ACCESS_TMA_ACROSS,      /*   counts are kept, there */
    ACCESS_WGMMA,                           /*   is no struct Access    */
};

enum AtomicKind {
    ATOMIC_NONE,
    ATOMIC_ADD,
    ATOMIC_INC1,                /* adds the constant 1, 32 bits, integer */
    ATOMIC_MINMAX, ATOMIC_LOGIC, ATOMIC_EXCH, ATOMIC_CAS,
};

/* one warp instruction's access to memory */
struct Access {
    enum AccessKind kind;
    enum Space space;
    uint32_t lanes;             /* which take part                       */
    int size;                   /* bytes per lane: 1, 2, 4, 8 or 16;     */
                                /*   of a vector access all of it        */
    /* where the lanes go */
    bool contiguous;            /* lane l has address[f] + size (l - f), */
                                /*   f being the first that takes part   */
    bool uniform;               /* every lane has address[f]             */
    uint64_t address[32];       /* global: device address, else offset;  */
                                /*   a multiple of size                  */
    /* what only some kinds have */
    uint64_t to[32];            /* cp.async: offset in shared memory     */
    uint8_t bytes[32];          /* cp.async: how many to read, 0 to 16   */
    int matrices;               /* ldmatrix, stmatrix: 1, 2 or 4         */
    enum AtomicKind atomic;
    bool is_float, is_64;       /* of an atomic operation                */
    uint32_t illegal;           /* lanes outside every allocation, and   */
    uint32_t misaligned;        /*   not at a multiple of size: for the  */
};                              /*   sanitizer; they move nothing        */

/* what an instruction has cost so far */
struct Traffic {
    uint64_t requests;          /* warp instructions with a lane on      */
    uint64_t sectors;           /* of 32 bytes: global and local memory  */
    uint64_t wavefronts;        /* turns: shared and constant memory; of
                                 * loads of TMA: sectors asked of the L2 */
    uint64_t conflicts;         /* wavefronts beyond the least possible  */
    uint64_t bytes;             /* that the program asked for            */
};

/* one instruction, over a launch */
struct Site {                   /* one for each instruction and launch   */
    uint64_t executed;          /* warp instructions, lanes or no lanes  */
    uint64_t active;            /* lanes, those predicated off included  */
    uint64_t on;                /* lanes whose guard was true            */
    uint64_t divergent;         /* branches that split their warp        */
    enum AccessKind kind;       /* of its accesses, if there were any    */
    struct Traffic in[SPACES];
    struct Traffic again;       /* shared loads that an atomic repeats   */
};

#endif
