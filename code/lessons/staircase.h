/* Tangled from chapters/workshop/measuring-ceilings.nw, "staircase: a model of tiles and waves".  Edit it there. */

#ifndef LESSONS_STAIRCASE_H
#define LESSONS_STAIRCASE_H

/* How long a product takes on a GPU that cuts it into tiles: a model. */

/* a chip, as the staircase sees it */
struct Chip {
    int sms;                    /* multiprocessors, a tile on each      */
    double flops;               /* FLOP/s of all their tensor cores     */
    double l2, hbm;             /* bytes/s from the cache, from memory  */
    double start;               /* seconds before the first FLOP and
                                 * after the last                       */
};

/* An H200; flops, l2 and start are fitted to measured products. */
extern const struct Chip chip_h200;

/* a product cut into tiles */
struct Stair {
    int m, n;                   /* the tile */
    double tiles, waves, seconds;
};

/* c[M,N] = a[M,K] b[K,N] in bf16, tiles of m by n. */
struct Stair stair(const struct Chip *c, int m, int n, int M, int N, int K);

/* The same with the best of the tiles that libraries have. */
struct Stair staircase(const struct Chip *c, int M, int N, int K);

#endif
