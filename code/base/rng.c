/* Tangled from chapters/workshop/ground-floor.nw, "Random numbers that remember nothing".  Edit it there. */

#include "base/rng.h"

#include <math.h>

/* stir a counter ten times */
static void philox_round(uint32_t c[4], const uint32_t k[2])
{
    uint64_t a = (uint64_t)0xD2511F53u * c[0];
    uint64_t b = (uint64_t)0xCD9E8D57u * c[2];
    uint32_t c1 = c[1], c3 = c[3];
    c[0] = (uint32_t)(b >> 32) ^ c1 ^ k[0];
    c[1] = (uint32_t)b;
    c[2] = (uint32_t)(a >> 32) ^ c3 ^ k[1];
    c[3] = (uint32_t)a;
}

void philox(uint32_t out[4], const uint32_t counter[4],
            const uint32_t key[2])
{
    uint32_t k[2] = { key[0], key[1] };
    for (int i = 0; i < 4; i++)
        out[i] = counter[i];
    for (int round = 0; round < 10; round++) {
        philox_round(out, k);
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
}

struct Rng rng_new(uint64_t seed, uint64_t stream)
{
    return (struct Rng){ .seed = seed, .stream = stream };
}

/* take the next word, making four when there is none */
uint32_t rng_u32(struct Rng *r)
{
    if (r->left == 0) {
        uint32_t counter[4] = {
            (uint32_t)r->block, (uint32_t)(r->block >> 32),
            (uint32_t)r->stream, (uint32_t)(r->stream >> 32) };
        uint32_t key[2] = { (uint32_t)r->seed,
                            (uint32_t)(r->seed >> 32) };
        philox(r->word, counter, key);
        r->block++;
        r->left = 4;
    }
    return r->word[4 - r->left--];
}

uint64_t rng_u64(struct Rng *r)
{
    uint64_t high = rng_u32(r);
    return (high << 32) | rng_u32(r);
}

/* turn words into numbers of other kinds */
float rng_uniform(struct Rng *r)
{
    return (float)(rng_u32(r) >> 8) * 0x1p-24f;
}

float rng_normal(struct Rng *r)
{
    double u = ((double)rng_u32(r) + 1.0) * 0x1p-32;
    double v = (double)rng_u32(r) * 0x1p-32;
    return (float)(sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v));
}

uint64_t rng_below(struct Rng *r, uint64_t n)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % n;
    uint64_t x;
    do
        x = rng_u64(r);
    while (x >= limit);
    return x % n;
}
