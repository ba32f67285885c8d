/* Tangled from chapters/workshop/programs.nw, "The schedule".  Edit it there. */

/* schedule.h: the learning rate as a function of the step. */
#ifndef GPT2_SCHEDULE_H
#define GPT2_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/* name the shapes of a schedule */
enum ScheduleShape {
    SCHEDULE_CONSTANT, SCHEDULE_LINEAR, SCHEDULE_COSINE, SCHEDULE_WSD
};

#define SCHEDULE_NAMES "constant|linear|cosine|wsd"


/* `struct Schedule` */
struct Schedule {
    enum ScheduleShape shape;
    double  lr;             /* the highest */
    double  last;           /* where it ends, as a fraction of lr */
    double  cooldown;       /* wsd: the part after the warm-up that falls */
    int64_t warmup, steps;  /* 0 <= warmup <= steps */
};

/* declare the functions of a schedule */
/* The rate of step 0 .. steps-1: lr (step + 1) / warmup while step <
 * warmup, then by the shape.  Later steps get the last one's rate. */
double schedule_lr(const struct Schedule *s, int64_t step);


/* From one of SCHEDULE_NAMES; false if it is none of them. */
bool schedule_shape(enum ScheduleShape *shape, const char *name);

#endif
