/* Tangled from chapters/course/model-solutions.nw, "Solutions: the model".  Edit it there. */

#include "course/course.h"

#include <math.h>
#include <string.h>

/* graders of model */
static struct Shape one_thread(void)
{
    return (struct Shape){ .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
}

static void run_offsets(struct Run *r)
{
    int n = case_size(r), lines = 0;
    struct Array *size = input_ints(r, "size", (size_t)n, 1, 200);
    struct Array *offset = output_ints(r, "offset", (size_t)n);
    struct Array *sums = output_ints(r, "sums", 2);
    int *wanted = wanted_ints(r, (size_t)n), *two = wanted_ints(r, 2);
    for (int i = 0; i < n; i++) {
        wanted[i] = 16 * lines;
        two[0] += size->i[i];
        for (int left = size->i[i]; left > 0; left -= 16)
            lines++;
    }
    two[1] = 16 * lines;
    LAUNCH(r, "offsets", one_thread(), ARRAY(offset), ARRAY(sums),
           ARRAY(size), INT(n));
    expect_ints(r, offset, wanted);
    expect_ints(r, sums, two);
    budget_lines(r, 260, 251);
}

static double logit_of(const float *h, const float *w)
{
    double dot = 0;
    for (int c = 0; c < 16; c++)
        dot += (double)h[c] * (double)w[c];
    return dot;
}

static void run_chunk(struct Run *r)
{
    int rows = case_size(r), V = case_random(r, 1, 60);
    if (case_counted(r))
        V = 640;
    size_t n = (size_t)rows;
    struct Array *h = input_floats(r, "h", 16 * n, -20, 20);
    struct Array *w = input_floats(r, "w", 16 * (size_t)V, -2, 2);
    struct Array *target = input_ints(r, "target", n, 0, V);
    struct Array *logits = output_floats(r, "logits", 8 * (size_t)V);
    struct Array *loss = output_floats(r, "loss", n);
    float *wanted = wanted_floats(r, n);
    for (int i = 0; i < rows; i++) {
        const float *x = h->f + 16 * i;
        double sum = 0;             /* double does not overflow here */
        for (int v = 0; v < V; v++)
            sum += exp(logit_of(x, w->f + 16 * v));
        wanted[i] = (float)(log(sum) -
                            logit_of(x, w->f + 16 * target->i[i]));
    }
    LAUNCH(r, "classifier", one_thread(), ARRAY(loss), ARRAY(logits),
           ARRAY(h), ARRAY(w), ARRAY(target), INT(rows), INT(V));
    expect_floats(r, loss, wanted, 1e-5, 5e-4);
    budget_lines(r, 4000, 2134);
}

static void run_fullest(struct Run *r)
{
    int n = case_size(r), steps = case_random(r, 1, 30);
    if (case_counted(r))
        steps = 600;
    struct Array *size = input_ints(r, "size", (size_t)n, 1, 20);
    struct Array *from = input_ints(r, "from", (size_t)n, 0, steps);
    struct Array *to = input_ints(r, "to", (size_t)n, 0, steps);
    struct Array *change = zero_ints(r, "change", (size_t)steps);
    struct Array *most = output_ints(r, "most", 2);
    int *wanted = wanted_ints(r, 2);
    from->i[0] = to->i[0];          /* alive in one step, and needed: */
    size->i[0] = 20 * n;            /* it makes the fullest step */
    if (n > 1 && from->i[1] > 0)
        to->i[1] = steps - 1;
    for (int i = 0; i < n; i++)
        if (from->i[i] > to->i[i]) {
            int first = to->i[i];
            to->i[i] = from->i[i];
            from->i[i] = first;
        }
    refill(r, size);
    refill(r, from);
    refill(r, to);
    for (int s = steps - 1; s >= 0; s--) {
        int alive = 0;
        for (int i = 0; i < n; i++)
            if (from->i[i] <= s && s <= to->i[i])
                alive += size->i[i];
        if (alive >= wanted[0]) {
            wanted[0] = alive;
            wanted[1] = s;
        }
    }
    LAUNCH(r, "fullest", one_thread(), ARRAY(most), ARRAY(change),
           ARRAY(size), ARRAY(from), ARRAY(to), INT(n), INT(steps));
    expect_ints(r, most, wanted);
    budget_lines(r, 160, 153);
    budget(r, "instructions", "inst", 40000, 18700);
}

enum { MOST_UNITS = 48 * 60 };

/* Is any of the units from `at` on in use? */
static bool in_use(const bool *used, int at, int size)
{
    for (int i = at; i < at + size; i++)
        if (used[i])
            return true;
    return false;
}

static void run_place(struct Run *r)
{
    int n = case_size(r), unit = 60;
    struct Array *size = input_ints(r, "size", (size_t)n, 1, 60);
    struct Array *from = input_ints(r, "from", (size_t)n, 0, 40);
    struct Array *to = input_ints(r, "to", (size_t)n, 0, 12);
    struct Array *offset = output_ints(r, "offset", (size_t)n);
    int *wanted = wanted_ints(r, (size_t)n);
    for (int i = 0; i < n; i++) {
        bool counted = case_counted(r);     /* the same for each seed */
        from->i[i] = counted ? 29 * i % 41 : from->i[i];
        to->i[i] = from->i[i] + (counted ? 5 * i % 13 : to->i[i]);
        size->i[i] = unit;
        unit -= counted ? 1 : unit > 5 ? case_random(r, 0, 5) / 5 * 5 : 0;
    }
    refill(r, size);
    refill(r, from);
    refill(r, to);
    for (int i = 0; i < n; i++) {
        bool used[MOST_UNITS + 60] = { 0 };
        for (int k = 0; k < i; k++)
            if (!(to->i[k] < from->i[i] || to->i[i] < from->i[k]))
                memset(used + wanted[k], 1, (size_t)size->i[k]);
        while (in_use(used, wanted[i], size->i[i]))
            wanted[i]++;
    }
    LAUNCH(r, "place", one_thread(), ARRAY(offset), ARRAY(size),
           ARRAY(from), ARRAY(to), INT(n));
    expect_ints(r, offset, wanted);
    budget(r, "instructions", "inst", 200000, 53684);
}

extern const struct Exercise model_exercises[];
const struct Exercise model_exercises[] = {
    /* exercises of model */
    { .name = "model/offsets", .title = "a place for each tensor",
      .difficulty = 1, .run = run_offsets,
      .size = { 1, 2, 3, 17, 148, 2000 }, .largest = 300,
      .hint = { "Keep two running sums: one with the gaps, one without.",
                "A size of 16 needs no gap, and a size of 17 needs one of "
                "15.",
                "(size + 15) / 16 * 16 is the size rounded up to a "
                "multiple of 16." } },
    { .name = "model/chunk", .title = "slow: one row of logits at a time",
      .difficulty = 2, .run = run_chunk,
      .size = { 1, 3, 8, 9, 17, 16 }, .largest = 20,
      .hint = { "w has 40 KB in the counted case, and the cache 32 KB. "
                "Which loop should be the outer one?",
                "For each v compute the logits of up to eight rows. They "
                "all need the same line of w.",
                "The last chunk may have fewer rows than eight. Keep the "
                "logits of row k of a chunk at logits + k * V." } },
    { .name = "model/fullest", .title = "broken: the fullest step",
      .difficulty = 2, .run = run_fullest,
      .size = { 1, 2, 3, 10, 41, 600 }, .largest = 100,
      .hint = { "At which step may the memory of a buffer serve another "
                "one? Not yet in the step that reads it.",
                "The change at the end of buffer i belongs to step to[i] "
                "+ 1. Does that step always exist?",
                "Two steps may be equally full, and the first one is "
                "asked for." } },
    { .name = "model/place", .title = "a plan by first fit",
      .difficulty = 3, .run = run_place,
      .size = { 1, 2, 3, 9, 33, 48 }, .largest = 48,
      .hint = { "Begin with offset 0. If a placed buffer is in the way "
                "there, which is the next offset that is worth a try?",
                "No offset before the end of the buffer that is in the "
                "way can be right. Move there.",
                "After a move, buffers that were passed may be in the way "
                "now. Begin the walk over the placed buffers again, until "
                "nothing is in the way." } },
    { .name = NULL },
};
