/* Tangled from chapters/course/grader-gpu.nw, "What is measured".  Edit it there. */

#include "course/timing.h"

#include <stdlib.h>
#include <string.h>

void again_launch(struct Again *g, const void *kernel, struct Shape shape,
                  const struct Argument *a, int n)
{
    if (g->launches == MOST_LAUNCHES || n > MOST_ARGUMENTS)
        abort();
    struct Launched *l = &g->launch[g->launches++];
    *l = (struct Launched){ kernel, shape, .arguments = n };
    memcpy(l->argument, a, (size_t)n * sizeof *a);
}

/* the numbers that an array began with */
static struct Sent *sent_of(struct Again *g, const struct Array *a)
{
    for (int i = 0; i < g->sents; i++)
        if (g->sent[i].array == a)
            return &g->sent[i];
    return NULL;
}

void again_send(struct Again *g, const struct Array *a, size_t bytes)
{
    struct Sent *s = sent_of(g, a);
    if (!s && g->sents == MOST_SENT)
        abort();
    if (!s) {
        s = &g->sent[g->sents++];
        *s = (struct Sent){ a, malloc(bytes + 1), bytes };
    }
    if (!s->numbers)
        abort();
    memcpy(s->numbers, a->bytes, bytes);
}

/* the least bytes of an array */
void again_moves(struct Again *g, const struct Array *a, size_t bytes)
{
    g->bytes += (double)bytes * (a->input || !sent_of(g, a) ? 1 : 2);
}

void again_free(struct Again *g)
{
    while (g->sents)
        free(g->sent[--g->sents].numbers);
}
