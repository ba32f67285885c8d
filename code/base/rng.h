/* Tangled from chapters/workshop/ground-floor.nw, "Random numbers that remember nothing".  Edit it there. */

#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011): 128 random bits that
 * are a pure function of a 128-bit counter and a 64-bit key. */
void philox(uint32_t out[4], const uint32_t counter[4],
            const uint32_t key[2]);

/* A reader of one stream of numbers: key = seed, the upper half of the
 * counter = stream, the lower half counts blocks of four numbers. */
struct Rng {
    uint64_t seed, stream, block;
    uint32_t word[4];
    int left;               /* words of the block not yet given out */
};

struct Rng rng_new(uint64_t seed, uint64_t stream);
uint32_t rng_u32(struct Rng *r);
uint64_t rng_u64(struct Rng *r);
float rng_uniform(struct Rng *r);           /* [0, 1), 24 bits */
float rng_normal(struct Rng *r);            /* mean 0, variance 1 */
uint64_t rng_below(struct Rng *r, uint64_t n);  /* 0..n-1, unbiased, n>0 */

#endif
