/* Tangled from chapters/workshop/simt-runtime.nw, "The card that is described".  Edit it there. */

#ifndef SIMT_RUNTIME_CARDS_H
#define SIMT_RUNTIME_CARDS_H

#include <stdbool.h>
#include <stddef.h>

struct Kernel;

/* A card as its data sheet describes it. */
struct Gpu {
    const char *key, *name;         /* of SIMT_GPU, in messages          */
    int major, minor;               /* compute capability                */
    int sms;                        /* multiprocessors                   */
    int clock_mhz, memory_mhz, bus_bits;
    int threads_per_sm, blocks_per_sm, registers_per_sm;
    size_t shared_per_sm, shared_per_block;     /* the largest, opted in */
    size_t l2_bytes;
    double bytes_per_s;             /* of its memory                     */
    double flop_per_s;              /* float, an fma is two              */
    double tensor_flop_per_s;       /* bfloat16, dense                   */
};

/* The card that SIMT_GPU names; fails, naming the known ones, if it names
 * none. */
const struct Gpu *gpu_chosen(void);

/* Registers a thread of this kernel takes, as SIMT_REGISTERS states them
 * ("softmax=40,gemm=128", or one number for all); 0 if it does not. */
int registers_stated(const char *kernel);

struct Occupancy {
    int blocks;                     /* that fit on one multiprocessor    */
    int warps, of;                  /* theirs, and the most possible     */
    const char *limit;              /* what is used up first             */
};

/* threads and bytes are those of one block; registers may be 0, unknown */
struct Occupancy occupancy(const struct Gpu *, int threads,
                           size_t shared_bytes, int registers);

#endif
