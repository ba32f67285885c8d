/* Attention in bf16 against the same formula in double.  Every impl of it
 * that this build has runs every row: mma.sync anywhere, wgmma on Hopper.
 * The rule of the tolerances is that of tests/rows.h; the plain version is
 * in float, its outputs rounded to bf16. */
#include "ops_fixture.h"
#include "ops/adamw/adamw.h"
#include "ops/attention/attention_bf16.h"
#include "backend/backend.h"
#include "plain_flash.h"
#include "tensor.h"

/* ---- one attention, its reference and its implementations ---------------------- */

struct Case {
    int B, T, C, NH;
    struct Tensor qkv, y, lse, dy, dqkv, dbias;
};

static const char *const impls[] = { "mma", "hopper", "passes" };
enum { BODIES = 3 };

static void round_to_bf16(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = bf16_to_float(float_to_bf16(x[i]));
}

static float whole(float x)
{
    return x;
}

static void reference(struct Case *c)
{
    int B = c->B, T = c->T, C = c->C, NH = c->NH;
    plain_attention_d(c->y.exact, c->lse.exact, c->qkv.exact, B, T, C, NH);
    plain_attention_f(c->y.plain, c->lse.plain, c->qkv.plain, B, T, C, NH);
    round_to_bf16(c->y.plain, c->y.n);
    memset(c->dqkv.exact, 0, c->dqkv.n * sizeof *c->dqkv.exact);
    memset(c->dqkv.plain, 0, c->dqkv.n * sizeof *c->dqkv.plain);
    plain_attention_bwd_d(c->dqkv.exact, c->dy.exact, c->qkv.exact,
                          c->lse.exact, B, T, C, NH);
    plain_flash_bwd(c->dqkv.plain, c->dy.plain, c->qkv.plain, c->y.plain,
                    c->lse.plain, B, T, C, NH, whole);
    round_to_bf16(c->dqkv.plain, c->dqkv.n);
    memset(c->dbias.exact, 0, c->dbias.n * sizeof *c->dbias.exact);
    memset(c->dbias.plain, 0, c->dbias.n * sizeof *c->dbias.plain);
    for (size_t i = 0; i < c->dqkv.n; i++) {
        c->dbias.plain[i % c->dbias.n] += c->dqkv.plain[i];
        c->dbias.exact[i % c->dbias.n] += c->dqkv.exact[i];
    }
}

static struct Case new_case(const struct Row *row)
{
    int B = row_int(row, "B"), T = row_int(row, "T");
    int NH = row_int(row, "NH"), HS = row_int(row, "HS"), C = NH * HS;
    double size = row_number(row, "size", 1);
    size_t n = (size_t)B * (size_t)T * (size_t)C;
    struct Case c = { B, T, C, NH, out16("qkv", 3 * n), out16("y", n),
                      out32("lse", n / (size_t)HS),
                      tensor("dy", 2, n, 2, 0, 1), out16("dqkv", 3 * n),
                      out32("dbias", 3 * (size_t)C) };
    for (size_t i = 0; i < 3 * n; i++) {
        bool v = (int)(i % (3 * (size_t)C)) >= 2 * C;
        tensor_set(&c.qkv, i, (v ? 1 : size) * 2 * noise(1, i));
    }
    tensor_send(&c.qkv);
    return c;
}

static void free_case(struct Case *c)
{
    tensor_free(&c->qkv);
    tensor_free(&c->y);
    tensor_free(&c->lse);
    tensor_free(&c->dy);
    tensor_free(&c->dqkv);
    tensor_free(&c->dbias);
}

static void forward(struct Case *c)
{
    tensor_clear(&c->y);
    tensor_clear(&c->lse);
    attention_bf16_fwd(c->y.ours, c->lse.ours, c->qkv.ours, c->B, c->T, c->C, c->NH);
    tensor_fetch(&c->y);
    tensor_fetch(&c->lse);
}

void *backend_scratch(size_t bytes);    /* of ops/kernels/common.cuh, which is not C */

/* What ran before has left D and sums of a bias there: NaN instead. */
static void spoil_scratch(const struct Case *c)
{
    size_t tiles = c->T > 512 ? ((size_t)c->T + 63) / 64 : 8;
    size_t sums = 2 * (size_t)c->B * tiles * (size_t)c->C;
    size_t bytes = (c->lse.n + sums) * sizeof(float);
    void *nan = malloc(bytes);
    memset(nan, 0xff, bytes);
    backend_put(backend_scratch(bytes), nan, bytes);
    free(nan);
}

static void backward(struct Case *c)
{
    spoil_scratch(c);
    tensor_clear(&c->dqkv);
    tensor_clear(&c->dbias);
    attention_bf16_bwd(c->dqkv.ours, c->dbias.ours, c->dy.ours, c->qkv.ours,
              c->y.ours, c->lse.ours, c->B, c->T, c->C, c->NH, false);
    tensor_fetch(&c->dqkv);
    tensor_fetch(&c->dbias);
}

/* The rule, for elements first, first + step, ... in groups of `run`. */
static void close_to(const char *impl, const char *what,
                     const struct Tensor *t, size_t first, size_t run,
                     size_t step, double unit)
{
    double worst = 0, off = 0, square = 0, off_square = 0, size = 0;
    size_t where = 0, n = 0;
    for (size_t i = first; i < t->n; i += (i - first) % step == run - 1
                                        ? step - run + 1 : 1) {
        double e = fabs(tensor_at(t, i) - t->exact[i]);
        double f = fabs((double)t->plain[i] - t->exact[i]);
        if (!(e <= worst)) {
            worst = e;
            where = i;
            if (isnan(e))
                break;
        }
        off = f > off ? f : off;
        size = fabs(t->exact[i]) > size ? fabs(t->exact[i]) : size;
        square += e * e;
        off_square += f * f;
        n++;
    }
    double half = size * unit / 2;
    half = half > 0x1p-20 ? half : 0x1p-20;     /* of sums that cancel */
    double allowed = 2 * (off > half ? off : half);
    double rms = sqrt(off_square / (double)n);
    if (getenv("FACTS"))                /* rows for tests/attention.sh */
        printf("attention.error.%s.size,%.2g\nattention.error.%s.rms,%.2g\n"
               "attention.error.%s.plain-rms,%.2g\n"
               "attention.error.%s.worst,%.2g\n"
               "attention.error.%s.plain-worst,%.2g\n", what, size, what,
               sqrt(square / (double)n), what, rms, what, worst, what, off);
    if (!(worst <= allowed))
        fail_msg("%s: %s[%zu] is %.9g, should be %.9g: err %.3g, allowed "
                 "%.3g", impl, what, where, tensor_at(t, where),
                 t->exact[where], worst, allowed);
    rms = rms > half / 2 ? rms : half / 2;
    if (!(sqrt(square / (double)n) <= 2 * rms))
        fail_msg("%s: %s: root mean square err %.3g, allowed %.3g", impl,
                 what, sqrt(square / (double)n), 2 * rms);
}

static void close_fwd(const char *impl, struct Case *c)
{
    close_to(impl, "y", &c->y, 0, 1, 1, 0x1p-8);
    close_to(impl, "lse", &c->lse, 0, 1, 1, 0x1p-22);
}

/* dq, dk and dv are of different sizes: each by itself.  What is left of
 * the sum of dk is rounding, of the plain version; exactly, it is 0. */
static void close_bwd(const char *impl, struct Case *c)
{
    static const char *const part[] = { "dq", "dk", "dv" };
    static const char *const sum[] = { "dbias-q", "dbias-k", "dbias-v" };
    size_t C = (size_t)c->C;
    for (size_t i = 0; i < 3; i++) {
        close_to(impl, part[i], &c->dqkv, i * C, C, 3 * C, 0x1p-8);
        close_to(impl, sum[i], &c->dbias, i * C, C, 3 * C, 0x1p-8);
    }
}

/* On the software GPU, Hopper's kernels run if the argument is `hopper`, in
 * small sizes, and the others without it.  tests/simt_hopper.sh says why. */
static bool only_hopper;

static bool runs(const char *impl, const struct Case *c)
{
    bool simt = strcmp(backend_kind_name(), "simt") == 0;
    bool small = c->B * c->T * c->NH <= 200;
    bool mma = strcmp(impl, "mma") == 0;
    return (!simt || (mma ? !only_hopper : only_hopper && small))
           && attention_bf16_use(impl);
}

/* Every impl, and of it what is asked for; backward needs y and lse. */
static void against_reference(const struct Row *row, bool fwd, bool bwd)
{
    struct Case c = new_case(row);
    reference(&c);
    for (int i = 0; i < BODIES; i++)
        if (runs(impls[i], &c)) {
            forward(&c);
            if (fwd)
                close_fwd(impls[i], &c);
            if (bwd) {
                backward(&c);
                close_bwd(impls[i], &c);
            }
        }
    free_case(&c);
}

static void fwd(const struct Row *row)
{
    against_reference(row, true, false);
}

static void bwd(const struct Row *row)
{
    against_reference(row, false, true);
}

static void both(const struct Row *row)
{
    against_reference(row, true, true);
}

static unsigned char *copy_of(const struct Tensor *t)
{
    unsigned char *bytes = malloc(t->n * t->each);
    memcpy(bytes, t->host + GUARD_BYTES, t->n * t->each);
    return bytes;
}

/* Frees the copy, too. */
static void same_as(unsigned char *copy, const struct Tensor *t,
                    const char *impl, const char *when)
{
    if (memcmp(copy, t->host + GUARD_BYTES, t->n * t->each) != 0)
        fail_msg("%s: %s has other bits %s", impl, t->name, when);
    free(copy);
}

/* Added to what dbias holds, and not asked for: the same gradients. */
static void bias(const struct Row *row)
{
    struct Case c = new_case(row);
    for (int k = 0; k < BODIES; k++) {
        if (!runs(impls[k], &c))
            continue;
        forward(&c);
        backward(&c);
        unsigned char *g = copy_of(&c.dqkv);
        for (size_t i = 0; i < c.dbias.n; i++) {
            float want = (float)tensor_at(&c.dbias, i) + (float)i;
            tensor_set(&c.dbias, i, (double)i);
            c.dbias.plain[i] = want;
        }
        tensor_send(&c.dbias);
        attention_bf16_bwd(c.dqkv.ours, c.dbias.ours, c.dy.ours, c.qkv.ours,
                  c.y.ours, c.lse.ours, c.B, c.T, c.C, c.NH, true);
        tensor_fetch(&c.dbias);
        for (size_t i = 0; i < c.dbias.n; i++)
            if (!(tensor_at(&c.dbias, i) == (double)c.dbias.plain[i]))
                fail_msg("%s: dbias[%zu] was %zu and is %.9g, should be "
                         "%.9g", impls[k], i, i, tensor_at(&c.dbias, i),
                         (double)c.dbias.plain[i]);
        tensor_clear(&c.dqkv);
        attention_bf16_bwd(c.dqkv.ours, NULL, c.dy.ours, c.qkv.ours, c.y.ours,
                  c.lse.ours, c.B, c.T, c.C, c.NH, false);
        tensor_fetch(&c.dqkv);
        same_as(g, &c.dqkv, impls[k], "without dbias");
    }
    free_case(&c);
}

static void same_bits(const struct Row *row)
{
    struct Case c = new_case(row);
    for (int i = 0; i < BODIES; i++)
        if (runs(impls[i], &c)) {
            forward(&c);
            backward(&c);
            unsigned char *y = copy_of(&c.y), *g = copy_of(&c.dqkv);
            unsigned char *b = copy_of(&c.dbias);
            forward(&c);
            backward(&c);
            same_as(y, &c.y, impls[i], "the second time");
            same_as(g, &c.dqkv, impls[i], "the second time");
            same_as(b, &c.dbias, impls[i], "the second time");
        }
    free_case(&c);
}

/* Left to itself, attention_bf16_bwd takes the impl that the row names. */
static void best(const struct Row *row)
{
    const char *want = row_int(row, "passes") ? "passes" : "hopper";
    struct Case c = new_case(row);
    attention_bf16_use(want);
    forward(&c);
    backward(&c);
    unsigned char *g = copy_of(&c.dqkv), *b = copy_of(&c.dbias);
    attention_bf16_use("best");
    backward(&c);
    same_as(g, &c.dqkv, want, "when left to itself");
    same_as(b, &c.dbias, want, "when left to itself");
    free_case(&c);
}

/* What attention_bf16_bwd has made now, against what is in plain, head by head and
 * third of dbias by third; within bf16. */
static void near_plain(const char *impl, const struct Case *c)
{
    size_t C = (size_t)c->C, W = 3 * C, HS = C / (size_t)c->NH;
    size_t heads = W / HS * (size_t)c->B;
    double *off = calloc(2 * heads + 6, sizeof *off), *size = off + heads + 3;
    for (size_t i = 0; i < c->dqkv.n + W; i++) {
        const struct Tensor *t = i < c->dqkv.n ? &c->dqkv : &c->dbias;
        size_t j = i < c->dqkv.n ? i : i - c->dqkv.n;
        size_t part = i < c->dqkv.n ? i / (W * (size_t)c->T) * (W / HS)
                                      + i % W / HS : heads + j / C;
        double x = t->plain[j], d = tensor_at(t, j) - x;
        off[part] += d * d;
        size[part] += x * x;
    }
    for (size_t i = 0; i < heads + 3; i++)
        if (!(off[i] <= 0x1p-14 * size[i]))
            fail_msg("%s: head %zu of %zu (q, k, v of a sequence, then the "
                     "next; then dbias) differs by %.3g of its length from "
                     "what the other impl makes", impl, i, heads,
                     sqrt(off[i] / size[i]));
    free(off);
}

/* Where a reference would take minutes: what Hopper's implementations make of the
 * same y as the one for any GPU. */
static void agree(const struct Row *row)
{
    if (getenv("SANITIZING")) {
        print_message("# too large for a sanitizer\n");
        skip();
    }
    struct Case c = new_case(row);
    attention_bf16_use("mma");
    forward(&c);
    backward(&c);
    for (size_t i = 0; i < c.dqkv.n; i++)
        c.dqkv.plain[i] = (float)tensor_at(&c.dqkv, i);
    for (size_t i = 0; i < c.dbias.n; i++)
        c.dbias.plain[i] = (float)tensor_at(&c.dbias, i);
    for (int k = 1; k < BODIES; k++) {
        attention_bf16_use(impls[k]);
        backward(&c);
        near_plain(impls[k], &c);
    }
    free_case(&c);
}

/* NaN in the query of row 40, key of row 50, value of row 60, in turn:
 * everything that depends on it says so, and no tile that does not. */
static void not_a_number(const struct Row *row)
{
    struct Case c = new_case(row);
    size_t W = 3 * (size_t)c.C, HS = (size_t)(c.C / c.NH), C = W / 3;
    for (size_t part = 0; part < 3; part++) {
        size_t hit = 40 + 10 * part, i = hit * W + part * C + 5;
        double was = tensor_at(&c.qkv, i);
        tensor_set(&c.qkv, i, NAN);
        tensor_send(&c.qkv);
        for (int k = 0; k < BODIES; k++) {
            if (!runs(impls[k], &c))
                continue;
            forward(&c);
            backward(&c);
            for (size_t t = hit; t < (size_t)c.T; t++)
                if (!isnan(tensor_at(&c.y, t * C + 5))
                    && (part || t == hit))
                    fail_msg("%s: NaN in row %zu of %c is lost in row %zu "
                             "of y", impls[k], hit, "qkv"[part], t);
            for (size_t t = 0; t < hit && part == 1; t++)
                if (!isnan(tensor_at(&c.dqkv, hit * W + C + 5)))
                    fail_msg("%s: NaN in row %zu of k is lost in dk",
                             impls[k], hit);
            for (size_t t = 0; t < (size_t)c.T; t++)
                if (isnan(tensor_at(&c.y, t * C + HS)))
                    fail_msg("%s: NaN of the first head in the second, row "
                             "%zu", impls[k], t);
        }
        tensor_set(&c.qkv, i, was);
    }
    free_case(&c);
}

static const struct Row rows[] = {
    { "attention_bf16_fwd B=1 T=1 NH=1 HS=64", fwd, "writes behind row T" },
    { "attention_bf16_fwd B=2 T=33 NH=3 HS=64", fwd, "the head's or batch's offset" },
    { "attention_bf16_fwd B=1 T=64 NH=1 HS=64", fwd, "the diagonal hidden, too" },
    { "attention_bf16_fwd B=1 T=65 NH=2 HS=32", fwd, "64 written as a constant" },
    { "attention_bf16_fwd B=1 T=257 NH=1 HS=64", fwd,
      "sums so far not scaled; stages mixed up" },
    { "attention_bf16_fwd B=3 T=65 NH=1 HS=80", fwd, "a head of powers of 2" },
    { "attention_bf16_fwd B=1 T=130 NH=1 HS=128", fwd, "48 KB of shared memory" },
    { "attention_bf16_fwd B=1 T=100 NH=1 HS=64 size=40", fwd,
      "no maximum subtracted: inf / inf" },
    { "attention_bf16_fwd B=2 T=513 NH=7 HS=80", fwd,
      "the largest probability of a row rounded" },
    { "attention_bf16_bwd B=1 T=1 NH=1 HS=64", bwd, "writes behind row T" },
    { "attention_bf16_bwd B=2 T=33 NH=3 HS=64", bwd, "scale left out of dq or dk" },
    { "attention_bf16_bwd B=1 T=64 NH=1 HS=64", bwd, "the diagonal hidden, too" },
    { "attention_bf16_bwd B=1 T=65 NH=2 HS=32", bwd, "64 written as a constant" },
    { "attention_bf16_bwd B=1 T=257 NH=1 HS=64", bwd, "stages mixed up" },
    { "attention_bf16_bwd B=3 T=65 NH=1 HS=80", bwd, "lanes of D: 10 is not 2^n" },
    { "attention_bf16_bwd B=1 T=130 NH=1 HS=128", bwd, "48 KB of shared memory" },
    { "attention_bf16_bwd B=1 T=100 NH=1 HS=64 size=40", bwd, "lse of base 2" },
    { "attention_bf16_bwd B=12 T=40 NH=12 HS=64", bwd,
      "sums of a bias not begun anew: more heads than multiprocessors" },
    { "flash bias B=2 T=65 NH=2 HS=32", bias, "overwritten, not added" },
    { "flash bias B=1 T=130 NH=3 HS=80", bias,
      "columns behind C in a last block" },
    { "flash same bits B=1 T=130 NH=2 HS=64", same_bits,
      "sums in the order of arrival" },
    { "flash NaN B=1 T=80 NH=2 HS=64", not_a_number,
      "fmax drops NaN: y of one maximum" },
};

/* Sizes that the software GPU would work on for minutes. */
static const struct Row large[] = {
    { "flash large B=2 T=1024 NH=3 HS=64", both, "a race, many tiles" },
    { "flash large B=1 T=1000 NH=2 HS=128", both, "a race, many tiles" },
    { "flash large B=1 T=1 NH=1 HS=128", both, "writes behind row T" },
    { "flash large B=2 T=33 NH=3 HS=128", both,
      "scale left out of dq or dk" },
    { "flash large B=1 T=64 NH=1 HS=128", both, "the diagonal hidden, too" },
    { "flash large B=3 T=65 NH=1 HS=128", both, "a group without rows" },
    { "flash large B=1 T=257 NH=2 HS=128", both, "stages mixed up" },
    { "flash large B=1 T=100 NH=1 HS=128 size=40", both, "lse of base 2" },
    { "flash large bias B=2 T=65 NH=2 HS=128", bias,
      "overwritten, not added" },
    { "flash large NaN B=1 T=80 NH=2 HS=128", not_a_number,
      "a head's columns in the next one" },
    { "flash large B=2 T=513 NH=3 HS=80", both, "a race, many tiles" },
    { "flash large B=1 T=577 NH=2 HS=64", both,
      "gradients of keys not reloaded" },
    { "flash large B=1 T=1601 NH=1 HS=64", both,
      "saved once, but reloaded by four spans" },
    { "flash best B=1 T=1024 NH=12 HS=64 passes=1", best,
      "a block for each of 12 heads, for 132 multiprocessors" },
    { "flash best B=11 T=600 NH=12 HS=64 passes=0", best,
      "two passes where they are slower" },
    { "flash large same bits B=2 T=600 NH=80 HS=64", same_bits,
      "turns of dq not waited for" },
    { "flash large same bits B=2 T=600 NH=40 HS=128", same_bits,
      "results overwritten before they are copied out" },
    { "flash implementations agree B=25 T=140 NH=6 HS=128", agree,
      "a work tile of one step that waits for itself" },
    { "flash implementations agree B=16 T=768 NH=6 HS=128", agree,
      "tiles, lse or D of a later work tile mixed up" },
    { "flash implementations agree B=45 T=768 NH=12 HS=64", agree,
      "D of the head before: two warps make it from 4 heads a block on" },
};

int main(int n, char **argument)
{
    only_hopper = n == 2 && strcmp(argument[1], "hopper") == 0;
    int failed = rows_run("gpu_attention", rows, sizeof rows / sizeof *rows);
    if (strcmp(backend_kind_name(), "cuda") == 0
        && attention_bf16_use("hopper"))
        return failed + rows_run("gpu_attention, large", large,
                                 sizeof large / sizeof *large);
    printf("# %zu rows of large sizes are for a build by nvcc\n",
           sizeof large / sizeof *large);
    return failed;
}
