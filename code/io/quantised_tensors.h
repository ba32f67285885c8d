/* Tangled from chapters/workshop/quantised-weights.nw, "In a file".  Edit it there. */

/* quantised_tensors.h: matrices in few bits as tensors of a file. */
#ifndef IO_QUANTISED_TENSORS_H
#define IO_QUANTISED_TENSORS_H

#include "gpt2/params.h"
#include "io/safetensors.h"
#include "ops/quantised/quantised.h"

#define QUANTISED_SCALE ".scale"

/* Has this tensor the type of a quantised matrix? */
bool quantised_tensor_is(const struct StTensor *t);

/* Is this the name of the scales of a quantised matrix of the file? */
bool quantised_tensor_scale(const struct Safetensors *s, const char *name);

/* Row i of the table as q, with its memory still to come.  False if the
 * file has it otherwise: a wrong shape, no scales, scales that fit no group
 * size or are negative or not numbers. */
bool quantised_tensor_check(struct Quantised *q,
                            const struct Safetensors *s, const char *prefix,
                            const struct ParamTable *t, int i,
                            struct Error *e);

/* Copy codes and scales to q, which quantised_tensor_check has filled in
 * and which has memory on the host. */
void quantised_tensor_read(const struct Quantised *q,
                           const struct Safetensors *s, const char *prefix,
                           const struct ParamTable *t, int i);

/* The weights themselves, in the order of the table. */
bool quantised_tensor_unpack(real *w, const struct Safetensors *s,
                             const char *prefix, const struct ParamTable *t,
                             int i, struct Error *e);

/* Set q's sides to those of row i of the table. */
void quantised_tensor_sides(struct Quantised *q, const struct ParamTable *t,
                            int i);

/* From output to output and from input to input in row i of the table. */
void quantised_tensor_steps(const struct ParamTable *t, int i,
                            size_t *output, size_t *input);

/* Can row i be quantised?  All matrices but the vectors of the positions,
 * of which a token needs one. */
bool quantised_tensor_possible(const struct ParamTable *t, int i);

/* Memory on the host for q's codes and scales; false if there is none. */
bool quantised_reserve(struct Quantised *q);
void quantised_release(struct Quantised *q);

#endif
