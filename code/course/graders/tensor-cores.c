/* Tangled from chapters/course/tensor-cores-solutions.nw, "Solutions: tensor cores".  Edit it there. */

#include "course/course.h"

#include <math.h>
#include <string.h>

/* graders of tensor cores */
static void run_holder(struct Run *r)
{
    int columns = case_size(r);
    size_t n = 64 * (size_t)columns;
    struct Array *thread = output_ints(r, "thread", n);
    struct Array *place = output_ints(r, "place", n);
    int *threads = wanted_ints(r, n), *places = wanted_ints(r, n);
    for (int t = 0; t < 128; t++)       /* from the holder to the sum     */
        for (int j = 0; j < 4 * ((columns + 7) / 8); j++) {
            int row = t / 32 * 16 + t % 32 / 4 + (j & 2) * 4;
            int column = j / 4 * 8 + t % 4 * 2 + (j & 1);
            if (column < columns) {
                threads[row * columns + column] = t;
                places[row * columns + column] = j;
            }
        }
    LAUNCH(r, "holder", blocks_for(n, 128), ARRAY(thread), ARRAY(place),
           INT(columns));
    expect_ints(r, thread, threads);
    expect_ints(r, place, places);
    budget(r, "sectors read", "gld_sec", 0, 0);
    budget(r, "sectors written", "gst_sec", 2 * 64 * 192 / 8,
           2 * 64 * 192 / 8);
    budget(r, "branches that split", "branch_div", 0, 0);
}

/* bf16 numbers between -1 and 1 */
static struct Array *input_bf16(struct Run *r, const char *name, size_t n)
{
    struct Array *a = input_array(r, name, ARRAY_BF16, n);
    for (size_t i = 0; i < n; i++)
        a->h[i] = (uint16_t)(case_random(r, 0, 1) << 15 |
                             case_random(r, 0x3d80, 0x3f7f));
    refill(r, a);
    return a;
}

static double of_bf16(const struct Array *a, size_t i)
{
    float x;
    memcpy(&x, &(uint32_t){ (uint32_t)a->h[i] << 16 }, sizeof x);
    return (double)x;
}

/* row i of a times row j of b, which have k numbers each */
static double dot_bf16(const struct Array *a, size_t i,
                       const struct Array *b, size_t j, size_t k)
{
    double sum = 0;
    for (size_t q = 0; q < k; q++)
        sum += of_bf16(a, i * k + q) * of_bf16(b, j * k + q);
    return sum;
}

static void run_fragments(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *a = input_bf16(r, "a", 256 * n);
    struct Array *b = input_bf16(r, "b", 128 * n);
    struct Array *d = output_floats(r, "d", 128 * n);
    float *wanted = wanted_floats(r, 128 * n);
    for (size_t i = 0; i < 128 * n; i++)
        wanted[i] = (float)dot_bf16(a, i / 8, b, i / 128 * 8 + i % 8, 16);
    LAUNCH(r, "products", blocks_for(32 * n, 128), ARRAY(d), ARRAY(a),
           ARRAY(b), INT((int)n));
    expect_floats(r, d, wanted, 0, 4e-6);
    budget(r, "instructions of tensor cores", "tensor_inst", 24, 24);
    budget(r, "requests to read", "gld_req", 24 * 6, 24 * 6);
    budget(r, "sectors read", "gld_sec", 24 * 48, 24 * 48);
    budget(r, "sectors written", "gst_sec", 24 * 32, 24 * 16);
}

static uint16_t to_bf16(double x)       /* the nearest, of two the even   */
{
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void run_store(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_bf16(r, "x", 16 * n);
    struct Array *w = input_bf16(r, "w", 16 * 64);
    struct Array *y = output_array(r, "y", ARRAY_BF16, 64 * n);
    LAUNCH(r, "rows", blocks_for(2 * n, 32), ARRAY(y), ARRAY(x), ARRAY(w),
           INT((int)n));
    uint16_t *wanted = (uint16_t *)wanted_ints(r, 32 * n);
    for (size_t i = 0; i < 64 * n; i++)
        wanted[i] = to_bf16(dot_bf16(x, i / 64, w, i % 64, 16));
    expect_bits(r, y, wanted);
    budget(r, "sectors written", "gst_sec", 512, 512);
    budget(r, "requests to write", "gst_req", 64, 32);
    budget(r, "sectors read", "gld_sec", 8 * 160, 8 * 160);
    budget(r, "wavefronts of shared memory", "sld_wave+sst_wave+stsm_wave",
           8 * 96, 8 * 32);
}

/* 16 numbers of x are positive, so that infinities of w have one sign. */
static void run_columns(struct Run *r)
{
    size_t n = (size_t)case_size(r), blocks = (n + 15) / 16;
    struct Array *x = input_bf16(r, "x", 16 * n);
    struct Array *w = input_bf16(r, "w", 16 * 8);
    for (size_t i = 0; i < 16 * n; i++)
        x->h[i] &= 0x7fff;
    for (size_t c = 0; c < 8; c += (size_t)case_random(r, 1, 3))
        w->h[16 * c + (size_t)case_random(r, 0, 15)] =
            (uint16_t)(case_random(r, 0, 1) << 15 | 0x7f80);
    refill(r, x), refill(r, w);
    struct Array *y = output_floats(r, "y", 8 * n);
    struct Array *part = output_floats(r, "part", 8 * blocks);
    float *wanted = wanted_floats(r, 8 * n);
    float *sums = wanted_floats(r, 8 * blocks);
    for (size_t i = 0; i < 8 * n; i++) {
        double sum = dot_bf16(x, i / 8, w, i % 8, 16);
        wanted[i] = (float)sum;
        sums[i / 128 * 8 + i % 8] += (float)sum;
    }
    LAUNCH(r, "columns", blocks_for(2 * n, 32), ARRAY(y), ARRAY(part),
           ARRAY(x), ARRAY(w), INT((int)n));
    expect_floats(r, y, wanted, 0, 4e-6);
    expect_floats(r, part, sums, 0, 3e-4);
    budget(r, "instructions of tensor cores", "tensor_inst", 7, 7);
    budget(r, "sectors read", "gld_sec", 312, 312);
    budget(r, "sectors written", "gst_sec", 114, 107);
}

/* x, cut toward zero to a multiple of 2^unit */
static double cut_to(double x, int unit)
{
    return ldexp(trunc(ldexp(x, -unit)), unit);
}

static double cut_step(double total, const float *p)
{
    double largest = fabs(total), sum;
    for (int i = 0; i < 32; i++)
        largest = fmax(largest, fabs((double)p[i]));
    if (largest <= 0)
        return 0;
    sum = cut_to(total, ilogb(largest) - 13);
    for (int i = 0; i < 32; i++)
        sum += cut_to((double)p[i], ilogb(largest) - 13);
    return fabs(sum) > 0 ? cut_to(sum, ilogb(sum) - 13) : 0;
}

static float e4m3(struct Run *r, int largest)   /* its exponent           */
{
    int m = case_random(r, 0, 15), e = case_random(r, -6, largest);
    return ldexpf(m < 8 ? (float)m : -(float)m, e - 3);
}

static void run_cut(struct Run *r)
{
    int n = case_size(r), steps = case_random(r, 1, 20);
    int kind = n % 3;
    if (case_counted(r))
        steps = 24;
    size_t row = 32 * (size_t)steps, all = row * (size_t)n;
    struct Array *p = input_floats(r, "p", all, 0, 1);
    struct Array *total = output_floats(r, "total", (size_t)n);
    float *wanted = wanted_floats(r, (size_t)n);
    for (size_t i = 0; i < all; i++) {
        p->f[i] = e4m3(r, 8) * e4m3(r, 3);
        if (kind == 1)                  /* one sign: the loss adds up     */
            p->f[i] = -fabsf(p->f[i]);
        if (kind == 2 && i / 32 % 3 != 1)       /* whole steps of zeros   */
            p->f[i] = 0;
    }
    refill(r, p);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < steps; k++)
            sum = cut_step(sum, p->f + (size_t)i * row + 32 * k);
        wanted[i] = (float)sum;
    }
    LAUNCH(r, "cut", blocks_for(32 * (size_t)n, 128), ARRAY(total),
           ARRAY(p), INT(steps), INT(n));
    expect_floats(r, total, wanted, 0, 0);
    budget(r, "sectors read", "gld_sec", 16 * 24 * 4, 16 * 24 * 4);
    budget(r, "requests to read", "gld_req", 16 * 24, 16 * 24);
    budget(r, "barriers (warps arriving)", "barriers", 0, 0);
    budget(r, "branches that split", "branch_div", 64, 16);
}

static void run_chunks(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_bf16(r, "x", 64 * n);
    struct Array *w = input_bf16(r, "w", 64 * 8);
    struct Array *y = output_floats(r, "y", 8 * n);
    float *wanted = wanted_floats(r, 8 * n);
    for (size_t i = 0; i < 8 * n; i++)
        wanted[i] = (float)dot_bf16(x, i / 8, w, i % 8, 64);
    LAUNCH(r, "product", blocks_for(2 * n, 32), ARRAY(y), ARRAY(x),
           ARRAY(w), INT((int)n));
    expect_floats(r, y, wanted, 0, 2e-5);
    budget(r, "instructions of tensor cores", "tensor_inst", 16, 16);
    budget(r, "bank conflicts", "ldsm_conf+sst_conf+sld_conf", 0, 0);
    budget(r, "wavefronts of shared memory", "ldsm_wave+sst_wave+sld_wave",
           4 * 48, 4 * 32);
    budget(r, "bytes of shared memory", "smem_static", 2048, 2048);
    budget(r, "sectors read", "gld_sec", 4 * 128, 4 * 128);
}

/* Row k of x belongs to block owner[k]: found by counting up, not by a
 * formula. */
static void run_parts(struct Run *r)
{
    int tiles = case_size(r), steps = case_random(r, 1, 30);
    int blocks = case_random(r, 1, 2 * tiles + 2);
    if (tiles == 2)
        blocks = 2;                     /* whole tiles only               */
    else if (tiles == 3)
        steps = 2, blocks = 11;         /* more blocks than rows          */
    else if (tiles == 5)
        blocks = 2;                     /* two whole tiles in each        */
    else if (tiles == 7)
        steps = 1, blocks = 2;          /* tile 3 begins block 1          */
    else if (case_counted(r))
        steps = 44, blocks = 22;
    size_t rows = (size_t)tiles * (size_t)steps;
    struct Array *x = input_floats(r, "x", 32 * rows, -1, 1);
    struct Array *y = output_floats(r, "y", 32 * (size_t)tiles);
    struct Array *part = zero_floats(r, "part", 64 * (size_t)blocks);
    float *sums = wanted_floats(r, 32 * (size_t)tiles);
    float *parts = wanted_floats(r, 64 * (size_t)blocks);
    int *owner = wanted_ints(r, rows);
    for (int k = 0, b = 0; k < (int)rows; k++) {
        while (k >= (b + 1) * (int)rows / blocks)
            b++;
        owner[k] = b;
    }
    for (int k = 0; k < (int)rows; k++) {
        int tile = k / steps, b = owner[k], start = b * (int)rows / blocks;
        bool whole = owner[tile * steps] == owner[(tile + 1) * steps - 1];
        float *to = &parts[64 * b + 32 * (start / steps != tile)];
        for (int c = 0; c < 32; c++) {
            sums[32 * tile + c] += x->f[32 * k + c];
            if (!whole)
                to[c] += x->f[32 * k + c];
        }
    }
    struct Shape shape = { .grid = { (uint32_t)blocks, 1, 1 },
                           .block = { 32, 1, 1 } };
    LAUNCH(r, "work", shape, ARRAY(y), ARRAY(part), ARRAY(x), INT(tiles),
           INT(steps));
    shape.grid.x = (uint32_t)tiles;
    LAUNCH(r, "join", shape, ARRAY(y), ARRAY(part), INT(tiles), INT(steps),
           INT(blocks));
    expect_floats(r, part, parts, 0, 2e-5);
    expect_floats(r, y, sums, 0, 2e-5);
    budget(r, "sectors read", "gld_sec", 1408 + 8 * 28,
           1408 + 4 * 28);
    budget(r, "sectors written", "gst_sec", 200, 144);
    budget(r, "branches that split", "branch_div", 0, 0);
}

static void run_group(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *a = input_bf16(r, "a", 64 * 64 * n);
    struct Array *b = input_bf16(r, "b", 8 * 64 * n);
    struct Array *c = output_floats(r, "c", 512 * n);
    float *wanted = wanted_floats(r, 512 * n);
    for (size_t i = 0; i < 512 * n; i++)
        wanted[i] = (float)dot_bf16(a, i / 8, b, i / 512 * 8 + i % 8, 64);
    LAUNCH(r, "product", blocks_for(128 * n, 128), ARRAY(c), ARRAY(a),
           ARRAY(b));
    expect_floats(r, c, wanted, 0, 2e-5);
    budget(r, "instructions of tensor cores", "tensor_inst", 64, 64);
    budget(r, "bank conflicts", "sst_conf", 0, 0);
    budget(r, "sectors read", "gld_sec", 4 * 288, 4 * 288);
    budget(r, "sectors written", "gst_sec", 4 * 64, 4 * 64);
}

extern const struct Exercise tensor_cores_exercises[];
const struct Exercise tensor_cores_exercises[] = {
    /* exercises of tensor cores */
    { .name = "tensor-cores/holder", .title = "who holds this sum?",
      .difficulty = 1, .run = run_holder,
      .size = { 1, 7, 8, 9, 17, 192 },
      .largest = 100,
      .hint = { "Take the row apart: m / 16 is the warp, m % 8 is g, and "
                "one bit of m is left.  Which part of the result does it "
                "choose?",
                "The column: n % 2 and n / 8 belong to the place, n % 8 / "
                "2 is t.",
                "The place is 4 (n / 8) + 2 (m / 8 % 2) + n % 2." } },
    { .name = "tensor-cores/fragments",
      .title = "one instruction, 2,048 products",
      .difficulty = 2, .run = run_fragments, .size = { 1, 2, 3, 5, 24 },
      .largest = 20,
      .hint = { "A row of A is 8 unsigned.  Pair t of row g is a[8 g + "
                "t]; the pair 8 columns further is 4 unsigned further.",
                "A column of B is 8 unsigned as well, and column g is the "
                "column of the lane.",
                "Begin the sums at 0.  d[0] and d[1] are neighbours in "
                "memory: one float2.",
                "For a fourth star: a sum over k may be taken in any "
                "order." } },
    { .name = "tensor-cores/store", .title = "slow: half of each sector",
      .difficulty = 3, .run = run_store,
      .size = { 1, 7, 8, 9, 16, 33, 128 }, .largest = 100,
      .hint = { "A store of the warp goes to eight rows.  How many bytes "
                "of each does it write?",
                "Put all 16 rows of 64 numbers into shared memory, then "
                "store 16 bytes a lane.  Eight lanes have a whole row.",
                "Rows of 128 bytes in shared memory begin in the same "
                "bank.  Make them 16 bytes longer.",
                "Without shared memory: which columns of w an mma "
                "multiplies is up to you." } },
    { .name = "tensor-cores/columns", .title = "broken: sums of columns",
      .difficulty = 3, .run = run_columns,
      .size = { 1, 8, 9, 15, 16, 17, 32, 100 }, .largest = 90,
      .hint = { "Which lanes hold sums of the same two columns?  A "
                "shuffle between lanes i apart: which i stay in a column?",
                "Rows beyond n are rows of zeros.  What is zero times "
                "infinity?",
                "The number of rows is known: choose 0 for a row that "
                "does not exist, after the mma." } },
    { .name = "tensor-cores/cut", .title = "a sum of 14 bits",
      .difficulty = 3, .run = run_cut, .size = { 1, 3, 5, 17, 16 },
      .largest = 20,
      .hint = { "A float's exponent is in bits 23 to 30, plus 127.  Of "
                "magnitudes, the one with the largest bits is the "
                "largest: a maximum of integers by five shuffles.",
                "Multiply by 2^(13 - e), whose bits are (140 - e) << 23, "
                "and convert to int, which cuts.  What is left of 33 "
                "numbers fits into 20 bits.",
                "Integers are added exactly.  Of a sum s, 32 - "
                "__clz(abs(s)) bits are significant: clear the lowest of "
                "them beyond 14." } },
    { .name = "tensor-cores/chunks",
      .title = "slow: eight rows in the same banks",
      .difficulty = 3, .run = run_chunks,
      .size = { 1, 7, 8, 9, 17, 64 },
      .largest = 60,
      .hint = { "ldmatrix reads the same chunk of 16 bytes of eight rows "
                "at a time.  How far apart are these in memory?",
                "The order of the chunks in a row is free.  Let it be "
                "another in each of eight rows.",
                "Chunk c of row r goes to place c ^ (r % 8), and is "
                "fetched from there." } },
    { .name = "tensor-cores/parts", .title = "equal parts",
      .difficulty = 4, .run = run_parts, .size = { 1, 2, 3, 5, 7, 8 },
      .largest = 12,
      .hint = { "A block goes through its rows tile by tile: a piece ends "
                "where the tile or the block ends, whichever is first.",
                "A piece of `steps` rows is a whole tile.  If it is not, "
                "and does not begin where the block begins, it is the "
                "last of the block.",
                "join: row k belongs to block ((k + 1) B - 1) / R.  Which "
                "blocks have the first and the last row of the tile?",
                "If both are the same block, the tile was whole. "
                "Otherwise add a row of part for each block from one to "
                "the other: which of its two?" } },
    { .name = "tensor-cores/group",
      .title = "broken: a matmul of four warps",
      .difficulty = 4, .run = run_group, .size = { 1, 2, 3, 4 },
      .largest = 5,
      .hint = { "Who else but the threads reads shared memory here, and "
                "what must be between the two?",
                "16 numbers of bf16 are 32 bytes.  How many units is that?",
                "A wgmma goes on while the warps do.  When are its sums "
                "complete?" } },
    { .name = NULL },
};
