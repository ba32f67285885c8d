/* Tangled from chapters/workshop/simt-executor.nw, "Immediate post-dominators".  Edit it there. */

#include "simt/executor/execute.h"

#include <stdlib.h>
#include <string.h>

/* a graph of straight runs */
/* Run b is code[first[b]] up to code[first[b + 1]].  Edges lie in one
 * array, those of b from at[b] up to at[b + 1]; run n is the exit. */
struct Edges { int *at, *to; };

struct Flow {
    struct Instruction *code;
    int n_code, n;
    int *first, *run_of;        /* run_of[instruction]                   */
    struct Edges out, in;
    int *order, *number;        /* from the exit backwards; -1: cannot   */
    int n_order;
    int *meet;                  /* immediate post-dominator; -1          */
    bool *stays;                /* its ways straight to a return count   */
    struct Pool *pool;
};

static int *ints(struct Flow *f, int n)
{
    return pool_alloc(f->pool, (size_t)(n + 1) * sizeof(int));
}

/* which instructions start a run */
static bool is_branch(const struct Instruction *i)
{
    return i->run == run_branch || i->run == run_branch_table;
}

static bool ends_run(const struct Instruction *i)
{
    return is_branch(i) || i->run == run_exit || i->run == run_trap ||
           i->run == run_barrier || i->run == run_cluster_wait ||
           i->run == run_wgmma_wait;
}

/* cut the program into runs */
static void cut_into_runs(struct Flow *f)
{
    unsigned char *starts = pool_alloc(f->pool, (size_t)f->n_code + 1);
    /* mark where runs start */
    for (int k = 0; k < f->n_code; k++) {
        const struct Instruction *i = &f->code[k];
        starts[k] |= i->sync != SYNC_NONE || i->run == run_atomic ||
                     i->run == run_cluster_wait;
        starts[k + 1] |= ends_run(i) || i->sync != SYNC_NONE;
        if (i->run == run_branch)
            starts[i->target] = 1;
        for (int j = 0; i->run == run_branch_table && j < i->width; j++)
            starts[i->table[j]] = 1;
    }
    f->run_of = ints(f, f->n_code);
    f->first = ints(f, f->n_code);
    for (int k = 0; k < f->n_code; k++) {
        if (k == 0 || starts[k])
            f->first[f->n++] = k;
        f->run_of[k] = f->n - 1;
        f->code[k].ends = k + 1 == f->n_code || starts[k + 1];
    }
    f->first[f->n] = f->n_code;
}

/* is a run nothing but a return */
static bool only_returns(const struct Flow *f, int run)
{
    const struct Instruction *i = &f->code[f->first[run]];
    return i->run == run_exit && !i->guarded;
}

/* the ways out of a run */
/* The runs that can follow run b; the exit is f->n.  Returns how many. */
static int ways_out(const struct Flow *f, int b, int *to)
{
    int last = f->first[b + 1] - 1, n = 0;
    const struct Instruction *i = &f->code[last];
    if (i->run == run_branch)
        to[n++] = f->run_of[i->target];
    for (int j = 0; i->run == run_branch_table && j < i->width; j++)
        to[n++] = f->run_of[i->table[j]];
    bool stops = i->run == run_exit || i->run == run_trap || is_branch(i);
    if (last + 1 < f->n_code && (!stops || i->guarded))
        to[n++] = b + 1;
    /* leave out the ways that lead straight to a return */
    int kept = 0;
    for (int j = 0; j < n; j++)
        if (f->stays[b] || !only_returns(f, to[j]))
            to[kept++] = to[j];
    n = kept;
    if (n == 0)
        to[n++] = f->n;
    return n;
}

/* connect the runs */
static void connect(struct Flow *f)
{
    int edges = 0, most = 2;
    /* count the ways that there can be */
    for (int b = 0; b < f->n; b++) {
        const struct Instruction *i = &f->code[f->first[b + 1] - 1];
        int ways = 2 + (i->run == run_branch_table ? i->width : 0);
        edges += ways;
        most = ways > most ? ways : most;
    }
    int *to = ints(f, most);
    f->out = (struct Edges){ ints(f, f->n + 1), ints(f, edges) };
    f->in = (struct Edges){ ints(f, f->n + 2), ints(f, edges) };
    for (int b = 0; b < f->n; b++) {
        /* add the ways out of run b; count them where they lead */
        int n = ways_out(f, b, to);
        memcpy(f->out.to + f->out.at[b], to, (size_t)n * sizeof *to);
        f->out.at[b + 1] = f->out.at[b] + n;
        for (int j = 0; j < n; j++)
            f->in.at[to[j] + 1]++;
    }
    /* turn the ways round */
    for (int b = 0; b <= f->n; b++)
        f->in.at[b + 1] += f->in.at[b];
    int *fill = ints(f, f->n + 1);
    for (int b = 0; b < f->n; b++)
        for (int j = f->out.at[b]; j < f->out.at[b + 1]; j++) {
            int t = f->out.to[j];
            f->in.to[f->in.at[t] + fill[t]++] = b;
        }
}

/* number the runs from the exit */
/* Depth first against the arrows; a run gets its number after all that
 * lead to it, so that the exit has the highest. */
static void number_runs(struct Flow *f)
{
    int *stack = ints(f, f->n + 1), *next = ints(f, f->n + 1), depth = 0;
    f->order = ints(f, f->n + 1);
    f->number = ints(f, f->n + 1);
    /* begin at the exit */
    for (int b = 0; b <= f->n; b++)
        f->number[b] = -1;
    stack[depth++] = f->n;
    f->number[f->n] = -2;                       /* on the stack */
    while (depth) {
        int b = stack[depth - 1];
        /* go on to a run that leads here, or number this one */
        if (f->in.at[b] + next[b] < f->in.at[b + 1]) {
            int from = f->in.to[f->in.at[b] + next[b]++];
            if (f->number[from] == -1) {
                f->number[from] = -2;
                stack[depth++] = from;
            }
        } else {
            f->number[b] = f->n_order;
            f->order[f->n_order++] = b;
            depth--;
        }
    }
}

/* does a run lead straight to a return? */
static bool returns_by(const struct Flow *f, int b)
{
    const struct Instruction *i = &f->code[f->first[b + 1] - 1];
    bool any = i->run == run_branch && only_returns(f,
                                            f->run_of[i->target]);
    for (int j = 0; i->run == run_branch_table && j < i->width; j++)
        any |= only_returns(f, f->run_of[i->table[j]]);
    return any || (i->guarded && b + 1 < f->n && only_returns(f, b + 1));
}

/* connect the runs, so that each reaches the exit */
static void connect_all(struct Flow *f)
{
    enum { TRIES = 64 };
    f->stays = pool_alloc(f->pool, (size_t)f->n + 1);
    for (int t = 0; t < TRIES + 2; t++) {
        f->n_order = 0;
        connect(f);
        number_runs(f);
        /* put back the way of the last run that is cut off */
        int b = f->n - 1;
        for (; b >= 0; b--)
            if (f->number[b] < 0 && !f->stays[b] && returns_by(f, b)) {
                f->stays[b] = true;
                if (t < TRIES)
                    break;              /* one at a time, then all */
            }
        if (b < 0 && t < TRIES)
            return;
    }
}

/* the nearest common meeting point */
static int common(const struct Flow *f, int a, int b)
{
    while (a != b)
        if (f->number[a] < f->number[b])
            a = f->meet[a];
        else
            b = f->meet[b];
    return a;
}

/* find immediate post-dominators */
static void find_meets(struct Flow *f)
{
    f->meet = ints(f, f->n + 1);
    for (int b = 0; b <= f->n; b++)
        f->meet[b] = -1;
    f->meet[f->n] = f->n;
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = f->n_order - 2; k >= 0; k--) {
            int b = f->order[k], meet = -1;
            /* climb from all ways out of b to one point */
            for (int j = f->out.at[b]; j < f->out.at[b + 1]; j++) {
                int t = f->out.to[j];
                if (f->meet[t] >= 0)
                    meet = meet < 0 ? t : common(f, meet, t);
            }
            changed |= meet != f->meet[b];
            f->meet[b] = meet;
        }
    }
}

/* tell the branches */
bool find_meeting_points(struct Instruction *code, int n, struct Pool *pool,
                         struct Error *e)
{
    struct Flow f = { .code = code, .n_code = n, .pool = pool };
    /* refuse a branch that leads out of the program */
    for (int k = 0; k < n; k++)
        if (code[k].run == run_branch && code[k].target >= n)
            return error_set(e, "a branch leads behind the last "
                             "instruction");
    cut_into_runs(&f);
    connect_all(&f);
    find_meets(&f);
    for (int b = 0; b < f.n; b++) {
        /* tell the branch that ends run b */
        int last = f.first[b + 1] - 1;
        struct Instruction *i = &code[last];
        if (!is_branch(i))
            continue;
        int meet = f.meet[b];
        i->meet = meet >= 0 && meet < f.n ? f.first[meet] : -1;
        if (i->run == run_branch && only_returns(&f, f.run_of[i->target]))
            i->leaves |= LEAVES_IF_TAKEN;
        if (i->guarded && last + 1 < n && only_returns(&f, b + 1))
            i->leaves |= LEAVES_IF_NOT;
    }
    return true;
}
