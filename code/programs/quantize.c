/* Tangled from chapters/workshop/quantised-weights.nw, "The program quantize".  Edit it there. */

/* quantize: the matrices of a model in fewer bits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/args.h"
#include "io/hf_names.h"
#include "io/quantised_tensors.h"
#include "programs/open_model.h"

/* the options of quantize */
static struct ModelSource file = { .precision = "fp32" };
static const char *out, *type = "int8", *scale = "amax";
static int group = 64;

static const struct Option options[] = {
    WEIGHTS_FILE_OPTIONS(file),
    { "out", OPT_STRING, &out, 0, 0, "FILE", "the new file", NULL },
    { "type", OPT_CHOICE, &type, 0, 0, "int8|int4|bf16",
      "of the weights of matrices", NULL },
    { "group", OPT_INT, &group, 1, 65536, "N",
      "weights that share a scale: 32, 64, 128, ...", NULL },
    { "scale", OPT_CHOICE, &scale, 0, 0, "amax|search",
      "clip no weight, or search the smallest error", NULL },
    { .type = OPT_END },
};

static const struct Usage usage = {
    "--init FILE.safetensors --out FILE.safetensors [options]",
    "Round the matrices of a model to fewer bits.",
    "Biases, LayerNorms and the vectors of the positions stay as they\n"
    "are.  Every program that takes --init reads the new file; generate\n"
    "and eval --stride multiply by its codes, but not in bf16, which is\n"
    "the default on a GPU.",
};

/* quantize: the tensors of the new file */
enum Kind { KIND_INT8, KIND_INT4, KIND_BF16 };

struct Tensors {
    struct StSource *source;
    char (*name)[PARAM_NAME_MAX + 32];
    int n;
};

static struct StSource *add(struct Tensors *t, const struct Param *p,
                            const char *suffix)
{
    char *name = t->name[t->n];
    snprintf(name, sizeof *t->name, HF_PREFIX "%s%s", p->name, suffix);
    t->source[t->n] = (struct StSource){ .name = name, .rows = p->rows,
                                         .cols = p->cols };
    return &t->source[t->n++];
}

static void *room_for(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p)
        fail("no memory for %zu bytes of weights", bytes);
    return p;
}


/* quantize: round a matrix */
struct Squares { double error, size; };

static void add_bf16(struct Tensors *t, const struct Param *p,
                     const real *w, struct Squares *sum)
{
    bf16 *to = room_for(p->size * sizeof *to);
    for (size_t i = 0; i < p->size; i++) {
        to[i] = float_to_bf16((float)w[i]);
        const double off = (double)bf16_to_float(to[i]) - (double)w[i];
        sum->error += off * off;
        sum->size += (double)w[i] * (double)w[i];
    }
    struct StSource *s = add(t, p, "");
    s->raw = to;
    s->type = ST_BF16;
}

static void add_squares(struct Squares *sum, const struct Quantised *q,
                        const real *w, size_t output, size_t input)
{
    for (int n = 0; n < q->N; n++)
        for (int k = 0; k < q->K; k++) {
            const double x = (double)w[(size_t)n * output
                                       + (size_t)k * input];
            const double off = (double)quantised_value(q, n, k) - x;
            sum->error += off * off;
            sum->size += x * x;
        }
}


static void add_quantised(struct Tensors *t, const struct ParamTable *table,
                          int i, enum Kind kind, const real *w,
                          struct Squares *sum)
{
    const struct Param *p = &table->row[i];
    size_t output, input;
    int n, k;
    struct Quantised q = { .group = group,
        .type = kind == KIND_INT4 ? WEIGHTS_INT4 : WEIGHTS_INT8 };
    quantised_tensor_sides(&q, table, i);
    quantised_tensor_steps(table, i, &output, &input);
    if (!quantised_reserve(&q))
        fail("no memory for the codes of %s", p->name);
    if (!quantised_round(&q, w, output, input, strcmp(scale, "amax") == 0
                         ? SCALE_AMAX : SCALE_SEARCHED, &n, &k))
        fail("%s: tensor '%s': the weight of input %d for output %d is %g; "
             "such a model cannot be quantised", file.init, p->name, k, n,
             (double)w[(size_t)n * output + (size_t)k * input]);
    add_squares(sum, &q, w, output, input);
    /* quantize: add codes and scales to the list */
    struct StSource *codes = add(t, p, ""), *scales = add(t, p,
                                                          QUANTISED_SCALE);
    codes->rows = scales->rows = (size_t)q.N;
    codes->cols = quantised_row_bytes(&q);
    codes->raw = q.codes;
    codes->type = kind == KIND_INT4 ? ST_U8 : ST_I8;
    scales->cols = quantised_groups(&q);
    scales->raw = q.scales;
    scales->type = ST_BF16;
}


int main(int argc, char **argv)
{
    struct Model m;
    struct Error e;
    args_options(argc, argv, options, &usage);
    if (!file.init || !out)
        misuse("give --init FILE.safetensors and --out FILE.safetensors");
    if (!quantised_group_allowed(group))
        misuse("--group %d; expected 32, 64, 128 or another power of two",
               group);
    model_open(&m, &file, 1, 1);
    /* quantize: round all, and write the file */
    const struct ParamTable *table = &m.table;
    const enum Kind kind = strcmp(type, "int8") == 0 ? KIND_INT8
                         : strcmp(type, "int4") == 0 ? KIND_INT4 : KIND_BF16;
    struct Tensors t = {
        .source = room_for(2 * (size_t)table->n * sizeof *t.source),
        .name = room_for(2 * (size_t)table->n * sizeof *t.name) };
    struct Squares sum = { 0 };
    const real *w = model_borrow(&m);
    if (!w && !model_ok(&m, &e))
        fail("%s", e.text);
    for (int i = 0; i < table->n; i++) {
        const struct Param *p = &table->row[i];
        if (!quantised_tensor_possible(table, i))
            add(&t, p, "")->data = w + p->offset;
        else if (kind == KIND_BF16)
            add_bf16(&t, p, w + p->offset, &sum);
        else
            add_quantised(&t, table, i, kind, w + p->offset, &sum);
    }
    if (!safetensors_write(out, t.source, t.n, &e))
        fail("%s", e.text);
    printf("%s: %s, the error of the matrices is %.3f %% of their length\n",
           out, type, 100 * sqrt(sum.error / sum.size));
    return 0;
}
