/* Tangled from chapters/workshop/simt-hopper.nw, "Tensor maps".  Edit it there. */

/* The description of a tensor in global memory, as TMA reads it. */
#ifndef SIMT_EXECUTOR_TENSOR_MAP_H
#define SIMT_EXECUTOR_TENSOR_MAP_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { MAX_RANK = 5, TENSOR_MAP_BYTES = 128 };

/* a tensor map */
struct TensorMap {
    uint64_t known;             /* by this                               */
    uint64_t address;           /* of the first element                  */
    uint64_t stride[MAX_RANK];  /* bytes from one element to the next    */
    uint32_t last[MAX_RANK];    /* the largest coordinate                */
    uint16_t box[MAX_RANK];     /* elements that one copy moves          */
    uint8_t step[MAX_RANK];     /* every how manieth of them             */
    uint8_t rank, type;         /* type: 0 to 12, as in cuda.h           */
    uint8_t swizzle;            /* 0 to 3: none, 32, 64, 128 bytes       */
    uint8_t nan;                /* what lies outside is NaN, and not 0   */
};

/* functions of tensor maps */
/* What is to be described; the fields are the arguments of
 * cuTensorMapEncodeTiled. */
struct TensorMapWanted {
    int type;
    uint32_t rank;
    uint64_t address;
    const uint64_t *size, *stride;      /* stride: rank - 1 of them      */
    const uint32_t *box, *step;
    int interleave, swizzle, promotion, fill;
};
/* False, and why: a driver would refuse it, too. */
bool tensor_map_encode(struct TensorMap *, const struct TensorMapWanted *,
                       struct Error *);
/* Read a map for an instruction of this rank. */
bool tensor_map_take(struct TensorMap *, const unsigned char *bytes,
                     int rank, struct Error *);
uint32_t tensor_map_element(const struct TensorMap *);  /* bytes         */
uint32_t tensor_map_box_bytes(const struct TensorMap *);
/* From one row of a box to the next in shared memory, in bytes. */
uint32_t tensor_map_pitch(const struct TensorMap *);

#endif
