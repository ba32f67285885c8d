/* Tangled from chapters/workshop/schemes.nw, "pipeline-schedule".  Edit it there. */

/* pipeline-schedule: simulate a pipeline, draw it. */
#include "base/args.h"
#include "lessons/pipeline.h"

#include <stdio.h>
#include <string.h>

/* the options of pipeline-schedule */
enum { SCHEDULES = 4 };
static const char *const names[] = { "gpipe", "1f1b", "interleaved",
                                     "zero-bubble" };
static int stages = 4, micro = 8, chunks = 2;
static double forward = 1, backward = 1, weights = 1, delay;
static const char *schedule = "all";
static bool svg;

static const struct Option options[] = {
    { "stages", OPT_INT, &stages, 1, STAGES_MOST, "P", "stages", NULL },
    { "micro", OPT_INT, &micro, 1, MICRO_MOST, "M", "micro-batches", NULL },
    { "chunks", OPT_INT, &chunks, 1, CHUNKS_MOST, "V",
      "chunks of a stage when interleaved", NULL },
    { "forward", OPT_DOUBLE, &forward, 1e-3, 1e3, "TIME",
      "of a micro-batch in a stage", NULL },
    { "backward", OPT_DOUBLE, &backward, 1e-3, 1e3, "TIME",
      "the gradient of the input", NULL },
    { "weights", OPT_DOUBLE, &weights, 1e-3, 1e3, "TIME",
      "the gradient of the weights", NULL },
    { "delay", OPT_DOUBLE, &delay, 0, 1e3, "TIME",
      "of a message to the next stage", NULL },
    { "schedule", OPT_CHOICE, &schedule, 0, 0,
      "gpipe|1f1b|interleaved|zero-bubble|all", "which", NULL },
    { "svg", OPT_FLAG, &svg, 0, 0, NULL, "draw all of them", NULL },
    { .type = OPT_END },
};

static const struct Usage usage = {
    "[options]", "Simulate the schedules of a pipeline.", NULL
};

static void simulate(struct Timeline *t, int which)
{
    const struct Pipeline p = { (enum Schedule)which, stages, micro,
        which == INTERLEAVED ? chunks : 1, forward, backward, weights,
        delay };
    struct Error e = { "" };
    if (!pipeline_run(t, &p, &e))
        misuse("%s: %s", names[which], e.text);
}

/* draw one schedule */
static const char *const colours[] = { "#4878a8", "#c0562f", "#4f8f4f" };
enum { ROW = 18, LEFT = 62, WIDE = 560 };

static void draw(const struct Timeline *t, int which, int y, double unit)
{
    printf("<text x=\"2\" y=\"%d\">%s: bubble %.3g of %.3g</text>\n", y - 6,
           names[which], t->bubble, t->end);
    for (int s = 0; s < stages; s++) {
        const int top = y + s * ROW;
        printf("<text x=\"2\" y=\"%d\" font-size=\"11\">stage %d</text>\n",
               top + 13, s);
        for (int i = 0; i < t->n[s]; i++) {
            const struct Piece *p = &t->piece[s][i];
            const double x = LEFT + unit * p->start;
            const double w = unit * (p->end - p->start);
            printf("<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
                   "fill=\"%s\" fill-opacity=\"%s\" stroke=\"%s\"/>\n", x,
                   top, w, ROW - 2, colours[p->work],
                   p->chunk % 2 ? "0.5" : "0.2", colours[p->work]);
            printf("<text x=\"%.1f\" y=\"%d\" font-size=\"10\" "
                   "text-anchor=\"middle\">%d</text>\n", x + w / 2,
                   top + 12, p->micro);
        }
    }
}

/* draw all schedules */
static void draw_all(void)
{
    struct Timeline t[SCHEDULES];
    double end = 0;
    const int each = stages * ROW + 34;
    for (int i = 0; i < SCHEDULES; i++) {
        simulate(&t[i], i);
        end = t[i].end > end ? t[i].end : end;
    }
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
           " font-family=\"sans-serif\" font-size=\"13\" "
           "fill=\"currentColor\" role=\"img\">\n"
           "<title>Schedules of a pipeline</title>\n",
           LEFT + WIDE + 8, SCHEDULES * each);
    for (int i = 0; i < SCHEDULES; i++) {
        draw(&t[i], i, 22 + i * each, WIDE / end);
        timeline_free(&t[i]);
    }
    printf("</svg>\n");
}

/* print one schedule */
static void print(int which)
{
    struct Timeline t;
    simulate(&t, which);
    printf("%-12s time %-7.4g bubble %-6.4g %5.1f %%  activations %d, "
           "%d in the last\n", names[which], t.end, t.bubble,
           100 * t.bubble / t.end, t.kept[0], t.kept[stages - 1]);
    timeline_free(&t);
}

int main(int argc, char **argv)
{
    args_options(argc, argv, options, &usage);
    if (svg)
        draw_all();
    else
        for (int i = 0; i < SCHEDULES; i++)
            if (strcmp(schedule, "all") == 0 ||
                strcmp(schedule, names[i]) == 0)
                print(i);
    return 0;
}
