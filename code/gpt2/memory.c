/* Tangled from chapters/workshop/file-formats.nw, "Printing the plan".  Edit it there. */

#include "gpt2/memory.h"

#include "gpt2/model_calls.h"
#include "gpt2/optimizer.h"

/* print what a model will allocate */
static void print_always(FILE *out, const char *name,
                         const struct Model *m)
{
    fprintf(out, "%-14s %6s %8s %14zu   always\n", name, "", "",
            m->table.total * sizeof(real));
}

static void print_item(FILE *out, const struct PlanItem *i)
{
    fprintf(out, "%-14s %6zu x %6zu %13zu   %4d .. %-4d @ %zu\n", i->name,
            i->rows, i->cols, i->size_bytes, i->from, i->to, i->offset);
}

/* Of the layers between the second and the last one line is enough. */
static bool is_dull(const struct PlanItem *i, int L)
{
    return L > 4 && i->layer > 1 && i->layer < L - 1;
}

static void print_items(FILE *out, const struct Model *m)
{
    bool dots = false;
    for (int i = 0; i < m->plan.n; i++) {
        const struct PlanItem *item = &m->plan.item[i];
        bool dull = is_dull(item, m->config.L);
        if (!dull)
            print_item(out, item);
        else if (!dots)
            fprintf(out, "h.2 .. h.%-6d like h.1, %d steps a layer "
                    "later%s\n", m->config.L - 2, LAYER_STEPS, m->training
                    ? " on the way forward, earlier on the way back" : "");
        dots |= dull;
    }
}

/* Whatever is there all the time. */
static size_t fixed_bytes(const struct Model *m, bool moments)
{
    const size_t N = m->options.shards > 1 ? (size_t)m->options.shards : 1;
    const size_t all = m->table.total * sizeof(real);
    const size_t here = m->options.precision == BF16 ? N : 1;
    return (m->options.no_master ? 0 : all / here)
         + (m->training ? all : 0) + m->calls->copy_bytes(m)
         + (moments ? optimizer_bytes(&m->table) / N : 0)
         + (N > 1 ? all / N : 0);
}

static void print_totals(FILE *out, const struct Model *m, bool moments)
{
    const struct Plan *p = &m->plan;
    size_t fixed = fixed_bytes(m, moments);
    fprintf(out, "activations %.1f MB: %.1f MB alive at once, %.1f MB if "
            "none were shared\n",
            (double)p->total_bytes / 1e6, (double)p->live_bytes / 1e6,
            (double)p->sum_bytes / 1e6);
    fprintf(out, "total %.1f MB\n",
            (double)(fixed + p->total_bytes) / 1e6);
}

bool model_print_plan(FILE *out, const struct Config *config, int B, int T,
                      bool training, bool moments,
                      const struct ModelOptions *o, struct Error *e)
{
    struct Model m;
    if (!model_describe(&m, config, B, T, training, o, e)) {
        model_forget(&m);
        return false;
    }
    /* print the heading of the plan */
    fprintf(out, "%zu parameters; batch %d x %d = %d tokens\n",
            m.table.count, B, T, B * T);
    fprintf(out, "steps: 0 embedding, 1 .. %d layers, %d ln_f, %d "
            "classifier%s\n", LAYER_STEPS * config->L,
            fwd(config->L, LN_1), classifier_step(config),
            training ? ", then mirrored" : "");
    fprintf(out, "%-14s %15s %14s   live range\n", "name", "shape", "bytes");
    if (!m.options.no_master)
        print_always(out, "weights", &m);
    if (m.calls->copy_bytes(&m))
        fprintf(out, "%-14s %6s %8s %14zu   always\n", "bf16 weights", "",
                "", m.calls->copy_bytes(&m));
    if (training)
        print_always(out, "gradients", &m);
    if (moments) {
        print_always(out, "first moment", &m);
        print_always(out, "second moment", &m);
    }
    print_items(out, &m);
    print_totals(out, &m, moments);
    model_forget(&m);
    return true;
}

size_t model_bytes(const struct Config *config, int B, int T,
                   bool training, bool moments,
                   const struct ModelOptions *o)
{
    struct Model m;
    struct Error e;
    bool ok = model_describe(&m, config, B, T, training, o, &e);
    size_t bytes = ok ? fixed_bytes(&m, moments) + m.plan.total_bytes : 0;
    model_forget(&m);
    return bytes;
}
