/* Tangled from chapters/workshop/schemes.nw, "The simulation of a pipeline".  Edit it there. */

/* pipeline.h: schedules of a pipeline, simulated. */
#ifndef LESSONS_PIPELINE_H
#define LESSONS_PIPELINE_H

#include "base/error.h"

#include <stdbool.h>

/* a schedule and its work */
enum Schedule { GPIPE, ONE_F_ONE_B, INTERLEAVED, ZERO_BUBBLE };
enum Work { FORWARD, BACKWARD, WEIGHTS };
enum { STAGES_MOST = 64, MICRO_MOST = 512, CHUNKS_MOST = 8 };

/* A piece of work of a stage: which micro-batch, through which of the
 * stage's chunks of layers, and when. */
struct Piece { enum Work work; int micro, chunk; double start, end; };

struct Pipeline {
    enum Schedule schedule;
    int stages, micro, chunks;          /* chunks: of a stage           */
    double forward, backward, weights;  /* units of time of a stage      */
    double send;                        /* to the next stage             */
};

/* declare the simulation */
/* The pieces of each stage in order, and what the schedule costs. */
struct Timeline {
    struct Piece *piece[STAGES_MOST];
    int n[STAGES_MOST], kept[STAGES_MOST];  /* kept: most activations, of
                                             * micro-batches through one
                                             * chunk                     */
    double end, bubble;                     /* bubble: idle time of a
                                             * stage, the largest        */
};

bool pipeline_run(struct Timeline *t, const struct Pipeline *p,
                  struct Error *e);
void timeline_free(struct Timeline *t);
#endif
