/* Chapter 17b, A matmul for two cores: 17b.10 Four instruction sets */
/* Tangled from chapters/17b-cpu-matmul.nw by `make tangle`; edit it there. */

/* The micro-kernel, once per instruction set: the file that includes this
 * defines NAME, TARGET, LANES, ROWS, VECS and FMA, which end here. */
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define VEC JOIN(NAME, _vec)
#define WIDTH (LANES * VECS)

typedef real VEC __attribute__((vector_size(LANES * sizeof(real)),
                                aligned(sizeof(real)), may_alias));

/* one step of depth (17b.4) */
TARGET static inline __attribute__((always_inline)) void
JOIN(NAME, _step)(const int rows, VEC acc[ROWS][VECS], const real *a,
                  const real *b)
{
    VEC bv[VECS];
    for (int j = 0; j < VECS; j++)
        bv[j] = *(const VEC *)(b + j * LANES);
    #pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
        VEC av = a[i] - (VEC){ 0 };
        #pragma GCC unroll 4
        for (int j = 0; j < VECS; j++)
            acc[i][j] = FMA(av, bv[j], acc[i][j]);
    }
}

/* add a row of bias to the sums (17b.8) */
TARGET static inline __attribute__((always_inline)) void
JOIN(NAME, _bias)(const int rows, VEC acc[ROWS][VECS], const real *bias,
                  int cols)
{
    real row[WIDTH] = { 0 };
    for (int j = 0; j < cols; j++)
        row[j] = bias[j];
    #pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
        #pragma GCC unroll 4
        for (int j = 0; j < VECS; j++)
            acc[i][j] += *(const VEC *)(row + j * LANES);
    }
}

/* store a whole tile (17b.8) */
TARGET static inline __attribute__((always_inline)) void
JOIN(NAME, _store)(const int rows, VEC acc[ROWS][VECS],
                   const struct Tile *t)
{
    #pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
        #pragma GCC unroll 4
        for (int j = 0; j < VECS; j++) {
            VEC *c = (VEC *)(t->c + i * t->ldc + j * LANES);
            if (t->add)
                *c += acc[i][j];
            else
                *c = acc[i][j];
        }
    }
}

/* store the true columns of a padded tile (17b.8) */
TARGET static inline __attribute__((always_inline)) void
JOIN(NAME, _store_part)(const int rows, VEC acc[ROWS][VECS],
                        const struct Tile *t)
{
    real part[ROWS][WIDTH];
    #pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
        #pragma GCC unroll 4
        for (int j = 0; j < VECS; j++)
            *(VEC *)(part[i] + j * LANES) = acc[i][j];
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < t->cols; j++) {
            real *c = t->c + i * t->ldc + j;
            *c = t->add ? *c + part[i][j] : part[i][j];
        }
}

/* the micro-kernel for a fixed number of rows (17b.8) */
TARGET static inline __attribute__((always_inline)) void
JOIN(NAME, _rows)(const int rows, const struct Tile *t)
{
    VEC acc[ROWS][VECS];
    /* begin with empty sums, and ask for the lines of c (17b.8) */
    #pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
        #pragma GCC unroll 4
        for (int j = 0; j < VECS; j++)
            acc[i][j] = (VEC){ 0 };
        for (int j = 0; j < t->cols; j += 16)
            __builtin_prefetch(t->c + i * t->ldc + j, 1);
    }
    /* what one micro-kernel does, until the sums are complete (17b.7) */
    const real *a = t->a, *b = t->b;
    const char *ahead = t->ahead;
    int k = 0;
    for (; k + PREFETCH_EVERY <= t->depth; k += PREFETCH_EVERY) {
        __builtin_prefetch(ahead);
        ahead += t->step;
        for (int i = 0; i < PREFETCH_EVERY; i++, a += rows, b += WIDTH)
            JOIN(NAME, _step)(rows, acc, a, b);
    }
    for (; k < t->depth; k++, a += rows, b += WIDTH)
        JOIN(NAME, _step)(rows, acc, a, b);
    if (t->bias)
        JOIN(NAME, _bias)(rows, acc, t->bias, t->cols);
    if (t->cols == WIDTH)
        JOIN(NAME, _store)(rows, acc, t);
    else
        JOIN(NAME, _store_part)(rows, acc, t);
}

/* a micro-kernel for each number of rows (17b.8) */
#define CASE(r) case r: if (r <= ROWS) JOIN(NAME, _rows)(r, t); break;
TARGET static void JOIN(NAME, _tile)(const struct Tile *t)
{
    switch (t->rows) {
    CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
    CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14)
    }
}
#undef CASE

/* copy whole rows into a sliver (17b.10) */
TARGET static void JOIN(NAME, _copy)(real *to, const real *from,
                                     size_t deep, int depth)
{
    for (int k = 0; k < depth; k++, to += WIDTH, from += deep) {
        #pragma GCC unroll 4
        for (int j = 0; j < VECS; j++)
            *(VEC *)(to + j * LANES) = *(const VEC *)(from + j * LANES);
    }
}

/* forget the macros of this instruction set (17b.10) */
#undef JOIN
#undef JOIN2
#undef VEC
#undef WIDTH
#undef NAME
#undef TARGET
#undef LANES
#undef ROWS
#undef VECS
#undef FMA
