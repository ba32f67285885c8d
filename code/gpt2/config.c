/* Tangled from chapters/workshop/file-formats.nw, "Finding a model by name".  Edit it there. */

#include "gpt2/config.h"

#include <stdlib.h>
#include <string.h>
#include "base/args.h"
#include "gpt2/params.h"

/* list the models that have a name */
#define GPT2_V 50257
#define GPT2_T 1024

static const struct Named { const char *name; int L, NH; } named[] = {
    { "gpt2",        12, 12 }, { "gpt2-medium", 24, 16 },
    { "gpt2-large",  36, 20 }, { "gpt2-xl",     48, 25 },
};
enum { NAMED = sizeof named / sizeof *named };

/* find the number of heads for a depth */
/* Heads for depth d: GPT-2's own four sizes are on the line. */
static int depth_heads(int d)
{
    static const struct { int d, heads; } at[] = {
        { 0, 0 }, { 12, 12 }, { 24, 16 }, { 36, 20 }, { 48, 25 } };
    int i = 1;
    while (d > at[i].d)
        i++;
    int run = at[i].d - at[i - 1].d;
    int rise = at[i].heads - at[i - 1].heads;
    int from = d - at[i - 1].d;
    return at[i - 1].heads + (2 * from * rise + run) / (2 * run);
}

/* find a model by name */
static int depth_of(const char *name)       /* "d12" -> 12, else 0 */
{
    char *end;
    if (name[0] != 'd' || name[1] < '1' || name[1] > '9')
        return 0;
    long d = strtol(name + 1, &end, 10);
    return *end || d > 48 ? 0 : (int)d;
}

static void fill(struct Config *c, int L, int NH)
{
    *c = (struct Config){ .V = GPT2_V, .T = GPT2_T, .L = L, .NH = NH,
                          .C = 64 * NH };
}

bool config_preset(struct Config *c, const char *name, struct Error *e)
{
    const char *words[NAMED + 1] = { NULL };
    for (int i = 0; i < NAMED; i++) {
        words[i] = named[i].name;
        if (strcmp(name, named[i].name) == 0)
            return fill(c, named[i].L, named[i].NH), true;
    }
    int d = depth_of(name);
    if (d)
        return fill(c, d, depth_heads(d)), true;
    const char *near = nearest_word(name, words);
    return error_set(e, "no model is called '%.40s'; %s%s%schoose d1 to "
                     "d48, gpt2, gpt2-medium, gpt2-large or gpt2-xl", name,
                     near ? "did you mean " : "", near ? near : "",
                     near ? "?  Else " : "");
}

/* refuse a config that cannot be built */
static bool in_range(const char *what, int value, int max,
                     const char *why, struct Error *e)
{
    if (value >= 1 && value <= max)
        return true;
    return error_set(e, "model: %s is %d; it must be 1 to %d%s", what,
                     value, max, why);
}

bool config_check(const struct Config *c, struct Error *e)
{
    if (!in_range("the vocabulary", c->V, 65536,
                  ", because tokens are stored in 16 bits", e)
        || !in_range("the context", c->T, 65536, "", e)
        || !in_range("the number of layers", c->L, 512, "", e)
        || !in_range("the number of heads", c->NH, 65536, "", e)
        || !in_range("the number of channels", c->C, 65536, "", e))
        return false;
    /* refuse heads that do not divide the channels */
    if (c->C % c->NH)
        return error_set(e, "model: %d heads do not divide %d channels; "
                         "every head gets channels / heads of them, a "
                         "whole number", c->NH, c->C);
    return true;
}

/* count the parameters of a config */
#define COUNT_NUMBERS(field, name, rows, cols, init, decay) \
    + ((rows) > 0 ? (size_t)(rows) : 1) * (size_t)(cols)

size_t config_params(const struct Config *c)
{
    const size_t V = (size_t)c->V, T = (size_t)c->T, C = (size_t)c->C;
    return 0 PARAMS_FIRST(COUNT_NUMBERS) PARAMS_LAST(COUNT_NUMBERS)
         + (size_t)c->L * (0 PARAMS_LAYER(COUNT_NUMBERS));
}
