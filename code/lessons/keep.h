/* Tangled from chapters/workshop/measuring-fusion.nw, "The planner of checkpoints".  Edit it there. */

#ifndef LESSONS_KEEP_H
#define LESSONS_KEEP_H

#include "base/error.h"
#include "gpt2/model.h"

C_FUNCTIONS_BEGIN

/* Which activations of a bf16 GPT-2 to keep for the backward pass. */

/* a layer as a graph with prices */
/* Bytes and operations a second, of three kinds of work. */
struct KeepRates { double bytes, matmul_flop, attention_flop; };

#define KEEP_INDEX(field, ...) KEEP_##field,
enum { ACTS_LAYER(KEEP_INDEX) KEEP_ACTS };
enum { KEEP_GRADS = 5 };

struct KeepGraph {
    int    L;
    size_t bytes[KEEP_ACTS];            /* of an activation, whole lines */
    size_t grad_bytes[KEEP_GRADS];
    double seconds[LAYER_STEPS];        /* an operator, forward, again   */
    double epilogue;                    /* GELU after the product        */
    size_t dx, ends;                    /* alive besides the layers      */
};

/* the graph of a model */
/* The graph of one layer of the model, and what is alive outside the
 * layers, as the trainer's own plan has it. */
bool keep_graph(struct KeepGraph *g, const struct Config *c, int B, int T,
                const struct KeepRates *rates, struct Error *e);

const char *keep_name(int act);

/* What the trainer keeps in one of its modes. */
unsigned keep_mode(enum Recompute mode);

/* what a set of kept activations costs */
/* Sets are masks; bit KEEP_x is always there.  kept: bytes that a layer
 * holds from its forward to its backward pass; peak: the most that are
 * alive in a step of the layer; seconds: to make the others again. */
struct KeepCost { size_t kept, peak; double seconds; };
struct KeepCost keep_cost(const struct KeepGraph *g, unsigned set);

/* the cheapest plan under a limit */
/* set[l]: what layer l keeps. */
struct KeepPlan {
    unsigned set[512];
    size_t   peak;                      /* bytes, in the fullest step */
    double   seconds;
};

/* Peak and seconds of the sets that are in p. */
void keep_sum(struct KeepPlan *p, const struct KeepGraph *g);

/* The sets with the least seconds whose peak is at most `limit`; false if
 * there are none. */
bool keep_best(struct KeepPlan *p, const struct KeepGraph *g, size_t limit,
               struct Error *e);

/* The sets of one layer that no other set beats in all of kept, peak and
 * seconds, by seconds; returns how many. */
int keep_front(unsigned *set, int room, const struct KeepGraph *g);

/* checkpoints on a chain */
enum { KEEP_CHAIN = 512 };

/* The least number of forward steps, the first pass included, with which
 * the inputs of all `steps` steps of a chain can be had in reverse order,
 * if at most `slots` of them are stored at a time. */
int keep_chain(int steps, int slots);

C_FUNCTIONS_END

#endif
