/* Tangled from chapters/workshop/programs.nw, "The schedule".  Edit it there. */

#include "gpt2/schedule.h"

#include <math.h>
#include <string.h>

/* compute how far the rate has fallen at x */
static double part_fallen(const struct Schedule *s, double x)
{
    const double pi = 3.14159265358979323846;
    switch (s->shape) {
    case SCHEDULE_LINEAR:
        return x;
    case SCHEDULE_COSINE:
        return (1 - cos(pi * x)) / 2;
    case SCHEDULE_WSD:
        x -= 1 - s->cooldown;
        return x > 0 ? x / s->cooldown : 0;
    case SCHEDULE_CONSTANT:
        break;
    }
    return 0;
}

/* compute the rate of a step */
double schedule_lr(const struct Schedule *s, int64_t step)
{
    if (step < s->warmup)
        return s->lr * (double)(step + 1) / (double)s->warmup;
    double length = (double)(s->steps - s->warmup);
    double x = length > 0 ? (double)(step - s->warmup) / length : 1;
    double fallen = part_fallen(s, x < 1 ? x : 1);
    return s->lr * (1 - fallen * (1 - s->last));
}

/* find a schedule by its name */
bool schedule_shape(enum ScheduleShape *shape, const char *name)
{
    static const char *const names[] = {
        [SCHEDULE_CONSTANT] = "constant", [SCHEDULE_LINEAR] = "linear",
        [SCHEDULE_COSINE] = "cosine",     [SCHEDULE_WSD] = "wsd",
    };
    for (int i = 0; i < 4; i++) {
        if (strcmp(name, names[i]) == 0) {
            *shape = (enum ScheduleShape)i;
            return true;
        }
    }
    return false;
}
