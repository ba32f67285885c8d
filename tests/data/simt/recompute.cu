/* The ladder of recomputation, for tests/recompute.sh.
 *   recompute check [NAME]  every version against its definition in double
 *                           precision, as TAP rows; with NAME those whose
 *                           second word it is
 *   recompute counts        both passes of each version; a name a launch */
#include "ladder_test.h"
#include "ladder/recompute.h"

struct Passes {
    const char *name;
    const struct Recompute *version;        /* or NULL: */
    int depth;
    bool keep;
};

static void run(const struct Passes *p, const struct Sigmoids *d, bool back)
{
    if (p->version && back)
        p->version->backward(d);
    else if (p->version)
        p->version->forward(d);
    else if (back)
        chain_backward(d, p->depth, p->keep);
    else
        chain_forward(d, p->depth, p->keep);
}

/* Numbers about `offset`; x is NaN in one place, dy in another, if `nan`. */
static void check(const char *what, struct Passes p, size_t n, float offset,
                  bool nan)
{
    if (!wanted(p.name))
        return;
    int hurt = 0, wrong = 0;
    float *x = noise_new(n, 1, offset), *dy = noise_new(n, 2, 0);
    if (nan)
        x[n / 2] = dy[n / 3] = NAN;
    struct Guarded a[] = {
        guarded_new(x, n), guarded_new(dy, n), guarded_new(NULL, n),
        guarded_new(NULL, n),
        guarded_new(NULL, sigmoids_kept(n, p.depth - 1)),
        guarded_new(NULL, n), guarded_new(NULL, n),
    };
    const struct Sigmoids d = { n, a[0].x, a[1].x, a[2].x, a[3].x, a[4].x,
                                { a[5].x, a[6].x } };
    run(&p, &d, false);
    run(&p, &d, true);
    float *y = guarded_take(&a[2], &hurt), *dx = guarded_take(&a[3], &hurt);
    for (size_t i = 0; i < n; i++) {
        double s = x[i], g = dy[i];
        for (int k = 0; k < p.depth; k++) {
            s = 1 / (1 + exp(-s));
            g *= s * (1 - s);
        }
        wrong += !near(y[i], s, 1e-6)
              || !near(dx[i], g, 1e-5 * fabs(g) + 1e-12);
    }
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        if (a[i].all)
            guarded_free(&a[i], &hurt);
    printf("%s - %s %s n=%zu%s%s\n", !wrong && !hurt ? "ok" : "not ok", what,
           p.name, n, offset != 0 ? " far from 0" : "",
           nan ? " with a NaN" : "");
    fflush(stdout);
    free(x);
    free(dy);
    free(y);
    free(dx);
}

static void check_all(void)
{
    /* one number; only a rest; no rest; blocks and a rest */
    static const size_t sizes[] = { 1, 3, 1024, 4099 };
    static const int depths[] = { DEPTHS };
    for (const struct Recompute *v = recomputes(); v->name; v++) {
        const struct Passes p = { v->name, v, 3, false };
        for (int i = 0; i < 4; i++)
            check("three", p, sizes[i], 0, false);
        check("three", p, 1000, 0, true);
        check("three", p, 517, -20, false);
    }
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        for (int keep = 0; keep < 2; keep++) {
            char name[20];
            snprintf(name, sizeof name, "%s%d", keep ? "keep" : "again",
                     depths[i]);
            const struct Passes p = { name, NULL, depths[i], keep != 0 };
            check("chain", p, 1026, 0, false);
        }
}

static void counts(void)
{
    const size_t n = 65536;
    int hurt = 0;
    float *x = noise_new(n, 1, 0);
    struct Guarded a[7];
    for (int i = 0; i < 7; i++)
        a[i] = guarded_new(i == 4 ? NULL : x,
                           i == 4 ? sigmoids_kept(n, 2) : n);
    const struct Sigmoids d = { n, a[0].x, a[1].x, a[2].x, a[3].x, a[4].x,
                                { a[5].x, a[6].x } };
    for (const struct Recompute *v = recomputes(); v->name; v++) {
        v->forward(&d);
        v->backward(&d);
        for (int k = 0; k < v->kernels; k++)
            printf("%s %s\n", v->name, k < v->kernels / 2 ? "forward"
                   : "backward");
    }
    for (int i = 0; i < 7; i++)
        guarded_free(&a[i], &hurt);
    free(x);
    if (hurt)
        fail("%d words of guards have changed", hurt);
}

int main(int argc, char **argv)
{
    return ladder_main(argc, argv, check_all, counts);
}
