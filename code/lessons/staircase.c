/* Tangled from chapters/workshop/measuring-ceilings.nw, "staircase: a model of tiles and waves".  Edit it there. */

#include "lessons/staircase.h"

#include <math.h>
#include <stdbool.h>

/* the numbers of one chip */
const struct Chip chip_h200 = { 132, 835e12, 18e12, 4.3e12, 2.5e-6 };

/* the time of one tile */
/* On one multiprocessor: its share of the arithmetic, or of the cache that
 * brings m + n numbers of two bytes for each step in k. */
static double tile_seconds(const struct Chip *c, int m, int n, int K)
{
    double flop = 2.0 * m * n * 64 * ceil(K / 64.0);
    double intensity = (double)m * n / (m + n);
    return flop / fmin(c->flops, c->l2 * intensity) * c->sms;
}

/* the time of all waves */
struct Stair stair(const struct Chip *c, int m, int n, int M, int N, int K)
{
    struct Stair s = { m, n, 0, 0, 0 };
    double bytes = 2.0 * ((double)M * K + (double)K * N + (double)M * N);
    s.tiles = ceil((double)M / m) * ceil((double)N / n);
    s.waves = ceil(s.tiles / c->sms);
    s.seconds = fmax(s.waves * tile_seconds(c, m, n, K), bytes / c->hbm)
              + c->start;
    return s;
}

/* the best tile */
/* One side must be made of wgmma's 64 rows; the sums of a larger tile do
 * not fit the registers. */
static bool tile_exists(int m, int n)
{
    return (m % 64 == 0 || n % 64 == 0) && m * n <= 320 * 128;
}


struct Stair staircase(const struct Chip *c, int M, int N, int K)
{
    struct Stair best = stair(c, 64, 64, M, N, K);
    for (int m = 32; m <= 320; m += 32)
        for (int n = 32; n <= 320; n += 32)
            if (tile_exists(m, n)) {
                struct Stair s = stair(c, m, n, M, N, K);
                if (s.seconds < best.seconds)
                    best = s;
            }
    return best;
}
