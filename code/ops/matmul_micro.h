/* Chapter 17b, A matmul for two cores: 17b.2 The blocks */
/* Tangled from chapters/17b-cpu-matmul.nw by `make tangle`; edit it there. */

/* The micro-kernel, once per instruction set: the file that includes this
 * defines NAME, TARGET, LANES, ROWS, VECS and FMA, which are undefined here
 * again at the end. */
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define VEC JOIN(NAME, _vec)
#define WIDTH (LANES * VECS)

typedef real VEC __attribute__((vector_size(LANES * sizeof(real)),
                                aligned(sizeof(real)), may_alias));

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

TARGET static inline __attribute__((always_inline)) void
JOIN(NAME, _rows)(const int rows, const struct Tile *t)
{
    VEC acc[ROWS][VECS];
    #pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
        #pragma GCC unroll 4
        for (int j = 0; j < VECS; j++)
            acc[i][j] = (VEC){ 0 };
    }
    const real *a = t->a, *b = t->b;
    const char *ahead = t->ahead;
    int k = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j <= WIDTH; j += 16)
            __builtin_prefetch(t->c + i * t->ldc + j, 1);
    for (; k + PREFETCH_EVERY <= t->depth; k += PREFETCH_EVERY) {
        __builtin_prefetch(ahead);
        ahead += t->step;
        for (int kk = 0; kk < PREFETCH_EVERY; kk++) {
            JOIN(NAME, _step)(rows, acc, a, b);
            a += rows;
            b += WIDTH;
        }
    }
    for (; k < t->depth; k++) {
        JOIN(NAME, _step)(rows, acc, a, b);
        a += rows;
        b += WIDTH;
    }
    real part[ROWS][WIDTH];
    real *c = t->c;
    size_t ldc = t->ldc;
    if (t->cols == WIDTH && !t->bias) {
        #pragma GCC unroll 16
        for (int i = 0; i < rows; i++, c += ldc) {
            #pragma GCC unroll 4
            for (int j = 0; j < VECS; j++) {
                VEC *p = (VEC *)(c + j * LANES);
                if (t->add)
                    *p += acc[i][j];
                else
                    *p = acc[i][j];
            }
        }
        return;
    }
    #pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
        #pragma GCC unroll 4
        for (int j = 0; j < VECS; j++)
            *(VEC *)(part[i] + j * LANES) = acc[i][j];
    }
    for (int i = 0; i < rows; i++, c += ldc)
        for (int j = 0; j < t->cols; j++) {
            real x = part[i][j];
            if (t->bias)
                x += t->bias[j];
            c[j] = t->add ? c[j] + x : x;
        }
}

/* to[k][0..WIDTH) = from[k][0..WIDTH) */
TARGET static void JOIN(NAME, _copy)(real *to, const real *from,
                                     size_t deep, int depth)
{
    for (int k = 0; k < depth; k++, to += WIDTH, from += deep) {
        #pragma GCC unroll 4
        for (int j = 0; j < VECS; j++)
            *(VEC *)(to + j * LANES) = *(const VEC *)(from + j * LANES);
    }
}

#define CASE(r) case r: if (r <= ROWS) JOIN(NAME, _rows)(r, t); break;
TARGET static void JOIN(NAME, _tile)(const struct Tile *t)
{
    switch (t->rows) {
    CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
    CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14)
    }
}
#undef CASE
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
