/* Tangled from chapters/workshop/measuring-a-cpu.nw, "The rest of the matmul".  Edit it there. */

/* The micro-kernel, once per instruction set: the file that includes this
 * defines NAME, TARGET, LANES, ROWS, VECS, FMA and STREAM, which end
 * here. */

/* names and vectors of this instruction set */
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define VEC JOIN(NAME, _vec)
#define WIDTH (LANES * VECS)

typedef real VEC __attribute__((vector_size(LANES * sizeof(real)),
                                aligned(sizeof(real)), may_alias));

/* shuffles for this many lanes */
#define AT(i, q) ((i) % 4 + 4 * (q) + (i) / 4 * LANES)
#define FOUR_AT(q, a, b, c, d) AT(a, q), AT(b, q), AT(c, q), AT(d, q)
#if LANES == 16
#define ROWS_AT(r) FOUR(row[r] + k, row[r + 4] + k, row[r + 8] + k, \
                        row[r + 12] + k)
#define IN_FOURS(x, y, ...) MIX(x, y, FOUR_AT(0, __VA_ARGS__), \
    FOUR_AT(1, __VA_ARGS__), FOUR_AT(2, __VA_ARGS__), \
    FOUR_AT(3, __VA_ARGS__))
#elif LANES == 8
#define ROWS_AT(r) TWO(row[r] + k, row[r + 4] + k)
#define IN_FOURS(x, y, ...) MIX(x, y, FOUR_AT(0, __VA_ARGS__), \
    FOUR_AT(1, __VA_ARGS__))
#else
#define ROWS_AT(r) ((VEC)QUAD(row[r] + k))
#define IN_FOURS(x, y, ...) MIX(x, y, __VA_ARGS__)
#endif

#if LANES == 16
#define LOW_HALVES(x, y) MIX(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, \
                             5, 21, 6, 22, 7, 23)
#define HIGH_HALVES(x, y) MIX(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, \
                              28, 13, 29, 14, 30, 15, 31)
#elif LANES == 8
#define LOW_HALVES(x, y) MIX(x, y, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_HALVES(x, y) MIX(x, y, 4, 12, 5, 13, 6, 14, 7, 15)
#else
#define LOW_HALVES(x, y) MIX(x, y, 0, 4, 1, 5)
#define HIGH_HALVES(x, y) MIX(x, y, 2, 6, 3, 7)
#endif

/* one step of depth */
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
            FMA(av, bv[j], acc[i][j]);
    }
}

/* store or keep a tile */
/* store a row of a kept tile */
TARGET static inline __attribute__((always_inline)) void
JOIN(NAME, _stream)(real *c, const real *kept)
{
    #pragma GCC unroll 4
    for (int j = 0; j < WIDTH; j += LANES)
        STREAM(c + j, *(const VEC *)(kept + j));
}

/* add rows to the sums */
TARGET static inline __attribute__((always_inline)) void
JOIN(NAME, _add)(const int rows, VEC acc[ROWS][VECS], const real *from,
                 size_t step, int cols)
{
    real row[WIDTH] = { 0 };
    #pragma GCC unroll 16
    for (int i = 0; i < rows; i++, from += step) {
        const real *whole = from;
        if (cols < WIDTH)
            whole = memcpy(row, from, (size_t)cols * sizeof *row);
        #pragma GCC unroll 4
        for (int j = 0; j < VECS; j++)
            acc[i][j] += *(const VEC *)(whole + j * LANES);
    }
}

/* store a whole tile */
TARGET static inline __attribute__((always_inline)) void
JOIN(NAME, _store)(const int rows, VEC acc[ROWS][VECS], real *to,
                   size_t ldc)
{
    #pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
        #pragma GCC unroll 4
        for (int j = 0; j < VECS; j++) {
            VEC *c = (VEC *)(to + i * ldc + j * LANES);
            *c = acc[i][j];
        }
    }
}

/* store the true columns of a padded tile */
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
        memcpy(t->c + i * t->ldc, part[i], (size_t)t->cols * sizeof(real));
}

/* add up the squares of a tile */
TARGET static inline __attribute__((always_inline)) void
JOIN(NAME, _sumsq)(const int rows, VEC acc[ROWS][VECS],
                     double *sumsq)
{
    VEC sum[VECS];
    /* sum = the squares of the tile's rows */
    #pragma GCC unroll 4
    for (int j = 0; j < VECS; j++) {
        sum[j] = acc[0][j] * acc[0][j];
        #pragma GCC unroll 16
        for (int i = 1; i < rows; i++)
            FMA(acc[i][j], acc[i][j], sum[j]);
    }
    const real *of = (const real *)sum;
    for (int j = 0; j < WIDTH; j++)
        sumsq[j] += (double)of[j];
}

/* the micro-kernel for a fixed number of rows */
TARGET static inline __attribute__((always_inline)) void
JOIN(NAME, _rows)(const int rows, const struct Tile *t)
{
    VEC acc[ROWS][VECS];
    /* begin with empty sums */
    #pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
        #pragma GCC unroll 4
        for (int j = 0; j < VECS; j++)
            acc[i][j] = (VEC){ 0 };
    }
    /* what one micro-kernel does, until the sums are complete */
    const real *a = t->a, *b = t->b;
    const char *ahead = t->ahead, *next_a = (const char *)t->next_a;
    bool touch_c = !t->buffer && !t->pending;
    size_t row = 0;
    int k = 0;
    for (; k + TOUCH_EVERY <= t->depth; k += TOUCH_EVERY) {
        /* prefetch a line of the next a and b, and a row of c */
        __builtin_prefetch(ahead, 0, 2);
        __builtin_prefetch(next_a, 0, 2);
        ahead += t->step;
        next_a += 64;
        if (k < ROWS * TOUCH_EVERY) {
            /* store a row of the tile before, if one was kept */
            if (t->pending)
                JOIN(NAME, _stream)(t->pending_c + row * t->ldc,
                                    t->pending + row * WIDTH);
            #pragma GCC unroll 4
            for (int j = 0; j < VECS && touch_c; j++)
                __builtin_prefetch(t->next_c + row * t->ldc + j * LANES, 0, 2);
            row++;
        }
        for (int i = 0; i < TOUCH_EVERY; i++, a += ROWS, b += WIDTH)
            JOIN(NAME, _step)(rows, acc, a, b);
    }
    for (; k < t->depth; k++, a += ROWS, b += WIDTH)
        JOIN(NAME, _step)(rows, acc, a, b);
    /* add what is to be added, and the squares */
    if (t->bias)
        JOIN(NAME, _add)(rows, acc, t->bias, 0, t->cols);
    if (t->add)
        JOIN(NAME, _add)(rows, acc, t->c, t->ldc, t->cols);
    if (t->sumsq)
        JOIN(NAME, _sumsq)(rows, acc, t->sumsq);
    /* keep or store the tile */
    if (t->buffer)
        JOIN(NAME, _store)(rows, acc, t->buffer, WIDTH);
    else if (t->cols == WIDTH)
        JOIN(NAME, _store)(rows, acc, t->c, t->ldc);
    else
        JOIN(NAME, _store_part)(rows, acc, t);
}

/* a micro-kernel for each number of rows */
#define CASE(r) case r: if (r <= ROWS) JOIN(NAME, _rows)(r, t); break;
TARGET static void JOIN(NAME, _tile)(const struct Tile *t)
{
    switch (t->rows) {
    CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
    }
}
#undef CASE

/* pack an operand into slivers */
/* pack four depths of a sliver */
/* to[k][l] = row[l][k] for k < 4, l < LANES. */
TARGET static inline __attribute__((always_inline)) void
JOIN(NAME, _turn)(real *to, int width, const real *const row[LANES],
                  int k)
{
    VEC a = ROWS_AT(0), b = ROWS_AT(1), c = ROWS_AT(2), d = ROWS_AT(3);
    VEC ab0 = IN_FOURS(a, b, 0, 4, 1, 5), ab1 = IN_FOURS(a, b, 2, 6, 3, 7);
    VEC cd0 = IN_FOURS(c, d, 0, 4, 1, 5), cd1 = IN_FOURS(c, d, 2, 6, 3, 7);
    *(VEC *)to = IN_FOURS(ab0, cd0, 0, 1, 4, 5);
    *(VEC *)(to + width) = IN_FOURS(ab0, cd0, 2, 3, 6, 7);
    *(VEC *)(to + 2 * width) = IN_FOURS(ab1, cd1, 0, 1, 4, 5);
    *(VEC *)(to + 3 * width) = IN_FOURS(ab1, cd1, 2, 3, 6, 7);
}

/* turn the lines of a sliver */
/* The same for all lines and for depths in fours; returns how many. */
TARGET static int JOIN(NAME, _turn_all)(real *to, int width,
                                        const real *from, size_t line,
                                        int lines, int depth)
{
    int k = 0;
    for (int i = 0; i < width; i += LANES) {
        const real *row[LANES];
        for (int l = 0; l < LANES; l++)
            row[l] = from + (i + l < lines ? i + l : lines - 1) * line;
        for (k = 0; k + 4 <= depth; k += 4)
            JOIN(NAME, _turn)(to + i + (size_t)k * width, width, row, k);
    }
    return k;
}

/* copy the rows of a sliver */
/* to[k][i] = from[k deep + i] for i < width and a little further. */
TARGET static inline __attribute__((always_inline)) int
JOIN(NAME, _copy)(const int width, real *to, const real *from, size_t deep,
                  int depth)
{
    for (int k = 0; k < depth; k++, to += width, from += deep)
        for (int i = 0; i < width; i += LANES)
            *(VEC *)(to + i) = *(const VEC *)(from + i);
    return depth;
}

/* pack one sliver */
/* to[k][i] = from[i line + k deep] for i < lines; the last line again in
 * what is left up to width, which is ROWS or WIDTH. */
TARGET static void JOIN(NAME, _pack)(real *to, int width, const real *from,
                                     size_t line, size_t deep, int lines,
                                     int depth)
{
    /* k = as many depths as vectors can pack */
    int k = 0, inside = width % LANES ? depth - 1 : depth;
    if (deep == 1)
        k = JOIN(NAME, _turn_all)(to, width, from, line, lines, inside);
    else if (line == 1 && lines >= width + LANES - 1 && width == ROWS)
        k = JOIN(NAME, _copy)(ROWS, to, from, deep, inside);
    else if (line == 1 && lines == WIDTH)
        k = JOIN(NAME, _copy)(WIDTH, to, from, deep, inside);
    for (; k < depth; k++)
        for (int i = 0; i < width; i++)
            to[(size_t)k * width + i] =
                from[(i < lines ? i : lines - 1) * line + k * deep];
}

/* add some rows of b for few rows of a */
/* sums[m] += a[m][0] b[0] + a[m][1] b[1] + ..., one after another, for a
 * vector of columns of each of the M rows of a */
TARGET static inline __attribute__((always_inline)) void
JOIN(NAME, _add_few)(const int rows, const struct Few *f, real *sums,
                     const real *a, const VEC *b)
{
    for (int m = 0; m < f->M; m++, a += f->lda) {
        VEC s = *(VEC *)(sums + m * FEW_COLS);
        #pragma GCC unroll 16
        for (int r = 0; r < rows; r++)
            FMA(a[r] - (VEC){ 0 }, b[r], s);
        *(VEC *)(sums + m * FEW_COLS) = s;
    }
}


TARGET static inline __attribute__((always_inline)) int
JOIN(NAME, _one_plain)(const int rows, const struct Few *f, int k)
{
    const size_t ldb = f->ldb;
    const real *b = f->b + (size_t)k * ldb;
    real *sums = f->sums;
    VEC a[8];
    int n = 0;
    #pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
        a[r] = f->a[k + r] - (VEC){ 0 };
    for (const int end = f->cols - LANES; n <= end; n += LANES) {
        VEC s = *(VEC *)(sums + n);
        #pragma GCC unroll 8
        for (int r = 0; r < rows; r++)
            FMA(a[r], *(const VEC *)(b + (size_t)r * ldb + n), s);
        *(VEC *)(sums + n) = s;
    }
    return n;
}


TARGET static inline __attribute__((always_inline)) void
JOIN(NAME, _few_plain)(const int rows, const struct Few *f, int k)
{
    const real *b = f->b + (size_t)k * f->ldb;
    VEC v[8];
    int n = 0;
    if (f->M == 1)
        n = JOIN(NAME, _one_plain)(rows, f, k);
    for (; n + LANES <= f->cols; n += LANES) {
        #pragma GCC unroll 8
        for (int r = 0; r < rows; r++)
            v[r] = *(const VEC *)(b + (size_t)r * f->ldb + n);
        JOIN(NAME, _add_few)(rows, f, f->sums + n, f->a + k, v);
    }
    if (n < f->cols) {
        /* add the last columns, fewer than a vector */
        const size_t bytes = (size_t)(f->cols - n) * sizeof *b;
        for (int r = 0; r < rows; r++) {
            v[r] = (VEC){ 0 };
            memcpy(&v[r], b + (size_t)r * f->ldb + n, bytes);
        }
        JOIN(NAME, _add_few)(rows, f, f->sums + n, f->a + k, v);
    }
}


/* v[i][l] becomes v[l][i]. */
TARGET static inline __attribute__((always_inline)) void
JOIN(NAME, _turn_square)(VEC v[LANES])
{
    VEC t[LANES];
    #pragma GCC unroll 4
    for (int round = 1; round < LANES; round *= 2) {
        #pragma GCC unroll 8
        for (int i = 0; i < LANES / 2; i++) {
            t[2 * i] = LOW_HALVES(v[i], v[i + LANES / 2]);
            t[2 * i + 1] = HIGH_HALVES(v[i], v[i + LANES / 2]);
        }
        #pragma GCC unroll 16
        for (int i = 0; i < LANES; i++)
            v[i] = t[i];
    }
}


/* Columns n .. n + LANES of the sums, from as many rows of b; the last of
 * `lines` rows again if there are fewer. */
TARGET static inline __attribute__((always_inline)) void
JOIN(NAME, _few_turned)(const struct Few *f, int n, int lines)
{
    const real *row[LANES];
    VEC v[LANES];
    int k = 0;
    for (int l = 0; l < LANES; l++)
        row[l] = f->b + (size_t)(n + (l < lines ? l : lines - 1)) * f->ldb;
    for (; k + LANES <= f->depth; k += LANES) {
        for (int l = 0; l < LANES; l++) {
            v[l] = *(const VEC *)(row[l] + k);
            __builtin_prefetch(row[l] + LANES * f->ldb + k);
        }
        JOIN(NAME, _turn_square)(v);
        JOIN(NAME, _add_few)(LANES, f, f->sums + n, f->a + k, v);
    }
    /* add the last depths, fewer than a vector */
    for (; k < f->depth; k++) {
        for (int l = 0; l < LANES; l++)
            ((real *)v)[l] = row[l][k];
        JOIN(NAME, _add_few)(1, f, f->sums + n, f->a + k, v);
    }
}


/* add rows of b, transposed or not, for few rows of a */
TARGET static void JOIN(NAME, _few)(const struct Few *f)
{
    int k = 0;
    for (int n = 0; f->turned && n < f->cols; n += LANES)
        JOIN(NAME, _few_turned)(f, n, f->cols - n);
    for (; !f->turned && k + 8 <= f->depth; k += 8)
        JOIN(NAME, _few_plain)(8, f, k);
    for (; !f->turned && k < f->depth; k++)
        JOIN(NAME, _few_plain)(1, f, k);
}

/* undefine the macros of this instruction set */
#undef JOIN
#undef JOIN2
#undef VEC
#undef WIDTH
#undef NAME
#undef TARGET
#undef LANES
#undef ROWS
#undef ROWS_AT
#undef IN_FOURS
#undef AT
#undef FOUR_AT
#undef LOW_HALVES
#undef HIGH_HALVES
#undef VECS
#undef FMA
#undef STREAM
