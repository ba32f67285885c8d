/* Tangled from chapters/workshop/simt-wgmma.nw, "Sums to compare with a GPU's".  Edit it there. */

#ifndef BENCH_TENSOR_CASES_H
#define BENCH_TENSOR_CASES_H

/* Operands on which tensor cores are compared with the software GPU's. */
#include "simt/executor/tensor_sum.h"

/* kinds of tensor sums */
enum { TENSOR_CLASSES = 6, TENSOR_TILES = 40 };

struct TensorKind {
    const char *name;
    enum TensorType a, b;
    int k;
    bool wgmma, half_sum;
};

enum { TENSOR_KINDS = 18 };
extern const struct TensorKind tensor_kinds[TENSOR_KINDS];
extern const char *const tensor_classes[TENSOR_CLASSES];

/* A row of a, a column of b: 32 bytes along the depth, fewer if k says so.
 * c: old sums, the bits of an fp32, an fp16 or an integer. */
struct TensorTile {
    unsigned char a[64][32], b[64][32];
    uint32_t c[64][64];
};

void tensor_tile(struct TensorTile *, int kind, int operands, int number);

/* Go on with a hash, which starts at 0. */
uint64_t tensor_hash(uint64_t hash, const uint32_t *x, int n);

/* operands at random places */
enum { PLACES_BYTES = 96 * 1024, PLACES = 512 };

/* The descriptors of a and b from offset 0 on, and which are transposed. */
struct TensorPlaces { uint64_t a, b; bool turn_a, turn_b; };
struct TensorPlaces tensor_places(int number);
void tensor_memory(uint16_t *memory);   /* [PLACES_BYTES / 2] */

#endif
