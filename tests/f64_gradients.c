/* The backward functions against central differences, in double.
 *
 * Loss: the sum of g[i] y[i] with fixed random g.  With h = cbrt(2^-52) the
 * difference is off by about h^2/6 |f'''| + 2^-53 |f| / h, both near 1e-11
 * for losses and derivatives near 1; 1e-8 of the largest derivative allowed
 * is far from that and far from any mistake. */
#include "rows.h"
#include "ops/attention/attention.h"
#include "ops/loss/crossentropy.h"
#include "ops/embedding/embedding.h"
#include "ops/gelu/gelu.h"
#include "ops/layernorm/layernorm.h"
#include "ops/linear/linear.h"
#include "ops/residual/residual.h"

enum { MAX_INPUTS = 4 };

/* An operator with its sizes: inputs, where their gradients go, and two
 * functions that know how to call it. */
struct Check {
    const struct Row *row;
    int inputs;
    size_t n[MAX_INPUTS];           /* elements of each input */
    real *x[MAX_INPUTS], *dx[MAX_INPUTS];
    size_t outputs;
    real *y, *g, *stat;             /* output, its gradient, what is kept */
    int32_t *tokens;
    void (*fwd)(struct Check *c);
    void (*bwd)(struct Check *c);
};

static int size(const struct Check *c, const char *key)
{
    return row_int(c->row, key);
}

static double loss(struct Check *c)
{
    double sum = 0;
    c->fwd(c);
    for (size_t i = 0; i < c->outputs; i++)
        sum += c->g[i] * c->y[i];
    return sum;
}

static double difference(struct Check *c, real *x)
{
    const double h = cbrt(ldexp(1, -52)) * fmax(1, fabs(*x));
    const real at = *x;
    *x = at + h;
    double right = *x, up = loss(c);
    *x = at - h;
    double left = *x, down = loss(c);
    *x = at;
    return (up - down) / (right - left);
}

static void compare(struct Check *c, int input)
{
    double worst = 0, largest = 0;
    size_t at = 0, n = c->n[input];
    double *d = malloc(n * sizeof *d);
    for (size_t i = 0; i < n; i++) {
        d[i] = difference(c, &c->x[input][i]);
        largest = fmax(largest, fabs(d[i]));
    }
    for (size_t i = 0; i < n; i++) {
        double err = fabs(c->dx[input][i] - d[i]);
        if (!(err <= worst)) {
            worst = err;
            at = i;
        }
    }
    double allowed = 1e-8 * fmax(1, largest);
    if (!(worst <= allowed))
        fail_msg("input %d, element %zu: %.12g, by differences %.12g, "
                 "err %.2g, allowed %.2g", input, at, c->dx[input][at],
                 d[at], worst, allowed);
    free(d);
}

/* Fill, run forward and backward, compare every input's gradient. */
static void check(struct Check *c)
{
    double spread = row_number(c->row, "size", 1);
    for (int k = 0; k < c->inputs; k++) {
        c->x[k] = guarded_noise(c->n[k], (uint64_t)k + 1, 0, spread);
        c->dx[k] = guarded_new(c->n[k]);
        memset(c->dx[k], 0, c->n[k] * sizeof(real));
    }
    c->y = guarded_new(c->outputs);
    c->g = guarded_noise(c->outputs, 9, 0, 1);
    c->fwd(c);
    c->bwd(c);
    for (int k = 0; k < c->inputs; k++)
        compare(c, k);
    for (int k = 0; k < c->inputs; k++) {
        guarded_free("an input", c->x[k]);
        guarded_free("a gradient", c->dx[k]);
    }
    guarded_free("y", c->y);
    guarded_free("g", c->g);
    free(c->stat);
    free(c->tokens);
}

static real *reals(size_t n)
{
    return calloc(n, sizeof(real));
}

static int32_t *every_token(int n, int V)
{
    int32_t *t = malloc((size_t)n * sizeof *t);
    for (int i = 0; i < n; i++)
        t[i] = (int32_t)(i * 5 % V);
    return t;
}

/* ---- one pair of functions and one row function for each operator ------ */

static void gelu_f(struct Check *c)
{
    gelu_fwd(c->y, c->x[0], c->n[0]);
}

static void gelu_b(struct Check *c)
{
    gelu_bwd(c->dx[0], c->g, c->x[0], c->n[0]);
}

static void gelu_row(const struct Row *row)
{
    size_t n = (size_t)row_int(row, "n");
    struct Check c = { .row = row, .inputs = 1, .n = { n }, .outputs = n,
                       .fwd = gelu_f, .bwd = gelu_b };
    check(&c);
}

static void residual_f(struct Check *c)
{
    residual_fwd(c->y, c->x[0], c->x[1], c->n[0]);
}

static void residual_b(struct Check *c)
{
    memcpy(c->dx[0], c->g, c->n[0] * sizeof(real));
    memcpy(c->dx[1], c->g, c->n[0] * sizeof(real));
}

static void residual_row(const struct Row *row)
{
    size_t n = (size_t)row_int(row, "n");
    struct Check c = { .row = row, .inputs = 2, .n = { n, n }, .outputs = n,
                       .fwd = residual_f, .bwd = residual_b };
    check(&c);
}

static void layernorm_f(struct Check *c)
{
    int N = size(c, "N"), C = size(c, "C");
    layernorm_fwd(c->y, c->stat, c->stat + N, c->x[0], c->x[1], c->x[2], N,
                  C);
}

static void layernorm_b(struct Check *c)
{
    int N = size(c, "N"), C = size(c, "C");
    layernorm_bwd(c->dx[0], c->dx[1], c->dx[2], c->g, c->x[0], c->stat,
                  c->stat + N, c->x[1], N, C);
}

static void layernorm_row(const struct Row *row)
{
    size_t N = (size_t)row_int(row, "N"), C = (size_t)row_int(row, "C");
    struct Check c = { .row = row, .inputs = 3, .n = { N * C, C, C },
                       .outputs = N * C, .stat = reals(2 * N),
                       .fwd = layernorm_f, .bwd = layernorm_b };
    check(&c);
}

static void linear_f(struct Check *c)
{
    linear_fwd(c->y, c->x[0], c->x[1], c->x[2], size(c, "N"), size(c, "C"),
               size(c, "OC"));
}

static void linear_b(struct Check *c)
{
    linear_bwd(c->dx[0], c->dx[1], c->dx[2], c->g, c->x[0], c->x[1],
               size(c, "N"), size(c, "C"), size(c, "OC"), true, NULL);
}

static void linear_row(const struct Row *row)
{
    size_t N = (size_t)row_int(row, "N"), C = (size_t)row_int(row, "C");
    size_t OC = (size_t)row_int(row, "OC");
    struct Check c = { .row = row, .inputs = 3, .n = { N * C, C * OC, OC },
                       .outputs = N * OC, .fwd = linear_f, .bwd = linear_b };
    check(&c);
}

static void embedding_f(struct Check *c)
{
    embedding_fwd(c->y, c->tokens, c->x[0], c->x[1], size(c, "B"),
                  size(c, "T"), size(c, "C"));
}

static void embedding_b(struct Check *c)
{
    embedding_bwd(c->dx[0], c->dx[1], c->g, c->tokens, size(c, "B"),
                  size(c, "T"), size(c, "C"));
}

static void embedding_row(const struct Row *row)
{
    int B = row_int(row, "B"), T = row_int(row, "T");
    size_t C = (size_t)row_int(row, "C"), V = (size_t)row_int(row, "V");
    struct Check c = { .row = row, .inputs = 2,
                       .n = { V * C, (size_t)T * C },
                       .outputs = (size_t)(B * T) * C,
                       .tokens = every_token(B * T, (int)V),
                       .fwd = embedding_f, .bwd = embedding_b };
    check(&c);
}

static void attention_f(struct Check *c)
{
    attention_fwd(c->y, c->stat, c->x[0], size(c, "B"), size(c, "T"),
                  size(c, "C"), size(c, "NH"));
}

static void attention_b(struct Check *c)
{
    for (size_t i = 0; i < c->n[0]; i++)
        c->dx[0][i] = NAN;
    attention_bwd(c->dx[0], c->g, c->x[0], c->y, c->stat, size(c, "B"),
                  size(c, "T"), size(c, "C"), size(c, "NH"));
}

static void attention_row(const struct Row *row)
{
    int B = row_int(row, "B"), T = row_int(row, "T"), C = row_int(row, "C");
    size_t n = (size_t)(B * T * C);
    struct Check c = { .row = row, .inputs = 1, .n = { 3 * n }, .outputs = n,
                       .stat = reals((size_t)(B * T) *
                                     (size_t)row_int(row, "NH")),
                       .fwd = attention_f, .bwd = attention_b };
    check(&c);
}

static void crossentropy_f(struct Check *c)
{
    crossentropy_fwd(c->y, c->stat, c->x[0], c->tokens, size(c, "N"),
                     size(c, "V"), size(c, "V"));
}

static void crossentropy_b(struct Check *c)
{
    int V = size(c, "V");
    for (int n = 0; n < size(c, "N"); n++)
        crossentropy_bwd(c->dx[0] + n * V, c->x[0] + n * V, c->stat + n,
                         c->tokens + n, c->g[n], 1, V, V);
}

static void crossentropy_row(const struct Row *row)
{
    int N = row_int(row, "N"), V = row_int(row, "V");
    struct Check c = { .row = row, .inputs = 1, .n = { (size_t)(N * V) },
                       .outputs = (size_t)N, .stat = reals((size_t)N),
                       .tokens = every_token(N, V),
                       .fwd = crossentropy_f, .bwd = crossentropy_b };
    check(&c);
}

static const struct Row rows[] = {
{ "gradient gelu n=257 size=4", gelu_row, "u' without the cube's 3" },
{ "gradient residual n=5", residual_row, "one of the two inputs lost" },
{ "gradient layernorm N=3 C=33 size=2", layernorm_row,
  "the mean of g h left out: passes where g and h are uncorrelated" },
{ "gradient layernorm N=33 C=1", layernorm_row,
  "one column: dx is zero, whatever dy is" },
{ "gradient linear N=5 C=7 OC=3", linear_row, "dx through w, not w'" },
{ "gradient embedding B=3 T=5 C=7 V=4", embedding_row,
  "a token that occurs twice counts once" },
{ "gradient attention B=1 T=1 C=3 NH=1", attention_row,
  "one position: dq and dk are zero" },
{ "gradient attention B=2 T=19 C=12 NH=3 size=2", attention_row,
  "no delta; dk and dq exchanged" },
{ "gradient attention B=1 T=33 C=17 NH=1 size=2", attention_row,
  "the second block of queries forgets the keys of the first" },
{ "gradient crossentropy N=3 V=33 size=3", crossentropy_row,
  "no one at the target" },
};

int main(void)
{
    return rows_run("gradients", rows, sizeof rows / sizeof *rows);
}
